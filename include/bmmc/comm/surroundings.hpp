// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/cost_model.hpp>
#include <bmmc/comm/window.hpp>

namespace bmmc::comm {

/// What moving data costs, as this process has measured it on communicators of each kind: those of
/// so many processes, so many of them on a node. Communicators of one kind have the same costs.
class known_costs {
 public:
  [[nodiscard]] static std::optional<cost_model> of(int processes, int on_a_node);
  /// In place of what was known of this kind, or of the kind that was added first.
  static void add(int processes, int on_a_node, cost_model const& costs);

 private:
  struct list;
};

/// A communicator's surroundings: its nodes, and what moving data costs.
class surroundings {
 public:
  /// Collective at the first call for a communicator. Measures nothing.
  [[nodiscard]] static std::shared_ptr<surroundings const> of(communicator const& c);

  /// The nodes that a policy asks for: of so many processes each, or, where that is 0, those of the
  /// surroundings. So all windows of a communicator share its node's communicator of MPI, of which
  /// there may be 2048 in all (MPICH). Collective.
  [[nodiscard]] static std::shared_ptr<comm::node const> node_of(communicator const& c,
                                                                 int processes);

  surroundings();

  [[nodiscard]] std::shared_ptr<comm::node const> const& node() const noexcept { return node_; }
  /// All processes as one node, whatever their number; null where they do not share memory.
  [[nodiscard]] std::shared_ptr<comm::node const> const& all() const noexcept { return all_; }
  /// The same figures on all processes: those of the slowest. Collective at the first call for a
  /// communicator: one reduction, or milliseconds where a process has seen none of this kind.
  [[nodiscard]] cost_model const& costs(communicator const& c) const;

  /// What permuters have found out: the number of the way that was the fastest for what `key`
  /// tells. The last ones; the same on all processes, since they find it out together.
  [[nodiscard]] std::optional<unsigned> fastest(std::uint64_t key) const noexcept;
  void remember(std::uint64_t key, unsigned way) const;

 private:
  static constexpr int probe_bytes = 1 << 20;
  static constexpr int repetitions = 5;

  /// The least time of some repetitions, after one that is not counted.
  static double seconds(auto const& work);

  static void take_slowest(communicator const& c, cost_model& m);

  [[nodiscard]] cost_model measured(communicator const& c) const;

  static constexpr int together = 8;
  static void send_together(communicator const& c, int partner, std::vector<char>& from,
                            std::vector<char>& to);

  static constexpr double never = 1e9;
  static constexpr std::size_t most_trials = 256;

  std::shared_ptr<comm::node const> node_, all_;
  mutable std::optional<cost_model> costs_;
  mutable std::vector<std::pair<std::uint64_t, unsigned>> trials_;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/surroundings_once.hpp>
#endif
