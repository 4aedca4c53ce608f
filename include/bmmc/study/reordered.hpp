// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <boost/mpi/communicator.hpp>
#include <span>
#include <string>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/study/contention.hpp>

namespace bmmc {

namespace detail {

/// What is wrong with a list of nodes for all of `procs` processes; nothing where all is well.
inline std::string objection_to_nodes(std::span<index_t const> node_of, index_t procs) {
  if (node_of.size() != procs)
    return "a mapping of " + std::to_string(node_of.size()) + " processes does not fit " +
           std::to_string(procs);
  try {
    network::detail::require_places(procs, {}, node_of);
  } catch (bad_value const& objection) {
    return objection.what();
  }
  return {};
}

/// The caller's error handler, which a communicator made from our duplicate has not.
inline void inherit_error_handler(MPI_Comm from, MPI_Comm to) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  comm::check(MPI_Comm_get_errhandler(from, &handler), "MPI_Comm_get_errhandler");
  comm::check(MPI_Comm_set_errhandler(to, handler), "MPI_Comm_set_errhandler");
  comm::check(MPI_Errhandler_free(&handler), "MPI_Errhandler_free");
}

/// Splits off a communicator, unless some process has an objection of its own or to its list.
inline boost::mpi::communicator renumbered(MPI_Comm original, std::span<index_t const> node_of,
                                           std::string objection = {}) {
  const auto c = comm::communicator::of(original);
  const auto procs = static_cast<index_t>(c->size());
  index_t places = 0;
  for (const index_t node : node_of) places = places * 0x100000001b3U ^ node;
  const std::array<comm::common_fact, 2> facts{
      {function_fact("reordered"), {"places of the processes", places, false}}};
  if (objection.empty()) objection = objection_to_nodes(node_of, procs);
  comm::agree(*c, objection, facts);
  int number = 0;
  while (node_of[static_cast<std::size_t>(number)] != static_cast<index_t>(c->rank())) ++number;
  MPI_Comm made = MPI_COMM_NULL;
  comm::check(MPI_Comm_split(c->handle(), 0, number, &made), "MPI_Comm_split");
  boost::mpi::communicator owner(made, boost::mpi::comm_take_ownership);
  inherit_error_handler(original, made);
  return owner;
}

}  // namespace detail

/// A communicator of the same processes with other numbers: its process k is process node_of[k] of
/// `communicator`, where process k of a mapping should stand. No data moves: build arrays and
/// permuters on the new communicator, and their messages take the routes that the mapping chose.
/// Process numbers of `communicator` must be the nodes of the network, as its launcher has them.
/// Collective. Costs an agreement and an MPI_Comm_split.
/// Errors  bad_value on every process, or on none: another number of processes, a number taken
///         twice, processes that disagree. transport_error where MPI fails.
/// Source  Hou et al. 2001, section 3 (figure 1 d): node_of is to_physical.
template <Communicator C>
[[nodiscard]] boost::mpi::communicator reordered(C const& communicator,
                                                 std::span<index_t const> node_of) {
  return detail::renumbered(static_cast<MPI_Comm>(communicator), node_of);
}

/// The same for 2^p processes and a permutation of their numbers: process k stands on q(k).
template <Communicator C, unsigned B>
[[nodiscard]] boost::mpi::communicator reordered(C const& communicator, permutation<B> const& q) {
  const auto original = static_cast<MPI_Comm>(communicator);
  const int procs = comm::communicator::of(original)->size();
  if (bit(q.bits()) == static_cast<index_t>(procs))
    return detail::renumbered(original, network::in_place(q));
  return detail::renumbered(original, {},
                            "a mapping of 2^" + std::to_string(q.bits()) +
                                " processes does not fit " + std::to_string(procs));
}

}  // namespace bmmc
