// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include <bmmc/comm/cost_model.hpp>
#include <bmmc/comm/sendrecv.hpp>

namespace bmmc::comm {

/// Chooses the policy: by the plan, the bytes, the processes, the nodes, and what moving data costs
/// here. That is measured once for each communicator, in some milliseconds, or given by the user.
/// explain() of a permuter tells what was chosen and why. The default of permute() and permuter.
/// Elements that must be serialized travel as with sendrecv.
struct automatic : sendrecv {
  /// Costs to reckon with in place of measured ones.
  std::optional<cost_model> costs{};
  /// How often the permuter will be called: a window is dear to make. permute() says 1.
  double calls = 1e9;

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(calls);
    if (costs)
      for (const double cost : costs->figures())
        hash = (hash ^ std::bit_cast<std::uint64_t>(cost)) * 0x100000001b3U;
    return hash;
  }
};

/// The same within a budget of memory. Any budget will do, for every permutation: with less than a
/// chunk the data is permuted in place, by passes that exchange pairs of lines, and travels in
/// small pieces. A policy of its own, because that costs time to compile.
struct within_budget : automatic {
  /// Bytes that a permuter may take besides the data, MPI's own buffers of up to 2 MiB apart.
  std::size_t bytes = 0;

  within_budget() = default;
  explicit within_budget(std::size_t budget) : bytes(budget) {}

  [[nodiscard]] std::uint64_t settings() const noexcept { return automatic::settings() ^ bytes; }
};

}  // namespace bmmc::comm
