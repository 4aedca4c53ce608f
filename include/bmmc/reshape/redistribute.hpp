// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/catalogue/axes.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/reshape/reshape.hpp>

namespace bmmc {

/// Brings a distributed array from one description to another, in place: other axes, codes, blocks
/// or processes. Every element keeps its index.
/// Shape   each of the 2^p processes holds a chunk of 2^(n-p) elements.
/// Cost    as permute. Repeated? Keep what make_redistributor returns.
/// Errors  as permute: bad_value on every process or on none, where the arrays do not fit each
///         other or the processes, say.
/// Source  Johnsson and Ho 1990, carried out as Cormen 1997 does.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void redistribute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
                  array_layout const& source, array_layout const& target, Comm const& policy = {}) {
  permute<T, Comm, layout::between<array_layout, array_layout>, Element>(
      communicator, chunk, identity_permutation(source.bits()), {source, target}, policy);
}

/// The same from a span, which stays as it is, to another that does not overlap it.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void redistribute(C const& communicator, std::type_identity_t<std::span<T const>> from,
                  std::type_identity_t<std::span<T>> to, array_layout const& source,
                  array_layout const& target, Comm const& policy = {}) {
  permute<T, Comm, layout::between<array_layout, array_layout>, Element>(
      communicator, from, to, identity_permutation(source.bits()), {source, target}, policy);
}

/// A permuter that redistributes: build it once, call it often with other data.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
[[nodiscard]] auto make_redistributor(C const& communicator, array_layout const& source,
                                      array_layout const& target, Comm const& policy = {},
                                      permuter_options<T> const& options = {}) {
  return make_permuter<T, Comm, layout::between<array_layout, array_layout>, Element>(
      communicator, identity_permutation(source.bits()), {source, target}, policy, options);
}

/// The layout of a transposed array, on the indices of the source: axis k of the target is axis
/// axes[k] of the source, as in numpy.
struct transposed_layout {
  array_layout source{}, target{};
  dimension_order axes{};

  /// Throws bad_value unless the target's extents are the source's, permuted so.
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    dimension_order lg;
    for (axis const& each : source.axes()) lg.push_back(each.bits);
    const auto move = axis_permutation(lg_extents(std::span(lg.data(), lg.size())),
                                       axis_order(std::span(axes.data(), axes.size())));
    bool fits = target.axes().size() == axes.size();
    for (unsigned k = 0; fits && k < axes.size(); ++k)
      fits = target.axes()[k].bits == source.axes()[axes[k]].bits;
    if (!fits) throw bad_value("the target array is not the source array with its axes permuted");
    return compose(target.physical(n, p), move);
  }
  friend constexpr bool operator==(transposed_layout const&, transposed_layout const&) = default;
};
static_assert(Layout<transposed_layout>);

/// Transposes a distributed array of any order while it is redistributed, in place: axis k of the
/// target is axis axes[k] of the source.
/// Errors  as redistribute; also where the target's extents are not the source's, permuted so.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void transpose(C const& communicator, std::type_identity_t<std::span<T>> chunk,
               array_layout const& source, array_layout const& target, dimension_order const& axes,
               Comm const& policy = {}) {
  permute<T, Comm, layout::between<array_layout, transposed_layout>, Element>(
      communicator, chunk, identity_permutation(source.bits()), {source, {source, target, axes}},
      policy);
}

/// The same from a span, which stays as it is, to another that does not overlap it.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>,
          Communicator C>
void transpose(C const& communicator, std::type_identity_t<std::span<T const>> from,
               std::type_identity_t<std::span<T>> to, array_layout const& source,
               array_layout const& target, dimension_order const& axes, Comm const& policy = {}) {
  permute<T, Comm, layout::between<array_layout, transposed_layout>, Element>(
      communicator, from, to, identity_permutation(source.bits()), {source, {source, target, axes}},
      policy);
}

}  // namespace bmmc
