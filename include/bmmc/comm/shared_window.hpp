// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// Each process gathers its blocks into a window that all processes of the node share, and after a
/// barrier scatters those it needs from there to its target: two passes, no messages. Between
/// shared_vectors one pass is enough. Between several nodes messages go from node to node, so fewer
/// and larger ones than between processes, and every process of a node sends its share of them:
/// bmmc/plan/nodes.hpp tells how many.
/// Where all processes share memory a permutation may go in pieces, through a window of two pieces:
/// it touches hardly any other memory, which counts in a single call, and takes one barrier for
/// each piece, while the rows of its passes are shorter.
/// Memory  a chunk per process in the window; with several nodes another one, and what
///         radix_exchange takes. In pieces: two pieces, and in place a chunk.
/// Errors  bad_value on all processes where one has no shared memory for it, or where pieces are
///         wanted and not all processes share memory.
/// Note    elements that must be serialized travel as with sendrecv.
struct shared_window {
  /// How many processes share memory, a power of two; 0 asks MPI.
  int processes_per_node = 0;
  /// Bytes of a piece of a permutation, rounded down to a power of two; 0: the whole chunk.
  std::size_t piece_bytes = 0;
  /// How the blocks of a permutation travel between several nodes: in rounds of 2^bits messages, as
  /// radix_exchange sends them; 0: one message after the other.
  unsigned bits = 0;

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept {
    return static_cast<std::uint64_t>(processes_per_node) ^ std::uint64_t{piece_bytes} << 16 ^
           std::uint64_t{bits} << 58;
  }

  /// Of elements that no window can hold.
  void move(exchange const& e, void const* source, void* target) const;
  friend constexpr bool operator==(shared_window const&, shared_window const&) = default;
};

static_assert(MovingPolicy<shared_window>);

}  // namespace bmmc::comm
