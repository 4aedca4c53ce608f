// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include <bmmc/index/affine_map.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// A permutation as one of the maps that need not be onto.
template <unsigned N>
[[nodiscard]] constexpr affine_map as_map(permutation<N> const& p) {
  return {p.matrix(), p.complement()};
}

/// Forgets `count` bits from bit `first` on: n bits to n - count; the others close the gap.
/// gather by it repeats along those bits, reduce by it sums over them.
/// Throws bad_value where there are no such bits.
[[nodiscard]] constexpr affine_map drop_bits(unsigned n, unsigned first, unsigned count) {
  if (n > most_bits || first > n || count > n - first)
    detail::refuse(
        {"bits ", first, " .. ", first, " + ", count, " - 1 are no part of ", n, " bits"});
  bit_matrix<> a(n - count, n);
  for (unsigned j = 0; j < n; ++j)
    a.column[j] = j < first ? bit(j) : j < first + count ? 0 : bit(j - count);
  return {a, 0};
}

/// The same for some axes of a row-major array with 2^lg_extents[k] elements along axis k, the last
/// axis running fastest: the index without its coordinates along `axes`.
/// Throws bad_value for an axis that is not there, and for more than 63 bits.
[[nodiscard]] constexpr affine_map drop_axes(std::span<unsigned const> lg_extents,
                                             std::span<unsigned const> axes) {
  unsigned n = 0;
  for (const unsigned extent : lg_extents) {
    if (extent > most_bits - n) throw bad_value("the axes have more than 2^63 elements");
    n += extent;
  }
  for (const unsigned axis : axes)
    if (axis >= lg_extents.size())
      detail::refuse({"there is no axis ", axis, " among ", lg_extents.size()});
  bit_matrix<> a(n, n);
  unsigned from = 0, to = 0;
  for (std::size_t k = lg_extents.size(); k-- > 0; from += lg_extents[k]) {
    bool kept = true;
    for (const unsigned axis : axes) kept = kept && axis != k;
    for (unsigned j = 0; kept && j < lg_extents[k]; ++j) a.column[from + j] = bit(to++);
  }
  a.row_count = to;
  return {a, 0};
}
[[nodiscard]] constexpr affine_map drop_axes(std::initializer_list<unsigned> lg_extents,
                                             std::initializer_list<unsigned> axes) {
  return drop_axes(std::span(lg_extents), std::span(axes));
}

}  // namespace bmmc
