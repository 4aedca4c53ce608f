// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// The binary reflected Gray code y = x ^ (x >> 1): neighbours in x differ in one bit of y.
/// Source  Cormen 1997, appendix C, equation (6).
[[nodiscard]] constexpr permutation<> gray_encode(unsigned n) {
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = bit(j) | (j == 0 ? 0 : bit(j - 1));
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> gray_encode() {
  return permutation<N>(gray_encode(N));
}

/// The inverse: bit i of y is the sum of the bits i, i+1, ... of x.
[[nodiscard]] constexpr permutation<> gray_decode(unsigned n) {
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = low_bits(j + 1);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> gray_decode() {
  return permutation<N>(gray_decode(N));
}

}  // namespace bmmc
