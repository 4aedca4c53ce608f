// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <span>
#include <type_traits>

#include <bmmc/permute/one_call.hpp>
#include <bmmc/permuter.hpp>

namespace bmmc {

/// Permutes a distributed array: the element with index x goes to index A x + c.
/// Shape   each of the 2^p processes holds a chunk of 2^(n-p) elements, in place.
/// Cost    two local passes, and plan.messages() messages of plan.message_elements() elements per
///         process; one chunk of workspace, or two (see permuter). The permuter and its workspace
///         stay on the communicator for the next calls, within limits (see limit_calls): a call
///         that repeats costs one MPI_Allreduce of 168 bytes more than a permuter that is kept.
/// Errors  bad_value on every process, or on none, with no byte changed: processes not a power of
///         two or more than elements, a chunk of the wrong length, a layout that does not fit,
///         processes that disagree. transport_error where MPI fails.
/// Source  Cormen 1997.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
             permutation<N> const& p, L const& l = {}, Comm const& policy = {}) {
  detail::one_call<T, Comm, L, Element>(static_cast<MPI_Comm>(communicator), p, l, policy,
                                        std::nullopt, chunk)
      .carry_out();
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
void permute(C const& communicator, std::type_identity_t<std::span<T const>> source,
             std::type_identity_t<std::span<T>> target, permutation<N> const& p, L const& l = {},
             Comm const& policy = {}) {
  detail::one_call<T, Comm, L, Element>(static_cast<MPI_Comm>(communicator), p, l, policy, source,
                                        target)
      .carry_out();
}

/// The same with the element type of the chunk, which need not be named: permute(world, chunk, p).
template <detail::Chunk Chunk, Communicator C, unsigned N, class L = layout::processor_major,
          class Comm = comm::automatic>
void permute(C const& communicator, Chunk&& chunk, permutation<N> const& p, L const& l = {},
             Comm const& policy = {}) {
  permute<detail::element_of<Chunk>, Comm, L>(communicator, std::span(chunk), p, l, policy);
}
template <detail::Chunk Source, detail::Chunk Target, Communicator C, unsigned N,
          class L = layout::processor_major, class Comm = comm::automatic>
void permute(C const& communicator, Source const& source, Target&& target, permutation<N> const& p,
             L const& l = {}, Comm const& policy = {}) {
  permute<detail::element_of<Target>, Comm, L>(communicator, std::span(source), std::span(target),
                                               p, l, policy);
}

/// No array, no permutation: a sentence instead of a list of candidates.
template <detail::ScatteredRange Chunk, Communicator C, class... Rest>
void permute(C const&, Chunk&&, Rest const&...) {
  static_assert(
      detail::Chunk<Chunk>,
      "permute needs an array in consecutive memory: std::vector (not of bool: take char), "
      "std::array, std::span");
}

}  // namespace bmmc
