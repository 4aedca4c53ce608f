// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>

#include <bmmc/index/catalogue/bits.hpp>

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

/// Permutes the axes of a row-major array with 2^lg_extents[k] elements along axis k, the last
/// axis running fastest: axis k of the result is axis axes[k] of the source (as in numpy).
/// Throws bad_value unless `axes` holds each axis once.
[[nodiscard]] constexpr permutation<> axis_permutation(std::span<unsigned const> lg_extents,
                                                       std::span<unsigned const> axes) {
  const std::size_t order = lg_extents.size();
  if (axes.size() != order)
    throw bad_value(detail::text(
        {"an array of ", order, " axes cannot have ", axes.size(), " of them permuted"}));
  std::array<unsigned, most_bits> target_of{};
  unsigned n = 0;
  for (std::size_t k = order; k-- > 0;) {  // from the fastest axis of the result
    if (axes[k] >= order)
      throw bad_value(detail::text({"there is no axis ", axes[k], " among ", order}));
    unsigned first = 0;  // the lowest bit of source axis axes[k]
    for (std::size_t faster = axes[k] + 1; faster < order; ++faster) first += lg_extents[faster];
    for (unsigned j = 0; j < lg_extents[axes[k]]; ++j, ++n) {
      if (n >= most_bits || first + j >= most_bits)
        throw bad_value(
            "the axes have more than 2^63 elements (an extent of 2^k is passed as k, 1024 as 10), "
            "or one "
            "axis stands twice");
      target_of[first + j] = n;
    }
  }
  return bit_permutation(std::span<unsigned const>(target_of.data(), n));
}
template <unsigned N, std::size_t Order>
[[nodiscard]] constexpr permutation<N> axis_permutation(
    std::array<unsigned, Order> const& lg_extents, std::array<unsigned, Order> const& axes) {
  return permutation<N>(
      axis_permutation(std::span<unsigned const>(lg_extents), std::span<unsigned const>(axes)));
}
/// The same written with braces: axis_permutation<21>({6, 7, 8}, {2, 0, 1}).
template <unsigned N, std::size_t Order>
[[nodiscard]] constexpr permutation<N> axis_permutation(unsigned const (&lg_extents)[Order],
                                                        unsigned const (&axes)[Order]) {
  return permutation<N>(
      axis_permutation(std::span<unsigned const>(lg_extents), std::span<unsigned const>(axes)));
}
[[nodiscard]] constexpr permutation<> axis_permutation(std::initializer_list<unsigned> lg_extents,
                                                       std::initializer_list<unsigned> axes) {
  return axis_permutation(std::span<unsigned const>(lg_extents.begin(), lg_extents.size()),
                          std::span<unsigned const>(axes.begin(), axes.size()));
}

}  // namespace bmmc
