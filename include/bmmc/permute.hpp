// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <concepts>
#include <memory>
#include <span>
#include <type_traits>

#include <bmmc/permute/bijection.hpp>
#include <bmmc/permuter.hpp>

namespace bmmc {

namespace detail {
/// Whether a permutation in this layout has no plan, but blocks that rounds can serve: the plan
/// wants a power of two of processes.
template <class L>
[[nodiscard]] bool needs_rounds([[maybe_unused]] comm::communicator const& c) {
  if constexpr (std::same_as<L, layout::processor_major>)
    return !std::has_single_bit(static_cast<index_t>(c.size()));
  else
    return false;
}
}  // namespace detail

/// Permutes a distributed array: the element with index x goes to index A x + c.
/// Shape   each of the 2^p processes holds a chunk of 2^(n-p) elements, in place.
/// Cost    two local passes, and plan.messages() messages of plan.message_elements() elements per
///         process; one chunk of workspace, or two (see permuter). Repeated? Keep a permuter.
///         On a number of processes that is no power of two, elements in blocks (the default
///         layout) go the way of any other bijection, policy comm::pairwise: see there.
/// Errors  bad_value on every process, or on none, with no byte changed: more processes than
///         elements, a chunk of the wrong length, a layout that does not fit the processes,
///         processes that disagree. transport_error where MPI fails.
/// Source  Cormen 1997.
template <class T, class Comm = comm::sendrecv, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
             permutation<N> const& p, L const& l = {}, Comm const& policy = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if (detail::needs_rounds<L>(*c))
    return detail::permute_any<T, comm::pairwise, Element>(c, std::span<T const>(chunk), chunk,
                                                           true, p);
  permuter<T, Comm, L, Element> once(
      communicator, p, l, policy, {}, calls::in_place,
      [&](index_t elements) { return detail::objection_to(elements, std::span<T const>(chunk)); });
  once(chunk);
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::sendrecv, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
void permute(C const& communicator, std::type_identity_t<std::span<T const>> source,
             std::type_identity_t<std::span<T>> target, permutation<N> const& p, L const& l = {},
             Comm const& policy = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if (detail::needs_rounds<L>(*c))
    return detail::permute_any<T, comm::pairwise, Element>(c, source, target, false, p);
  permuter<T, Comm, L, Element> once(
      communicator, p, l, policy, {}, calls::between_spans, [&](index_t elements) {
        return detail::objection_to(elements, source, std::span<T const>(target));
      });
  once(source, target);
}

}  // namespace bmmc
