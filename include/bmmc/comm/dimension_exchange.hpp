// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <bmmc/comm/policy.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/index/exchanges.hpp>

namespace bmmc::comm {

namespace detail {

/// One conditional exchange as one process sees it: it and its neighbour across a dimension of the
/// hypercube exchange the blocks b for which b & row has an odd (or even) number of ones. A row of
/// zeros and an even number: all blocks.
struct neighbour_exchange {
  int neighbour = 0;
  index_t row = 0;
  bool is_odd = false;

  [[nodiscard]] constexpr bool moves(index_t b) const noexcept {
    return (std::popcount(b & row) % 2 == 1) == is_odd;
  }
  /// Blocks that stand in a row and move together, or do not.
  [[nodiscard]] constexpr index_t run(index_t blocks) const noexcept {
    return row == 0 ? blocks : row & (~row + 1);
  }
  friend constexpr bool operator==(neighbour_exchange const&, neighbour_exchange const&) = default;
};

/// What dimension_exchange works out for one exchange and one process.
struct hypercube_steps {
  std::vector<neighbour_exchange> exchanges{};
  int renamed_to = 0, renamed_from = 0;
  std::vector<std::byte> buffer{};
  friend bool operator==(hypercube_steps const&, hypercube_steps const&) = default;
};

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
    trade(e.owner(), e.element_type(), e.element_bytes(), data + done, {to, elements},
          buffer.data(), {from, elements});
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
    const message both{step.neighbour, packed * run_bytes / e.element_bytes()};
    trade(e.owner(), e.element_type(), e.element_bytes(), out, both, in, both);
    for (index_t at = first; unpacked < packed; at += run)
      if (step.moves(at)) std::memcpy(e.at(data, at), in + unpacked++ * run_bytes, run_bytes);
  }
}

}  // namespace detail

/// Blocks travel along the dimensions of a hypercube of processes: in each of p steps a process
/// exchanges half of its blocks, all or none of them with one neighbour, k ^ 2^i, in one array.
/// Best where messages are so small that their number counts, or where memory is full. The steps
/// are those of A = L U. A plan has them where its process block can be chosen so, at full rank
/// always; where it cannot (bit reversal with n = 4, p = 3), A = P L U and P renames processes,
/// by one more message, which need not go to a neighbour.
/// Messages  p to p neighbours, and one for a renaming, where the buffer holds what a step moves:
///           the bytes of a chunk are enough; with a smaller buffer, as many more as it takes.
/// Bytes     in each step half a chunk, or the whole one, or nothing.
/// Memory    buffer_bytes, the same on all processes; no more than a chunk, no less than an
/// element. Source    Edelman, Heller, Johnsson 1994, theorem 3.1, corollaries 3.2 and 3.6.
struct dimension_exchange {
  std::size_t buffer_bytes = std::size_t{1} << 21;
  detail::hypercube_steps prepared{};

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept { return buffer_bytes; }

  void prepare(exchange const& e) {
    const auto proc = static_cast<index_t>(e.proc());
    const auto r = static_cast<unsigned>(std::countr_zero(e.blocks()));
    const auto factors = detail::hypercube_factors(e.moves(), r);
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

  void replace(exchange const& e, void* data) {
    for (detail::neighbour_exchange const& step : prepared.exchanges)
      detail::exchange_blocks(e, prepared.buffer, data, step);
    if (prepared.renamed_to != e.proc())
      detail::replace_through(e, prepared.buffer, e.at(data, 0), e.blocks() * e.block_bytes(),
                              prepared.renamed_to, prepared.renamed_from);
  }
  friend bool operator==(dimension_exchange const&, dimension_exchange const&) = default;
};

}  // namespace bmmc::comm
