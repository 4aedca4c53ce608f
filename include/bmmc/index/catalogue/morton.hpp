// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// From row-major order to Morton (Z) order of a square (2 dimensions) or cube (3, or any number):
/// bit k of the fastest axis goes to bit k * dimensions, of the next axis to the bit above it.
/// Throws bad_value unless the dimensions divide n.
[[nodiscard]] constexpr permutation<> morton_encode(unsigned n, unsigned dimensions = 2) {
  if (dimensions == 0 || n % dimensions != 0)
    detail::refuse({"Morton order of ", dimensions,
                    " dimensions needs "
                    "equal axes, which ",
                    n, " bits do not give"});
  const unsigned side = n / dimensions;
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = bit(j % side * dimensions + j / side);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> morton_encode(unsigned dimensions = 2) {
  return permutation<N>(morton_encode(N, dimensions));
}

/// From Morton order to row-major order.
[[nodiscard]] constexpr permutation<> morton_decode(unsigned n, unsigned dimensions = 2) {
  return inverse(morton_encode(n, dimensions));
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> morton_decode(unsigned dimensions = 2) {
  return permutation<N>(morton_decode(N, dimensions));
}

}  // namespace bmmc
