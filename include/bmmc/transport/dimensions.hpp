// SPDX-License-Identifier: BSL-1.0
#pragma once

// Along the dimensions of a hypercube of processes, in one array.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/plan/dimensions.hpp>
#include <bmmc/transport/exchange.hpp>

namespace bmmc::comm {

namespace detail {

/// Sends bytes of an array and receives as many in their place, through a buffer.
void replace_through(exchange const& e, std::span<std::byte> buffer, std::byte* data,
                     std::size_t bytes, index_t to, index_t from);
/// Exchanges the blocks that a step moves: many short runs are packed, long ones go as they are.
void exchange_blocks(exchange const& e, std::span<std::byte> buffer, void* data,
                     dimension_plan::step const& step);

}  // namespace detail

/// What one process does in one exchange, and its buffer.
class dimension_exchange::steps {
 public:
  steps(exchange const& e, dimension_exchange const& policy) {
    const auto proc = static_cast<index_t>(e.proc());
    const auto r = bmmc::detail::lowest_one(e.blocks());
    const dimension_plan plan(*e.moves(), e.moves()->bits() - r);
    all_ = plan.steps(proc);
    renamed_to_ = plan.renamed_to(proc);
    renamed_from_ = plan.renamed_from(proc);
    buffer_.resize(policy.room(e.blocks() * e.block_elements(), e.element_bytes()) *
                   e.element_bytes());
  }

  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return buffer_.size(); }

  void replace(exchange const& e, void* data) {
    for (dimension_plan::step const& step : all_) detail::exchange_blocks(e, buffer_, data, step);
    if (renamed_to_ != static_cast<index_t>(e.proc()))
      detail::replace_through(e, buffer_, e.at(data, 0), e.blocks() * e.block_bytes(), renamed_to_,
                              renamed_from_);
  }

 private:
  std::vector<dimension_plan::step> all_;
  index_t renamed_to_ = 0, renamed_from_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/dimensions_once.hpp>
#endif
