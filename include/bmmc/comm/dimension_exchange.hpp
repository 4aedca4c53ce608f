// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <bmmc/comm/policy.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::comm {

/// Blocks travel along the dimensions of a hypercube of processes: in each of p steps a process
/// exchanges half of its blocks, all or none of them with one neighbour, k ^ 2^i, in one array.
/// Best where messages are so small that their number counts, or where memory is full. The steps
/// are those of A = L U. A plan has them where its process block can be chosen so, at full rank
/// always; where it cannot (bit reversal with n = 4, p = 3), A = P L U and P renames processes,
/// by one more message, which need not go to a neighbour. See bmmc/plan/dimensions.hpp.
/// Messages  p to p neighbours, and one for a renaming, where the buffer holds what a step moves:
///           the bytes of a chunk are enough; with a smaller buffer, as many more as it takes.
/// Bytes     in each step half a chunk, or the whole one, or nothing.
/// Memory    buffer_bytes, the same on all processes; no more than a chunk, no less than an
///           element.
/// Source    Edelman, Heller, Johnsson 1994, theorem 3.1, corollaries 3.2 and 3.6.
struct dimension_exchange {
  std::size_t buffer_bytes = std::size_t{1} << 21;
  class steps;
  std::shared_ptr<steps> prepared{};

  /// Elements that the buffer has room for.
  [[nodiscard]] constexpr index_t room(index_t chunk_elements,
                                       std::size_t element_bytes) const noexcept {
    return std::clamp<index_t>(buffer_bytes / element_bytes, 1, chunk_elements);
  }
  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept { return buffer_bytes; }

  void prepare(exchange const& e);
  void replace(exchange const& e, void* data);
  /// Steps follow from the exchange.
  friend bool operator==(dimension_exchange const& a, dimension_exchange const& b) noexcept {
    return a.buffer_bytes == b.buffer_bytes;
  }
};

static_assert(ReplacingPolicy<dimension_exchange> && PreparedPolicy<dimension_exchange>);

}  // namespace bmmc::comm
