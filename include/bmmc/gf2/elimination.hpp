// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// A basis among the columns of a matrix, and how the other columns depend on it.
/// Bit j of `basis` is set where column j is a basis column. `dependency` is Cols x Cols: its
/// column j has a 1 in row i where column j depends on basis column i, and is zero for a basis
/// column, so that  column j = a * dependency.column[j]  for every other j.
template <unsigned Cols = dynamic_bits>
struct column_basis {
  index_t basis = 0;
  bit_matrix<Cols> dependency{};
  friend constexpr bool operator==(column_basis const&, column_basis const&) = default;
};

namespace detail {
/// Takes the nonzero columns from right to left, calls taken(j, pivot) for each, and clears its
/// lowest 1, the pivot, from the columns k to its left, calling added(j, k) for each addition.
/// Cost: O(Cols^2) word operations.
template <unsigned R, unsigned C>
constexpr void sweep_left(bit_matrix<R, C>& a, auto taken, auto added) {
  for (unsigned j = a.cols(); j-- > 0;) {
    if (a.column[j] == 0) continue;
    const index_t pivot = a.column[j] & (~a.column[j] + 1);
    taken(j, pivot);
    for (unsigned k = 0; k < j; ++k)
      if ((a.column[k] & pivot) != 0) {
        a.column[k] ^= a.column[j];
        added(j, k);
      }
  }
}
}  // namespace detail

/// Finds a column basis from right to left: a column is taken when the columns to its right do not
/// span it. So the basis holds as many of the last k columns as any basis can, for every k.
/// Cost    O(Cols^2) word operations, no allocation.
/// Source  Cormen 1997, appendix A. Its text says when d_ij = 0; what holds is that d_ij = 1 where
///         column j depends on column i.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr column_basis<C> find_column_basis(bit_matrix<R, C> a) {
  column_basis<C> found{0, zero_matrix<C, C>(a.cols(), a.cols())};
  auto& d = found.dependency;
  detail::sweep_left(
      a, [&](unsigned j, index_t) { found.basis |= bit(j); },
      [&](unsigned j, unsigned k) { d.column[k] ^= d.column[j] ^ bit(j); });
  for (unsigned j = 0; j < a.cols(); ++j)
    if ((found.basis & bit(j)) != 0) d.column[j] = 0;  // its dependencies went into the others
  return found;
}

/// Dimension of the column space. Cost: O(Cols^2) word operations. Never fails.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr unsigned matrix_rank(bit_matrix<R, C> a) noexcept {
  unsigned found = 0;
  detail::sweep_left(
      a, [&](unsigned, index_t) { ++found; }, [](unsigned, unsigned) {});
  return found;
}

namespace detail {
template <unsigned R, unsigned C>
constexpr void require_square(bit_matrix<R, C> const& a) {
  if (a.rows() != a.cols())
    throw singular_matrix("a matrix of " + std::to_string(a.rows()) + " x " +
                          std::to_string(a.cols()) + " is not square and has no inverse");
}
}  // namespace detail

/// The matrix b with a b = b a = 1. Throws singular_matrix with the rank and the size.
/// Cost: O(n^2) word operations (Gauss and Jordan on columns).
template <unsigned N, unsigned M>
  requires(N == M)
[[nodiscard]] constexpr bit_matrix<N> inverse(bit_matrix<N, M> a) {
  detail::require_square(a);
  const unsigned n = a.cols();
  auto b = zero_matrix<N, N>(n, n);
  for (unsigned j = 0; j < n; ++j) b.column[j] = bit(j);
  for (unsigned i = 0; i < n; ++i) {
    unsigned pivot = i;
    while (pivot < n && !entry(a, i, pivot)) ++pivot;
    if (pivot == n)
      throw singular_matrix("a matrix of rank " + std::to_string(matrix_rank(a)) + " on " +
                            std::to_string(n) + " bits has no inverse");
    const index_t a_pivot = a.column[pivot], b_pivot = b.column[pivot];
    a.column[pivot] = a.column[i];
    b.column[pivot] = b.column[i];
    a.column[i] = a_pivot;
    b.column[i] = b_pivot;
    for (unsigned k = 0; k < n; ++k)
      if (k != i && entry(a, i, k)) {
        a.column[k] ^= a_pivot;
        b.column[k] ^= b_pivot;
      }
  }
  return b;
}

/// Some x with a x = y, or nothing where the columns of a do not span y.
/// The x returned selects basis columns only, so it is the only one where the columns of a are
/// independent. Cost: O(Cols^2) word operations.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr std::optional<index_t> solve(bit_matrix<R, C> a, index_t y) {
  auto selected = zero_matrix<C, C>(a.cols(), a.cols());  // a.column[j] = original * selected[j]
  for (unsigned j = 0; j < a.cols(); ++j) selected.column[j] = bit(j);
  index_t x = 0;
  detail::sweep_left(
      a,
      [&](unsigned j, index_t pivot) {
        if ((y & pivot) == 0) return;
        y ^= a.column[j];
        x ^= selected.column[j];
      },
      [&](unsigned j, unsigned k) { selected.column[k] ^= selected.column[j]; });
  if (y != 0) return std::nullopt;
  return x;
}

}  // namespace bmmc
