// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/plan/pieces.hpp>

namespace bmmc::detail {

// Scratch elements for calls in place, and from a source to a target.

/// Of gather, exchange, scatter: see exchanged.hpp. `replaces`: the blocks of one array.
[[nodiscard]] constexpr index_t scratch_of_exchange(plan const& p, bool replaces,
                                                    bool in_place) noexcept {
  const index_t chunk = p.chunk_elements();
  if (p.is_local()) return in_place ? chunk : 0;
  return in_place && !replaces ? 2 * chunk : chunk;
}

/// Pieces on their way.
[[nodiscard]] constexpr index_t slots_of(comm::piece_sizes const& policy) noexcept {
  return std::max(1U, policy.in_flight);
}
/// The pieces of a policy, or those that make messages worth sending.
[[nodiscard, gnu::noinline]] constexpr pieces pieces_of(plan const& p, std::size_t element_bytes,
                                                        comm::piece_sizes const& policy) {
  constexpr index_t least_piece = index_t{1} << 20, least_message = index_t{1} << 16;
  if (p.is_exchange_only()) return {p, p.bits()};  // a single piece: no buffers are needed
  const index_t bytes = policy.piece_bytes != 0 ? policy.piece_bytes : least_piece;
  unsigned bits = highest_one(std::max<index_t>(1, bytes / element_bytes));
  for (;; ++bits) {
    const pieces cut(p, bits);
    if (policy.piece_bytes != 0 || cut.count() == 1 ||
        cut.message_elements() * element_bytes >= least_message)
      return cut;
  }
}
/// Pieces that go through a window: of 1 MiB where nothing is said, which is about what caches hold
/// and makes the rows of both passes long.
[[nodiscard]] constexpr pieces window_pieces(plan const& p, std::size_t element_bytes,
                                             index_t piece_bytes) {
  const index_t bytes = piece_bytes != 0 ? piece_bytes : index_t{1} << 20;
  return {p, highest_one(std::max<index_t>(1, bytes / element_bytes))};
}
[[nodiscard]] constexpr index_t constant_scratch_of_pieces(plan const& p, std::size_t element_bytes,
                                                           comm::piece_sizes const& policy,
                                                           bool in_place) {
  const index_t chunk = p.chunk_elements();
  if (p.is_local() || p.is_exchange_only()) return in_place ? chunk : 0;
  const index_t piece = pieces_of(p, element_bytes, policy).elements(), depth = slots_of(policy);
  return in_place ? chunk + depth * piece : 2 * depth * piece;
}

/// The same, compiled once: for no constant expression.
[[nodiscard]] index_t compiled_scratch_of_pieces(plan const& p, std::size_t element_bytes,
                                                 comm::piece_sizes const& policy, bool in_place);
/// Pieces that travel, and all of a chunk in place.
[[nodiscard]] constexpr index_t scratch_of_pieces(plan const& p, std::size_t element_bytes,
                                                  comm::piece_sizes const& policy, bool in_place) {
  if (std::is_constant_evaluated()) {
    return constant_scratch_of_pieces(p, element_bytes, policy, in_place);
  } else {
    return compiled_scratch_of_pieces(p, element_bytes, policy, in_place);
  }
}

inline constexpr index_t unlimited = ~index_t{0};

/// Whether automatic considers radix_exchange: from four processes on, and not in bounded memory.
[[nodiscard]] constexpr bool offers_rounds(plan const& p, index_t budget) {
  return budget == unlimited && p.rank() > 1;
}
/// Enough for each way of automatic within a budget of scratch elements; pages that no way writes
/// cost nothing.
[[nodiscard]] constexpr index_t scratch_of_choice(plan const& p, std::size_t element_bytes,
                                                  index_t budget, bool in_place) {
  const index_t needed = scratch_of_pieces(p, element_bytes, {}, in_place);
  if (offers_rounds(p, budget)) return std::max(needed, scratch_of_exchange(p, false, in_place));
  return needed <= budget ? needed : 0;
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/execution/permutation/scratch_once.hpp>
#endif
