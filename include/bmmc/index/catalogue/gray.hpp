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

/// The code change that splits an axis: from one Gray code of high + low bits to a Gray code of the
/// high bits over one of the low bits, as addresses. It changes bit low - 1 alone, by the sum of
/// all the bits above it, so it is one conditional exchange. Nothing changes where one part is
/// empty.
/// Source  Edelman, Heller, Johnsson 1994, section 4 and corollary 4.1; Johnsson and Ho 1990, lemma
///         2.
[[nodiscard]] constexpr permutation<> gray_split(unsigned high, unsigned low) {
  auto a = identity_matrix(high + low);
  for (unsigned j = low; low != 0 && j < high + low; ++j) a.column[j] |= bit(low - 1);
  return permutation<>{a};
}
template <unsigned High, unsigned Low>
[[nodiscard]] constexpr permutation<High + Low> gray_split() {
  return permutation<High + Low>(gray_split(High, Low));
}

/// The inverse: merges two Gray coded axes into one. The split undoes itself, so both are one map.
/// Source  as gray_split. Corollary 4.2 of Edelman et al., as we reconstruct it ("any permutation
///         of the dimensions"), is about the order: all code changes are triangular, so their
///         exchanges can be done in any.
[[nodiscard]] constexpr permutation<> gray_merge(unsigned high, unsigned low) {
  return gray_split(high, low);
}
template <unsigned High, unsigned Low>
[[nodiscard]] constexpr permutation<High + Low> gray_merge() {
  return gray_split<High, Low>();
}

}  // namespace bmmc
