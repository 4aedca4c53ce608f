// SPDX-License-Identifier: BSL-1.0
#pragma once

// Along the dimensions of a hypercube of processes, in one array.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/plan/dimensions.hpp>
#include <bmmc/transport/rounds.hpp>

namespace bmmc::comm {

namespace detail {

/// Sends bytes of an array and receives as many in their place, through a buffer.
BMMC_ONCE void replace_through(exchange const& e, std::span<std::byte> buffer, std::byte* data,
                               std::size_t bytes, index_t to, index_t from) {
  for (std::size_t done = 0; done < bytes; done += buffer.size()) {
    const std::size_t part = std::min(buffer.size(), bytes - done);
    const index_t elements = part / e.element_bytes();
    transport::trade(e.owner(), e.element_type(), e.element_bytes(), data + done, {to, 0, elements},
                     buffer.data(), {from, 0, elements});
    std::memcpy(data + done, buffer.data(), part);
  }
}

/// Exchanges the blocks that a step moves: many short runs are packed, long ones go as they are.
BMMC_ONCE void exchange_blocks(exchange const& e, std::span<std::byte> buffer, void* data,
                               dimension_plan::step const& step) {
  const index_t run = step.run(e.blocks());
  const index_t most = step.packed_runs(e.blocks(), buffer.size(), e.block_bytes());
  const std::size_t run_bytes = run * e.block_bytes();
  if (most == 0) {
    for (index_t b = 0; b < e.blocks(); b += run)
      if (step.moves(b))
        replace_through(e, buffer, e.at(data, b), run_bytes, step.neighbour, step.neighbour);
    return;
  }
  std::byte* const out = buffer.data();
  std::byte* const in = out + most * run_bytes;
  for (index_t b = 0; b < e.blocks();) {
    const index_t first = b;
    index_t packed = 0, unpacked = 0;
    for (; b < e.blocks() && packed < most; b += run)
      if (step.moves(b)) std::memcpy(out + packed++ * run_bytes, e.at(data, b), run_bytes);
    const message both{step.neighbour, 0, packed * run_bytes / e.element_bytes()};
    transport::trade(e.owner(), e.element_type(), e.element_bytes(), out, both, in, both);
    for (index_t at = first; unpacked < packed; at += run)
      if (step.moves(at)) std::memcpy(e.at(data, at), in + unpacked++ * run_bytes, run_bytes);
  }
}

}  // namespace detail

/// What one process does in one exchange, and its buffer.
class dimension_exchange::steps {
 public:
  steps(exchange const& e, dimension_exchange const& policy) {
    const auto proc = static_cast<index_t>(e.proc());
    const auto r = static_cast<unsigned>(std::countr_zero(e.blocks()));
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

BMMC_ONCE void dimension_exchange::prepare(exchange const& e) {
  prepared = std::make_shared<steps>(e, *this);
}
BMMC_ONCE void dimension_exchange::replace(exchange const& e, void* data) {
  prepared->replace(e, data);
}

}  // namespace bmmc::comm
