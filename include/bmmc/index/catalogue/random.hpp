// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/permutation.hpp>

namespace bmmc {

namespace detail {
/// A uniform index of n bits.
template <class Generator>
[[nodiscard]] constexpr index_t random_index(unsigned n, Generator& generator) {
  static_assert(Generator::min() == 0 && Generator::max() >= 0xffffffffU,
                "a random index needs a generator of full 32- or 64-bit words");
  const auto high = static_cast<index_t>(generator()) << 32;
  return (high ^ static_cast<index_t>(generator())) & low_bits(n);
}
}  // namespace detail

/// A permutation drawn uniformly from all (A, c) with A nonsingular. The generator gives 32 or 64
/// random bits a call (std::mt19937 or std::mt19937_64, say). Matrices are drawn until one is
/// nonsingular: 3.5 on average, whatever n is.
template <class Generator>
[[nodiscard]] constexpr permutation<> random_permutation(unsigned n, Generator& generator) {
  static_assert(Generator::min() == 0 && Generator::max() >= 0xffffffffU,
                "random_permutation needs a generator of full 32- or 64-bit words");
  bit_matrix<> a{n, n};
  do {
    for (unsigned j = 0; j < n; ++j) a.column[j] = detail::random_index(n, generator);
  } while (matrix_rank(a) != n);
  return permutation<>{a, detail::random_index(n, generator)};
}
template <unsigned N, class Generator>
[[nodiscard]] constexpr permutation<N> random_permutation(Generator& generator) {
  return permutation<N>(random_permutation(N, generator));
}

}  // namespace bmmc
