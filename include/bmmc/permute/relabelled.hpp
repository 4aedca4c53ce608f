// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <type_traits>

#include <bmmc/comm/renumbered.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/plan/relabel.hpp>

namespace bmmc {

/// The communicator on which process r holds what layout l gives to process number r, once a
/// permuter of layout `relabelled(p, l)` has run. Collective.
template <Communicator C, Layout L>
[[nodiscard]] comm::unique_communicator relabelled_communicator(C const& communicator,
                                                                relabelled<L> const& l) {
  const auto original = static_cast<MPI_Comm>(communicator);
  const auto own = comm::communicator::of(original);
  const comm::exclusive_use use(*own);
  int procs = 1, proc = 0;
  comm::check(MPI_Comm_size(original, &procs), "MPI_Comm_size");
  comm::check(MPI_Comm_rank(original, &proc), "MPI_Comm_rank");
  const auto number = l.numbers(static_cast<index_t>(procs));
  return comm::renumbered(original, static_cast<int>(number(static_cast<index_t>(proc))));
}

/// Permutes a distributed array where the processes may get other numbers: the communicator that is
/// returned has them in the new order, and on it every process holds the chunk that the layout
/// gives its number. As many elements as any numbers allow stay where they are, N / 2^rank of them;
/// a plan of rank 0 sends nothing, and one that only renames processes copies nothing either.
/// Shape, cost, errors  as permute, and one MPI_Comm_split. Repeated? Keep a permuter:
///     const bmmc::relabelled data(p, l);
///     auto permute = make_permuter<T>(world, p, data);
///     const auto renamed = relabelled_communicator(world, data);
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
[[nodiscard]] comm::unique_communicator permute_relabelled(C const& communicator,
                                                           std::type_identity_t<std::span<T>> chunk,
                                                           permutation<N> const& p, L const& l = {},
                                                           Comm const& policy = {}) {
  const relabelled<L> target(p, l);
  permuter<T, Comm, relabelled<L>, Element> once(
      communicator, p, target, detail::for_one_call(policy), {.kind = call_kind::in_place},
      [&](plan const& made, auto&) {
        return detail::objection_to(made.chunk_elements(), std::span<T const>(chunk));
      },
      "permute_relabelled");
  auto renamed = relabelled_communicator(communicator, target);  // all have agreed by now
  once(chunk);
  return renamed;
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
[[nodiscard]] comm::unique_communicator permute_relabelled(
    C const& communicator, std::type_identity_t<std::span<T const>> from,
    std::type_identity_t<std::span<T>> to, permutation<N> const& p, L const& l = {},
    Comm const& policy = {}) {
  const relabelled<L> target(p, l);
  permuter<T, Comm, relabelled<L>, Element> once(
      communicator, p, target, detail::for_one_call(policy), {.kind = call_kind::between_spans},
      [&](plan const& made, auto&) {
        return detail::objection_to(made.chunk_elements(), from, std::span<T const>(to));
      },
      "permute_relabelled");
  auto renamed = relabelled_communicator(communicator, target);
  once(from, to);
  return renamed;
}

}  // namespace bmmc
