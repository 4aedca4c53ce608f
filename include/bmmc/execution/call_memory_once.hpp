// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/execution/call_memory.hpp>

namespace bmmc::detail {

BMMC_ONCE call_memory& call_memory::of(comm::communicator const& c) {
  auto& slot = c.call_memory();
  if (!slot) {
    const auto made = std::make_shared<call_memory>();
    if (c.outlives_original()) made->limits_ = {0, 0};  // what is kept would keep c
    slot = made;
  }
  return *static_cast<call_memory*>(slot.get());
}

BMMC_ONCE void call_memory::set_limits(call_limits const& l) {
  forget();
  limits_ = l;
}

BMMC_ONCE double call_memory::expected_calls() const noexcept {
  return static_cast<double>(std::min<std::uint64_t>(99, 1 + kept_ - kept_before_));
}

BMMC_ONCE void call_memory::forget() noexcept {
  clear();
  kept_before_ = kept_;
}

BMMC_ONCE std::size_t call_memory::bytes() const noexcept {
  std::size_t sum = scratch_.elements().size() + (window_ ? window_->part_bytes() : 0);
  for (auto const& each : calls_) sum += each->own_bytes;
  return sum;
}

BMMC_ONCE void call_memory::use(kept_call const* call) {
  for (std::size_t k = 0; k + 1 < calls_.size(); ++k)
    if (calls_[k].get() == call) calls_[k].swap(calls_[k + 1]);
}

BMMC_ONCE void call_memory::reserve() { calls_.reserve(calls_.size() + 1); }

BMMC_ONCE void call_memory::keep(std::unique_ptr<kept_call> call, kept_call const* former,
                                 transport::workspace<std::byte> fresh,
                                 comm::window const* window_before) {
  if (!fresh.elements().empty() || window_before != window_.get())
    std::erase_if(calls_, [](auto const& each) { return each->own_bytes == 0; });
  if (!fresh.elements().empty()) scratch_ = std::move(fresh);
  for (std::size_t k = calls_.size(); k-- > 0;)
    if (calls_[k].get() == former) calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(k));
  if (calls_.size() == limits_.permuters) calls_.erase(calls_.begin());
  for (std::size_t k = 0; k < calls_.size() && bytes() + call->own_bytes > limits_.bytes;)
    if (calls_[k]->own_bytes != 0)
      calls_.erase(calls_.begin() + static_cast<std::ptrdiff_t>(k));
    else
      ++k;
  call->number = ++kept_;
  calls_.push_back(std::move(call));
}

BMMC_ONCE void call_memory::keep_to_limits() {
  if (bytes() > limits_.bytes) clear();
}

BMMC_ONCE void call_memory::clear() noexcept {
  calls_.clear();
  window_.reset();
  scratch_ = {};
}

BMMC_ONCE clear_on_exception::~clear_on_exception() {
  if (memory != nullptr && std::uncaught_exceptions() > before) memory->clear();
}

}  // namespace bmmc::detail
