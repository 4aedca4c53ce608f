// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/renumbered.hpp>
#include <bmmc/plan/relabel_grid.hpp>

namespace bmmc {

/// A plan whose result's processes have new numbers, so that as many elements as possible stay
/// where they are: see process_numbers. Process k then gets target.span(plan.number(k)) elements.
/// Collective: process 0 computes the numbers and sends them to all.
///     const auto plan = bmmc::relabelled_plan(comm, source, target, {1, 0});
///     std::vector<double> to(plan.target().span(plan.number(rank)));
///     bmmc::redistributor<double> move(comm, plan);
///     move(from, to);
///     const auto renamed = bmmc::relabelled_communicator(comm, plan);
/// Errors  bad_value on every process or on none: as redistributor.
template <Communicator C>
[[nodiscard]] grid_plan relabelled_plan(C const& communicator, grid_layout const& source,
                                        grid_layout const& target, axis_order const& axes) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const comm::exclusive_use use(*c);
  const auto procs = static_cast<index_t>(c->size());
  comm::objection against;
  std::optional<grid_plan> plan;
  std::vector<index_t> numbers;
  index_t hash = 0;
  against.attempt("no memory for the numbers of all processes", [&] {
    plan.emplace(source, target, axes);
    hash = plan->fingerprint();
    if (procs < plan->procs())
      detail::refuse({"a grid of ", plan->procs(), " processes does not fit on ", procs});
    numbers.resize(procs);
  });
  const std::array<comm::common_fact, 2> facts{
      {detail::function_fact("relabelled_plan"),
       {"arrays, their axes and their grids", hash, false}}};
  comm::agree(*c, against, facts);
  if (c->rank() == 0)
    against.attempt("no memory to assign numbers to processes",
                    [&] { numbers = process_numbers(*plan, procs); });
  comm::agree(*c, against);
  comm::check(MPI_Bcast(numbers.data(), c->size(), MPI_UINT64_T, 0, c->handle()), "MPI_Bcast");
  return plan->renumbered(std::move(numbers));
}

/// The communicator on which process k of a plan's result has number k of the target's grid.
/// Collective.
template <Communicator C>
[[nodiscard]] comm::unique_communicator relabelled_communicator(C const& communicator,
                                                                grid_plan const& plan) {
  const auto original = static_cast<MPI_Comm>(communicator);
  const auto own = comm::communicator::of(original);
  const comm::exclusive_use use(*own);
  int proc = 0;
  comm::check(MPI_Comm_rank(original, &proc), "MPI_Comm_rank");
  return comm::renumbered(original, static_cast<int>(plan.number(static_cast<index_t>(proc))));
}

}  // namespace bmmc
