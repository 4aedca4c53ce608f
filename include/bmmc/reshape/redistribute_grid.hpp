// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/reshape/redistributor.hpp>

namespace bmmc {

/// Transposes an array of any extents while it goes from one grid of processes to another, from a
/// span, which stays as it is, to one that does not overlap it: axis k of the target is axis
/// axes[k] of the source, as in numpy.
/// Shape   process k gives source.count(k) elements and gets target.count(k); with rows apart, the
///         spans hold source.span(k) and target.span(k) at least.
/// Cost    what changes its process is sent once; a strided pass over what is sent and one over
///         what is received. Repeated? Keep what make_transposer returns.
/// Errors  bad_value on every process or on none, with nothing changed: extents that do not fit,
///         a grid larger than the communicator, spans of other lengths, other descriptions on one
///         process.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void transpose(C const& communicator, std::type_identity_t<std::span<T const>> from,
               std::type_identity_t<std::span<T>> to, grid_layout const& source,
               grid_layout const& target, axis_order const& axes, Comm const& policy = {}) {
  using once = redistributor<T, Comm, Element>;
  once(
      communicator, [&] { return grid_plan(source, target, axes); }, detail::for_one_call(policy),
      call_kind::between_spans,
      [&](grid_plan const& p, index_t proc) {
        return once::objection_to(p, proc, from, std::span<T const>(to));
      },
      "redistribute or transpose")(from, to);
}

/// The same in place: the chunk is as long as the longer one of before and afterwards, of which the
/// elements take the first part.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void transpose(C const& communicator, std::type_identity_t<std::span<T>> chunk,
               grid_layout const& source, grid_layout const& target, axis_order const& axes,
               Comm const& policy = {}) {
  using once = redistributor<T, Comm, Element>;
  once(
      communicator, [&] { return grid_plan(source, target, axes); }, detail::for_one_call(policy),
      call_kind::in_place,
      [&](grid_plan const& p, index_t proc) {
        return once::objection_to(p, proc, std::span<T const>(chunk));
      },
      "redistribute or transpose")(chunk);
}

/// Brings an array of any extents from one grid of processes to another. Every element keeps its
/// index. Otherwise as transpose.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void redistribute(C const& communicator, std::type_identity_t<std::span<T const>> from,
                  std::type_identity_t<std::span<T>> to, grid_layout const& source,
                  grid_layout const& target, Comm const& policy = {}) {
  transpose<T, Comm, Element>(communicator, from, to, source, target,
                              axis_order::unchanged(source.order()), policy);
}
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void redistribute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
                  grid_layout const& source, grid_layout const& target, Comm const& policy = {}) {
  transpose<T, Comm, Element>(communicator, chunk, source, target,
                              axis_order::unchanged(source.order()), policy);
}

/// A redistributor, built once and called often, for arrays that keep their axes.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
[[nodiscard]] redistributor<T, Comm, Element> make_redistributor(C const& communicator,
                                                                 grid_layout const& source,
                                                                 grid_layout const& target,
                                                                 Comm const& policy = {},
                                                                 call_kind kind = call_kind::any) {
  return {communicator, source, target, axis_order::unchanged(source.order()), policy, kind};
}
/// The same where the axes are permuted: axis k of the target is axis axes[k] of the source.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
[[nodiscard]] redistributor<T, Comm, Element> make_transposer(
    C const& communicator, grid_layout const& source, grid_layout const& target,
    axis_order const& axes, Comm const& policy = {}, call_kind kind = call_kind::any) {
  return {communicator, source, target, axes, policy, kind};
}

}  // namespace bmmc
