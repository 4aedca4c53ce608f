// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include <bmmc/comm/communicator.hpp>

namespace bmmc::detail {

/// Finds out which of several ways is the fastest by using each for some of the first calls: every
/// call does its work, whichever way is tried. Then those that came near the fastest have a second
/// turn, since a machine is not equally fast all the time. All processes take part in all calls.
/// In the first turn calls are measured one by one, each from where all processes are ready to
/// where all are done. In the second one short calls are measured several in a row, as a program
/// makes them: the end of one call and the beginning of the next overlap, in some ways more than in
/// others. What a program does between calls is not counted; where that takes longer than the calls
/// themselves, they are measured one by one again.
class trial {
 public:
  static constexpr std::size_t most_ways = 8;

  trial() = default;
  /// Each way is used for `rounds` calls in a row, two or more, of which the first is not counted:
  /// it touches memory and connections for the first time. A single way is not tried.
  trial(std::size_t ways, unsigned rounds);

  [[nodiscard]] bool is_over() const noexcept { return way_ == ways_; }
  /// The way that the next call uses.
  [[nodiscard]] std::size_t next() const noexcept { return way_; }

  /// Collective: one call. Where processes share cores, one that has its part done early takes time
  /// from others: so a row lasts until all are done. After each turn they agree on the times, those
  /// of the process that was ready first, and on whether the calls follow each other.
  template <class Call>
  void measure(comm::communicator const& c, Call call) {
    begin_call(c);
    call();
    if (!has_ended_row(c) || ++round_ != rounds_) return;
    end_turn();
    go_on(way_ + 1);
    if (!is_over()) return;
    seconds_[ways_] = calls_apart_;
    comm::check(MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), static_cast<int>(ways_ + 1),
                              MPI_DOUBLE, MPI_MAX, c.handle()),
                "MPI_Allreduce");
    if (!has_second_turn_) begin_second_turn();
  }

  /// Of each way, of a trial that is over; and the fastest.
  [[nodiscard]] std::span<double const> seconds() const noexcept {
    return {seconds_.data(), ways_};
  }
  [[nodiscard]] std::size_t fastest() const noexcept;
  /// How many calls in a row the last turn measured together.
  [[nodiscard]] unsigned calls_in_a_row() const noexcept { return row_; }

 private:
  static constexpr unsigned most_rounds = 6;

  void begin_call(comm::communicator const& c);
  /// Whether the row was at its end with this call, so that it has been measured.
  [[nodiscard]] bool has_ended_row(comm::communicator const& c);

  /// Of a first turn the best call counts: that a way has not found its own best form yet is no
  /// reason to drop it. In the end it is the median of a turn, since a lucky call says as little as
  /// an unlucky one, and of the better turn: in the first one a way may still have tried its forms.
  /// Of rows the better one counts, since it is no single call, and alone: single calls take
  /// longer.
  void end_turn();
  void go_on(std::size_t way) noexcept;
  void begin_second_turn() noexcept;
  /// So many calls of `seconds` each that the barrier at their end hardly counts; and three rows,
  /// of which the first is not counted: of the others the better one counts, so what windows try
  /// now and then (see handover) matters only where it falls into both.
  void choose_row(double seconds) noexcept;

  std::size_t way_ = 0, ways_ = 0;
  unsigned rounds_ = 2, round_ = 0;  // rows of a turn
  unsigned row_ = 1, call_ = 0;      // calls of a row
  bool has_second_turn_ = false;
  double begin_ = 0, end_ = 0;  // of the row, of the last call
  double between_ = 0;          // calls of the row
  double last_ = 0;             // time of a call of the last row
  double calls_apart_ = 0;      // calls of the first turn that came later than one takes
  std::array<double, most_rounds> times_{};  // of a turn
  std::array<double, most_ways> first_turn_{};
  std::array<double, most_ways + 1> seconds_{};  // and calls_apart_, while processes agree
  std::array<bool, most_ways> is_tried_{};
};

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/execution/trial_once.hpp>
#endif
