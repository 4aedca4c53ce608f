// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>

#include <bmmc/gf2/elimination.hpp>

namespace bmmc {

/// The bits of x that `mask` selects, moved together: the lowest of them becomes bit 0.
[[nodiscard]] constexpr index_t extract_bits(index_t x, index_t mask) noexcept {
  index_t y = 0;
  for (unsigned to = 0; mask != 0; mask &= mask - 1, ++to)
    if ((x & mask & (~mask + 1)) != 0) y |= bit(to);
  return y;
}

/// The rows that `mask` selects, moved together.
[[nodiscard]] constexpr bit_matrix<> extract_rows(bit_matrix<> const& a, index_t mask) {
  bit_matrix<> rows(static_cast<unsigned>(std::popcount(mask)), a.cols());
  for (unsigned j = 0; j < a.cols(); ++j) rows.column[j] = extract_bits(a.column[j], mask);
  return rows;
}

/// The basis of a space of bit vectors in reduced echelon form: the highest 1 of each vector is its
/// pivot, no other vector has a 1 there, and pivots ascend. So the vectors of any coset of the
/// space, as numbers, ascend with their bits at the pivots.
struct echelon_basis {
  bit_matrix<> vectors{};
  index_t pivots = 0;

  [[nodiscard]] constexpr unsigned dimension() const noexcept { return vectors.cols(); }
  /// Number of x within its coset of the space, when that is sorted.
  [[nodiscard]] constexpr index_t coordinates(index_t x) const noexcept {
    return extract_bits(x, pivots);
  }
  /// The least vector of the coset of x: the one without 1s at the pivots.
  [[nodiscard]] constexpr index_t least(index_t x) const noexcept {
    return x ^ vectors * coordinates(x);
  }
  friend constexpr bool operator==(echelon_basis const&, echelon_basis const&) = default;
};

/// The space that the columns of a matrix span. Cost: O(Cols^2) word operations.
[[nodiscard]] constexpr echelon_basis echelon(bit_matrix<> const& a) {
  std::array<index_t, 64> of{};  // by pivot
  for (index_t v : a.column)
    while (v != 0) {
      const auto top = static_cast<unsigned>(std::bit_width(v)) - 1;
      if (of[top] == 0) {
        of[top] = v;
        break;
      }
      v ^= of[top];
    }
  echelon_basis e{bit_matrix<>(a.rows(), 0)};
  for (unsigned i = 0; i < a.rows(); ++i) {  // of[i] has no 1 at the pivots below any more
    if (of[i] == 0) continue;
    for (unsigned j = i + 1; j < a.rows(); ++j)
      if ((of[j] & bit(i)) != 0) of[j] ^= of[i];
  }
  for (unsigned i = 0; i < a.rows(); ++i) {
    if (of[i] == 0) continue;
    e.vectors.column[e.vectors.column.count++] = of[i];
    e.pivots |= bit(i);
  }
  return e;
}

/// The space of all x with a x = 0. Cost: O(Cols^2) word operations.
[[nodiscard]] constexpr echelon_basis kernel(bit_matrix<> const& a) {
  const auto found = find_column_basis(a);
  bit_matrix<> vectors(a.cols(), 0);
  for (unsigned j = 0; j < a.cols(); ++j)
    if ((found.basis & bit(j)) == 0)
      vectors.column[vectors.column.count++] = found.dependency.column[j] ^ bit(j);
  return echelon(vectors);
}

}  // namespace bmmc
