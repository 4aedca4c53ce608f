// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>

#include <bmmc/execution/trial.hpp>

namespace bmmc::detail {

BMMC_ONCE trial::trial(std::size_t ways, unsigned rounds)
    : ways_(ways < 2 ? 0 : ways), rounds_(std::min(rounds, most_rounds)) {
  is_tried_.fill(true);
}

BMMC_ONCE std::size_t trial::fastest() const noexcept {
  std::size_t best = ways_;
  for (std::size_t k = 0; k < ways_; ++k)
    if (is_tried_[k] && (best == ways_ || seconds_[k] < seconds_[best])) best = k;
  return best;
}

BMMC_ONCE void trial::begin_call(comm::communicator const& c) {
  const double now = MPI_Wtime();
  const double between = end_ == 0 ? 0 : now - end_;  // two calls
  if (call_++ != 0) {
    between_ += between;
    return;
  }
  if (row_ == 1 && between > last_) ++calls_apart_;
  comm::check(MPI_Barrier(c.handle()), "MPI_Barrier");
  between_ = 0;
  begin_ = MPI_Wtime();
}

BMMC_ONCE bool trial::has_ended_row(comm::communicator const& c) {
  const bool is_last = call_ == row_;
  if (is_last) comm::check(MPI_Barrier(c.handle()), "MPI_Barrier");
  end_ = MPI_Wtime();
  if (!is_last) return false;
  call_ = 0;
  last_ = (end_ - begin_ - between_) / row_;
  if (round_ != 0) times_[round_ - 1] = last_;
  return true;
}

BMMC_ONCE void trial::end_turn() {
  const std::span<double> all(times_.data(), std::exchange(round_, 0) - 1);
  for (std::size_t i = 1; i < all.size(); ++i)  // they are few
    for (std::size_t j = i; j > 0 && all[j] < all[j - 1]; --j) std::swap(all[j], all[j - 1]);
  const double median = (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  const bool is_single = has_second_turn_ && row_ == 1;
  seconds_[way_] = is_single ? std::min(first_turn_[way_], median) : all.front();
  if (!has_second_turn_) first_turn_[way_] = median;
}

BMMC_ONCE void trial::go_on(std::size_t way) noexcept {
  way_ = way;
  while (way_ < ways_ && !is_tried_[way_]) ++way_;
}

BMMC_ONCE void trial::begin_second_turn() noexcept {
  constexpr double near = 1.5;
  has_second_turn_ = true;
  const double least = seconds_[fastest()];
  std::size_t rivals = 0;
  for (std::size_t k = 0; k < ways_; ++k)
    if (is_tried_[k] = seconds_[k] <= near * least; is_tried_[k]) ++rivals;
  if (rivals < 2) return;
  choose_row(least);
  go_on(0);
}

BMMC_ONCE void trial::choose_row(double seconds) noexcept {
  constexpr double row_seconds = 5e-4;
  constexpr unsigned most_calls = 32;
  const auto calls_measured = static_cast<double>(ways_ * rounds_);
  if (2 * seconds_[ways_] > calls_measured || 2 * seconds > row_seconds) return;
  row_ = std::bit_floor(static_cast<unsigned>(
      std::min<double>(most_calls, row_seconds / std::max(seconds, row_seconds / most_calls))));
  rounds_ = 3;
}

}  // namespace bmmc::detail
