// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <bmmc/comm/cost_model.hpp>
#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// Chooses the policy: by the plan, the bytes, the processes, the nodes, and what moving data costs
/// here. That is given by the user, or measured: 10 to 40 ms for the first communicator of a kind
/// (processes, and processes of a node), which a process remembers for all others of it.
/// explain() tells what was chosen and why. The default of permute(), gather() and reduce().
/// Elements that must be serialized travel as with sendrecv.
struct automatic {
  /// Costs to use in place of measured ones.
  std::optional<cost_model> costs{};
  /// How often the permuter will be called: a window is dear to make. permute() says 1.
  double expected_calls = 1e9;

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept {
    std::uint64_t hash = std::bit_cast<std::uint64_t>(expected_calls);
    if (costs)
      for (const double cost : costs->figures())
        hash = (hash ^ std::bit_cast<std::uint64_t>(cost)) * 0x100000001b3U;
    return hash;
  }
  [[nodiscard]] automatic for_one_call() const { return {costs, 1}; }
  /// Whether ways are tried in the first calls: where nothing is given and enough calls follow.
  [[nodiscard]] bool is_tried() const noexcept { return !costs && expected_calls >= 100; }

  /// Of elements among whose ways there is no choice.
  void move(exchange const& e, void const* source, void* target) const;
  friend bool operator==(automatic const&, automatic const&) = default;
};

/// The same for permute() within a budget of memory. Any budget will do, for every permutation:
/// with less than a chunk the data is permuted in place, by passes that exchange pairs of lines,
/// and travels in small pieces. A policy of its own, because that costs time to compile.
struct within_budget {
  /// Bytes that a permuter may take besides the data, MPI's own buffers of up to 2 MiB apart.
  std::size_t bytes = 0;
  /// As in automatic.
  std::optional<cost_model> costs{};
  double expected_calls = 1e9;

  within_budget() = default;
  explicit within_budget(std::size_t budget) : bytes(budget) {}

  [[nodiscard]] automatic choice() const { return {costs, expected_calls}; }
  [[nodiscard]] std::uint64_t settings() const noexcept { return choice().settings() ^ bytes; }
  [[nodiscard]] within_budget for_one_call() const {
    auto once = *this;
    once.expected_calls = 1;
    return once;
  }

  void move(exchange const& e, void const* source, void* target) const {
    choice().move(e, source, target);
  }
  friend bool operator==(within_budget const&, within_budget const&) = default;
};

static_assert(MovingPolicy<automatic> && MovingPolicy<within_budget>);

/// Policies that gather and reduce take: a map's memory follows from its plan, so that there is no
/// budget to keep to.
template <class P>
concept MapPolicy = MovingPolicy<P> && !std::derived_from<P, within_budget>;

/// Says of a policy what a map has against it.
template <class P>
consteval bool requires_map_policy() {
  static_assert(!ReplacingPolicy<P> || MovingPolicy<P>,
                "a map has no array in which blocks are replaced: source and target are two, and "
                "many may read a block. comm::sendrecv exchanges pairs from one to the other");
  static_assert(!std::derived_from<P, within_budget>,
                "a map's memory follows from its plan, whatever the policy: see gatherer and "
                "reducer. There is no budget to keep to");
  static_assert(Policy<P>, "Comm must be a policy with move(): see bmmc/comm/policy.hpp");
  return true;
}

}  // namespace bmmc::comm
