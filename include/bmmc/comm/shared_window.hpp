// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// Processes of one node write into a window that all of them see: one tiled pass puts every
/// element where it belongs, and a copy brings it home; there are no messages. With a shared_vector
/// the copy is not needed either. Between several nodes messages go from node to node, one for each
/// pair of nodes and step, so fewer and larger ones than between processes.
/// Memory  a chunk per process in the window; twice that with several nodes.
/// Errors  bad_value on all processes where one has no shared memory for it.
/// Note    elements that must be serialized travel as with sendrecv.
struct shared_window {
  /// How many processes share memory, a power of two; 0 asks MPI.
  int processes_per_node = 0;

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept {
    return static_cast<std::uint64_t>(processes_per_node);
  }

  /// Of elements that no window can hold.
  void move(exchange const& e, void const* source, void* target) const;
  friend constexpr bool operator==(shared_window, shared_window) = default;
};

static_assert(MovingPolicy<shared_window>);

}  // namespace bmmc::comm
