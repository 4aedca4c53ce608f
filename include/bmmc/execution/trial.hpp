// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <bmmc/comm/communicator.hpp>

namespace bmmc::detail {

/// Finds out which of several ways is the fastest by using each for some of the first calls: every
/// call does its work, whichever way is tried. All processes take part in all calls.
class trial {
 public:
  static constexpr std::size_t most_ways = 8;

  trial() = default;
  /// Each way is used for `rounds` calls in a row, two or more, of which the first is not counted:
  /// it touches memory and connections for the first time. A single way is not tried.
  trial(std::size_t ways, unsigned rounds) : ways_(ways < 2 ? 0 : ways), rounds_(rounds) {
    seconds_.fill(std::numeric_limits<double>::infinity());
  }

  [[nodiscard]] bool is_over() const noexcept { return calls_ == rounds_ * ways_; }
  /// The way that the next call uses.
  [[nodiscard]] std::size_t next() const noexcept { return calls_ / rounds_; }

  /// Collective: one call. Processes begin together; after the last call they agree on the times,
  /// those of the slowest process.
  template <class Call>
  void measure(comm::communicator const& c, Call call) {
    comm::check(MPI_Barrier(c.handle()), "MPI_Barrier");
    const double start = MPI_Wtime();
    call();
    const double time = MPI_Wtime() - start;
    if (calls_ % rounds_ != 0) seconds_[next()] = std::min(seconds_[next()], time);
    ++calls_;
    if (is_over())
      comm::check(MPI_Allreduce(MPI_IN_PLACE, seconds_.data(), static_cast<int>(ways_), MPI_DOUBLE,
                                MPI_MAX, c.handle()),
                  "MPI_Allreduce");
  }

  /// Of each way, of a trial that is over; and the fastest.
  [[nodiscard]] std::span<double const> seconds() const noexcept {
    return {seconds_.data(), ways_};
  }
  [[nodiscard]] std::size_t fastest() const noexcept {
    return static_cast<std::size_t>(std::ranges::min_element(seconds()) - seconds().begin());
  }

 private:
  std::size_t calls_ = 0, ways_ = 0, rounds_ = 2;
  std::array<double, most_ways> seconds_{};
};

}  // namespace bmmc::detail
