// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <span>

#include <bmmc/index/digit_algebra.hpp>

namespace bmmc {

/// Transposes a row-major matrix of 2^lg_rows x 2^lg_cols elements.
/// Source  Cormen 1997, appendix C; the block labels of its matrix are exchanged, which matters
///         where the two sizes differ.
[[nodiscard]] constexpr permutation<> transpose(unsigned lg_rows, unsigned lg_cols) {
  return rotate_bits(lg_rows + lg_cols, lg_rows);
}
template <unsigned LgRows, unsigned LgCols>
[[nodiscard]] constexpr permutation<LgRows + LgCols> transpose() {
  return permutation<LgRows + LgCols>(transpose(LgRows, LgCols));
}

/// Permutes the axes of an array of powers of two: axis k of the result is axis axes[k] of the
/// source (as in numpy). Throws bad_value unless `axes` names each axis once.
[[nodiscard]] constexpr permutation<> axis_permutation(lg_extents const& source,
                                                       axis_order const& axes) {
  detail::require_axes(source.order(), axes);
  std::array<unsigned, most_bits> target_of{};
  unsigned n = 0;
  for (unsigned k = axes.size(); k-- > 0;) {  // from the fastest axis of the result
    unsigned first = 0;                       // the lowest bit of source axis axes[k]
    for (unsigned faster = axes[k] + 1; faster < source.order(); ++faster) first += source[faster];
    for (unsigned j = 0; j < source[axes[k]]; ++j, ++n) target_of[first + j] = n;
  }
  return bit_permutation(std::span<unsigned const>(target_of.data(), n));
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> axis_permutation(lg_extents const& source,
                                                        axis_order const& axes) {
  return permutation<N>(axis_permutation(source, axes));
}

/// The same for any extents.
[[nodiscard]] constexpr digit_permutation axis_permutation(extents const& source,
                                                           axis_order const& axes) {
  return {source, axes};
}
/// Reverses an axis of an array of any extents: position x becomes N - 1 - x.
[[nodiscard]] constexpr digit_permutation axis_reversal(extents const& source, unsigned axis) {
  detail::require_axis(source.order(), axis);
  return identity_permutation(source).with(axis, detail::reversal_of(source[axis]));
}
/// Shifts an axis cyclically: position x becomes x + by modulo N.
[[nodiscard]] constexpr digit_permutation axis_shift(extents const& source, unsigned axis,
                                                     index_t by) {
  detail::require_axis(source.order(), axis);
  return identity_permutation(source).with(axis, {source[axis], 1, by});
}
/// Spreads an axis: position x becomes q x + r modulo N. Throws bad_value where q and N have a
/// common factor.
[[nodiscard]] constexpr digit_permutation axis_stride(extents const& source, unsigned axis,
                                                      index_t q, index_t r = 0) {
  detail::require_axis(source.order(), axis);
  return identity_permutation(source).with(axis, {source[axis], q, r});
}

}  // namespace bmmc
