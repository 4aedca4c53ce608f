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
class trial {
 public:
  static constexpr std::size_t most_ways = 8;

  trial() = default;
  /// Each way is used for `rounds` calls in a row, two or more, of which the first is not counted:
  /// it touches memory and connections for the first time. A single way is not tried.
  trial(std::size_t ways, unsigned rounds)
      : ways_(ways < 2 ? 0 : ways), rounds_(std::min(rounds, most_rounds)) {
    is_tried_.fill(true);
  }

  [[nodiscard]] bool is_over() const noexcept { return way_ == ways_; }
  /// The way that the next call uses.
  [[nodiscard]] std::size_t next() const noexcept { return way_; }

  /// Collective: one call, from where all processes are ready to where all are done: where
  /// processes share cores, one that has its part done early takes time from others. After each
  /// turn they agree on the times, those of the process that was ready first.
  template <class Call>
  void measure(comm::communicator const& c, Call call) {
    comm::check(MPI_Barrier(c.handle()), "MPI_Barrier");
    const double start = MPI_Wtime();
    call();
    comm::check(MPI_Barrier(c.handle()), "MPI_Barrier");
    const double time = MPI_Wtime() - start;
    if (call_ != 0) times_[call_ - 1] = time;
    if (++call_ != rounds_) return;
    end_turn();
    go_on(way_ + 1);
    if (!is_over()) return;
    comm::check(MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), static_cast<int>(ways_), MPI_DOUBLE,
                              MPI_MAX, c.handle()),
                "MPI_Allreduce");
    if (!has_second_turn_) begin_second_turn();
  }

  /// Of each way, of a trial that is over; and the fastest.
  [[nodiscard]] std::span<double const> seconds() const noexcept {
    return {seconds_.data(), ways_};
  }
  [[nodiscard]] std::size_t fastest() const noexcept {
    std::size_t best = 0;
    for (std::size_t k = 1; k < ways_; ++k)
      if (seconds_[k] < seconds_[best]) best = k;
    return best;
  }

 private:
  static constexpr unsigned most_rounds = 6;

  /// Of a first turn the best call counts: that a way has not found its own best form yet is no
  /// reason to drop it. In the end it is the median of a turn, since a lucky call says as little as
  /// an unlucky one, and of the better turn: in the first one a way may still have tried its forms.
  void end_turn() {
    const std::span<double> all(times_.data(), std::exchange(call_, 0) - 1);
    for (std::size_t i = 1; i < all.size(); ++i)  // they are few
      for (std::size_t j = i; j > 0 && all[j] < all[j - 1]; --j) std::swap(all[j], all[j - 1]);
    const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
    seconds_[way_] = has_second_turn_ ? std::min(first_turn_[way_], median) : all.front();
    if (!has_second_turn_) first_turn_[way_] = median;
  }
  void go_on(std::size_t way) noexcept {
    way_ = way;
    while (way_ < ways_ && !is_tried_[way_]) ++way_;
  }
  void begin_second_turn() noexcept {
    constexpr double near = 1.5;
    has_second_turn_ = true;
    const double most = near * seconds_[fastest()];
    std::size_t rivals = 0;
    for (std::size_t k = 0; k < ways_; ++k)
      if (is_tried_[k] = seconds_[k] <= most; is_tried_[k]) ++rivals;
    if (rivals > 1) go_on(0);
  }

  std::size_t way_ = 0, ways_ = 0;
  unsigned call_ = 0, rounds_ = 2;
  bool has_second_turn_ = false;
  std::array<double, most_rounds> times_{};  // of a turn
  std::array<double, most_ways> first_turn_{}, seconds_{};
  std::array<bool, most_ways> is_tried_{};
};

}  // namespace bmmc::detail
