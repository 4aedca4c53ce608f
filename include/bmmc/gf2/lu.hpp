// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <utility>

#include <bmmc/gf2/elimination.hpp>

namespace bmmc {

/// A = lower * upper. Of the two, `lower` has ones on its diagonal.
struct lu_factors {
  bit_matrix<> lower{}, upper{};
  friend constexpr bool operator==(lu_factors const&, lu_factors const&) = default;
};

/// A = permuting * lower * upper, or A = lower * upper * permuting; `permuting` is a permutation
/// matrix.
struct permuted_lu_factors {
  bit_matrix<> permuting{}, lower{}, upper{};
  friend constexpr bool operator==(permuted_lu_factors const&,
                                   permuted_lu_factors const&) = default;
};

/// A = P L U: exchanges in standard order (L U), then a renaming of the dimensions (P).
/// Exists for every square A. L has ones on its diagonal; U has them all where A is nonsingular.
/// The pivot of column j is the first row that has one there, unless the caller prefers others:
/// prefers(j, r, s) says whether row r of A is to be taken rather than row s.
/// Cost    O(n^2) word operations, no allocation. Throws singular_matrix unless A is square.
/// Source  Edelman, Heller, Johnsson 1994, corollary 3.6 (Gauss elimination with row exchanges).
template <class Prefers = decltype([](unsigned, unsigned, unsigned) { return false; })>
[[nodiscard]] constexpr permuted_lu_factors plu(bit_matrix<> const& a, Prefers prefers = {}) {
  detail::require_square(a);
  const unsigned n = a.cols();
  auto rows = transposed(a);  // a row is a word here
  auto multipliers = bit_matrix<>{n, n};
  std::array<unsigned, 64> from{};
  for (unsigned i = 0; i < n; ++i) from[i] = i;
  for (unsigned j = 0; j < n; ++j) {
    unsigned pivot = j;
    while (pivot < n && !entry(rows, j, pivot)) ++pivot;
    if (pivot == n) continue;  // a singular A: this diagonal entry of U is 0
    for (unsigned i = pivot + 1; i < n; ++i)
      if (entry(rows, j, i) && prefers(j, from[i], from[pivot])) pivot = i;
    std::swap(rows.column[pivot], rows.column[j]);
    std::swap(multipliers.column[pivot], multipliers.column[j]);
    std::swap(from[pivot], from[j]);
    for (unsigned i = j + 1; i < n; ++i)
      if (entry(rows, j, i)) {
        rows.column[i] ^= rows.column[j];
        multipliers.column[i] |= bit(j);
      }
  }
  permuted_lu_factors f{bit_matrix<>{n, n}, transposed(multipliers), transposed(rows)};
  for (unsigned i = 0; i < n; ++i) {
    f.lower.column[i] |= bit(i);
    f.permuting.column[i] = bit(from[i]);
  }
  return f;
}

/// A = L U P, the other way: the dimensions are renamed first (P), then exchanges follow (L U).
/// Exists for every square A. U has ones on its diagonal; L has them all where A is nonsingular.
/// prefers(j, c, d) chooses among columns of A. Cost and errors as plu.
template <class Prefers = decltype([](unsigned, unsigned, unsigned) { return false; })>
[[nodiscard]] constexpr permuted_lu_factors lup(bit_matrix<> const& a, Prefers prefers = {}) {
  detail::require_square(a);
  const auto f = plu(transposed(a), prefers);
  return {transposed(f.permuting), transposed(f.upper), transposed(f.lower)};
}

/// A = L U without any renaming; nothing where plu has to exchange rows. A nonsingular A has these
/// factors where all its leading principal minors are nonsingular.
/// Source  Edelman, Heller, Johnsson 1994, corollary 3.1.
[[nodiscard]] constexpr std::optional<lu_factors> lu(bit_matrix<> const& a) {
  const auto f = plu(a);
  if (f.permuting != identity_matrix(a.cols())) return std::nullopt;
  return lu_factors{f.lower, f.upper};
}

/// Whether all entries below the diagonal are 0.
[[nodiscard]] constexpr bool is_upper_triangular(bit_matrix<> const& a) noexcept {
  for (unsigned j = 0; j < a.cols(); ++j)
    if ((a.column[j] & ~low_bits(j + 1)) != 0) return false;
  return true;
}
/// Whether all entries above the diagonal are 0.
[[nodiscard]] constexpr bool is_lower_triangular(bit_matrix<> const& a) noexcept {
  for (unsigned j = 0; j < a.cols(); ++j)
    if ((a.column[j] & low_bits(j)) != 0) return false;
  return true;
}

}  // namespace bmmc
