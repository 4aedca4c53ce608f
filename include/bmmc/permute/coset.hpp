// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <type_traits>

#include <bmmc/permute/coset_permuter.hpp>

namespace bmmc {

/// Permutes the elements of a coset of a distributed array: the element with index x goes to c(x).
/// Shape   each of the 2^p processes holds a chunk of 2^(n-p) elements, in place.
/// Cost    with k conditions at most a 2^-k part of the data is read, written and sent; building is
///         collective on all processes. Repeated? Keep a coset_permuter.
/// Errors  as permute of a permutation; bad_value on all processes for two different layouts.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
             coset_permutation const& c, L const& l = {}, Comm const& policy = {}) {
  coset_permuter<T, Comm, L, Element> once(
      communicator, c, l, detail::for_one_call(policy), {.kind = call_kind::in_place},
      [&](index_t elements) { return detail::objection_to(elements, std::span<T const>(chunk)); });
  once(chunk);
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
void permute(C const& communicator, std::type_identity_t<std::span<T const>> source,
             std::type_identity_t<std::span<T>> target, coset_permutation const& c, L const& l = {},
             Comm const& policy = {}) {
  coset_permuter<T, Comm, L, Element> once(
      communicator, c, l, detail::for_one_call(policy), {.kind = call_kind::between_spans},
      [&](index_t elements) {
        return detail::objection_to(elements, source, std::span<T const>(target));
      });
  once(source, target);
}

/// The same with the element type of the chunk, which need not be named: permute(world, chunk, c).
template <detail::Chunk Chunk, Communicator C, class L = layout::processor_major,
          class Comm = comm::automatic>
void permute(C const& communicator, Chunk&& chunk, coset_permutation const& c, L const& l = {},
             Comm const& policy = {}) {
  permute<detail::element_of<Chunk>, Comm, L>(communicator, std::span(chunk), c, l, policy);
}
template <detail::Chunk Source, detail::Chunk Target, Communicator C,
          class L = layout::processor_major, class Comm = comm::automatic>
void permute(C const& communicator, Source const& source, Target&& target,
             coset_permutation const& c, L const& l = {}, Comm const& policy = {}) {
  permute<detail::element_of<Target>, Comm, L>(communicator, std::span(source), std::span(target),
                                               c, l, policy);
}

}  // namespace bmmc
