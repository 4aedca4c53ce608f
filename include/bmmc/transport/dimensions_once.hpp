// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>

#include <bmmc/transport/dimensions.hpp>
#include <bmmc/transport/rounds.hpp>

namespace bmmc::comm {

namespace detail {

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

BMMC_ONCE void dimension_exchange::prepare(exchange const& e) {
  prepared = std::make_shared<steps>(e, *this);
}
BMMC_ONCE void dimension_exchange::replace(exchange const& e, void* data) {
  prepared->replace(e, data);
}

}  // namespace bmmc::comm
