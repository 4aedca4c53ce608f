// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/node.hpp>
#include <bmmc/comm/renumbered.hpp>
#include <bmmc/plan/coset_plan.hpp>

// The processes that have elements of a coset to move, among those of a communicator.

namespace bmmc::detail {

/// This process's number among them, as in the plan; and whether it is one of them.
[[nodiscard]] inline index_t number_in(coset_plan const& p, comm::communicator const& c) noexcept {
  return p.number(static_cast<index_t>(c.rank()));
}
[[nodiscard]] inline bool is_active(coset_plan const& p, comm::communicator const& c) {
  return !p.is_identity() && p.is_active(static_cast<index_t>(c.rank()));
}

/// Collective among all. They alone, numbered as in the plan; the others get none.
[[nodiscard]] inline std::shared_ptr<comm::communicator const> active_processes(
    coset_plan const& p, std::shared_ptr<comm::communicator const> const& c) {
  if (p.is_on_all()) return c;
  MPI_Comm some = MPI_COMM_NULL;
  const int color = is_active(p, *c) ? 0 : MPI_UNDEFINED;
  comm::check(MPI_Comm_split(c->handle(), color, static_cast<int>(number_in(p, *c)), &some),
              "MPI_Comm_split");
  if (some == MPI_COMM_NULL) return nullptr;
  const comm::unique_communicator owned(some);
  return comm::communicator::of(owned);
}

/// Collective among all. work() is collective among the active processes, and refuses on all of
/// them or on none; then all processes throw that. The one that objects is called by its number
/// among all.
template <class Work>
void for_active(coset_plan const& p, comm::communicator const& c, Work work) {
  if (p.is_on_all()) return work();
  comm::objection against;
  try {
    if (is_active(p, c)) work();
  } catch (comm::detail::refusal const& common) {
    if (number_in(p, c) == static_cast<index_t>(common.process)) against = common.text;
  } catch (bad_value const& common) {
    against.raise(common.what());
  }
  comm::agree(c, against);
}

/// A policy among the active processes. Those on one node are on one node there, too.
template <class Comm>
[[nodiscard]] Comm policy_of_active(coset_plan const& p, comm::communicator const& c, Comm policy) {
  if constexpr (requires { policy.processes_per_node = 1; })
    if (policy.processes_per_node > 0) {
      const unsigned bits = comm::node::bits_of(policy.processes_per_node, c.size());
      policy.processes_per_node = 1 << p.node_bits(bits);
    }
  return policy;
}

}  // namespace bmmc::detail
