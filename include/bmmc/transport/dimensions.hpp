// SPDX-License-Identifier: BSL-1.0
#pragma once

// Along the dimensions of a hypercube of processes, in one array.

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/index/exchanges.hpp>
#include <bmmc/transport/rounds.hpp>

namespace bmmc::comm {

namespace detail {

/// Moves of r + p bits that keep the r low ones, as conditional exchanges of the others, in some
/// order that needs no renaming where there is one; else followed by a renaming of processes.
[[nodiscard]] constexpr exchange_and_rename hypercube_factors(permutation<> const& moves,
                                                              unsigned r) {
  constexpr unsigned most_dimensions = 12;  // the search visits 2^p sets of them at most
  const unsigned p = moves.bits() - r;
  if (p <= most_dimensions)
    if (const auto found = find_exchange_order(submatrix(moves.matrix(), r, p, r, p))) {
      auto order = ascending_order(r);
      for (const unsigned dimension : *found) order.push_back(r + dimension);
      return {*exchange_factors(moves, order), identity_permutation(moves.bits())};
    }
  return exchange_then_rename(moves);
}

/// Sends bytes of an array and receives as many in their place, through a buffer.
inline void replace_through(exchange const& e, std::span<std::byte> buffer, std::byte* data,
                            std::size_t bytes, int to, int from) {
  for (std::size_t done = 0; done < bytes; done += buffer.size()) {
    const std::size_t part = std::min(buffer.size(), bytes - done);
    const index_t elements = part / e.element_bytes();
    transport::trade(e.owner(), e.element_type(), e.element_bytes(), data + done,
                     {static_cast<index_t>(to), 0, elements}, buffer.data(),
                     {static_cast<index_t>(from), 0, elements});
    std::memcpy(data + done, buffer.data(), part);
  }
}

/// Exchanges the blocks that a step moves: many short runs are packed, long ones go as they are.
inline void exchange_blocks(exchange const& e, std::span<std::byte> buffer, void* data,
                            neighbour_exchange const& step) {
  const index_t run = step.run(e.blocks());
  const std::size_t run_bytes = run * e.block_bytes();
  const index_t most = buffer.size() / 2 / run_bytes;  // runs in one message
  if (most == 0 || 2 * run >= e.blocks()) {
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
    const message both{static_cast<index_t>(step.neighbour), 0,
                       packed * run_bytes / e.element_bytes()};
    transport::trade(e.owner(), e.element_type(), e.element_bytes(), out, both, in, both);
    for (index_t at = first; unpacked < packed; at += run)
      if (step.moves(at)) std::memcpy(e.at(data, at), in + unpacked++ * run_bytes, run_bytes);
  }
}

}  // namespace detail

inline void dimension_exchange::prepare(exchange const& e) {
  const auto proc = static_cast<index_t>(e.proc());
  const auto r = static_cast<unsigned>(std::countr_zero(e.blocks()));
  const auto factors = detail::hypercube_factors(*e.moves(), r);
  prepared = {};
  for (conditional_exchange const& each : factors.exchanges) {
    const index_t own = proc << r, partner = own ^ bit(each.dimension);
    detail::neighbour_exchange step{static_cast<int>(partner >> r), each.row & low_bits(r)};
    step.is_odd = each(own) == own;  // block 0 stays, so an odd sum moves
    if (step.row != 0 || !step.is_odd) prepared.exchanges.push_back(step);
  }
  prepared.renamed_to = static_cast<int>(factors.renaming(proc << r) >> r);
  prepared.renamed_from = static_cast<int>(inverse(factors.renaming)(proc << r) >> r);
  const std::size_t bytes = std::min<std::size_t>(buffer_bytes, e.blocks() * e.block_bytes());
  prepared.buffer.resize(std::max<std::size_t>(1, bytes / e.element_bytes()) * e.element_bytes());
}
inline void dimension_exchange::replace(exchange const& e, void* data) {
  for (detail::neighbour_exchange const& step : prepared.exchanges)
    detail::exchange_blocks(e, prepared.buffer, data, step);
  if (prepared.renamed_to != e.proc())
    detail::replace_through(e, prepared.buffer, e.at(data, 0), e.blocks() * e.block_bytes(),
                            prepared.renamed_to, prepared.renamed_from);
}

}  // namespace bmmc::comm
