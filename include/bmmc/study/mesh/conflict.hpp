// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <vector>

#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/gf2/elimination.hpp>

namespace bmmc::mesh {

/// Why the general algorithm refuses a permutation d: Q_k takes both sources to one place.
struct first_conflict {
  unsigned k = 0;  // the least k for which Q_k is no permutation; step k - 1 fails
  index_t first = 0, second = 0;
  friend constexpr bool operator==(first_conflict const&, first_conflict const&) = default;
};

/// The place of source i after k steps: the low k bits of its target, the other bits of i.
[[nodiscard]] constexpr index_t place_after(unsigned k, index_t i, index_t target) noexcept {
  return (target & low_bits(k)) | (i & ~low_bits(k));
}

/// Checks the exact condition of the general algorithm, Q_k : i -> place_after(k, i, d(i)) is a
/// permutation for k = 1 .. n; nothing where it holds. Of the sources that meet first, `second` is
/// the least one that has a smaller partner, `first`.
/// Cost    O(n N), one table of N words.
/// Source  Orcutt 1974, section V (the theorem is Lawrie's).
template <class F>
[[nodiscard]] std::optional<first_conflict> find_conflict(unsigned n, F target_of) {
  const index_t none = bit(n);
  for (unsigned k = 1; k <= n; ++k) {
    std::vector<index_t> taken_by(bit(n), none);
    for (index_t i = 0; i < bit(n); ++i) {
      const index_t place = place_after(k, i, target_of(i));
      if (taken_by[place] != none) return first_conflict{k, taken_by[place], i};
      taken_by[place] = i;
    }
  }
  return std::nullopt;
}

/// The least k for which the leading k x k minor of a is zero, or nothing. For d(i) = a i + c this
/// is the k of find_conflict, whatever c is: Q_k is affine, and its matrix, the first k rows of a
/// above rows of the identity, has that minor as its determinant.
/// Cost    O(n^3) word operations.
template <unsigned N>
[[nodiscard]] constexpr std::optional<unsigned> first_singular_minor(bit_matrix<N> const& a) {
  for (unsigned k = 1; k <= a.rows(); ++k)
    if (matrix_rank(submatrix(bit_matrix<>(a), 0, k, 0, k)) != k) return k;
  return std::nullopt;
}

}  // namespace bmmc::mesh
