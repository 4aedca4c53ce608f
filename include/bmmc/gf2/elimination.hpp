// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <optional>
#include <string>

#include <bmmc/gf2/subspace.hpp>

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

/// Finds a column basis from right to left: a column is taken when the columns to its right do not
/// span it. So the basis holds as many of the last k columns as any basis can, for every k.
/// Cost    O(Cols^2) word operations, no allocation.
/// Source  Cormen 1997, appendix A. Its text says when d_ij = 0; what holds is that d_ij = 1 where
///         column j depends on column i.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr column_basis<C> find_column_basis(bit_matrix<R, C> const& a) {
  column_basis<C> found{0, zero_matrix<C, C>(a.cols(), a.cols())};
  subspace space(a.rows());
  short_list<index_t> taken;  // as sets of columns, in the order of space.added()
  for (unsigned j = a.cols(); j-- > 0;)
    if (space.add(a.column[j])) {
      found.basis |= bit(j);
      taken.push_back(bit(j));
    } else {
      found.dependency.column[j] = taken.sum(space.sum_of(a.column[j]));
    }
  return found;
}

/// Dimension of the column space. Cost: O(Cols^2) word operations. Never fails.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr unsigned matrix_rank(bit_matrix<R, C> const& a) noexcept {
  subspace space;
  for (unsigned j = 0; j < a.cols(); ++j) space.add(a.column[j]);
  return space.dimension();
}

namespace detail {
template <unsigned R, unsigned C>
constexpr void require_square(bit_matrix<R, C> const& a) {
  if (a.rows() != a.cols())
    detail::refuse<singular_matrix>(
        {"a matrix of ", a.rows(), " x ", a.cols(), " is not square and has no inverse"});
}
}  // namespace detail

/// The matrix b with a b = b a = 1. Throws singular_matrix with the rank and the size.
/// Cost: O(n^2) word operations.
template <unsigned N, unsigned M>
  requires(N == M)
[[nodiscard]] constexpr bit_matrix<N> inverse(bit_matrix<N, M> const& a) {
  detail::require_square(a);
  const unsigned n = a.cols();
  subspace space(n);
  for (unsigned j = 0; j < n; ++j)
    if (!space.add(a.column[j]))
      detail::refuse<singular_matrix>(
          {"a matrix of rank ", matrix_rank(a), " on ", n, " bits has no inverse"});
  auto b = zero_matrix<N, N>(n, n);
  for (unsigned i = 0; i < n; ++i) b.column[i] = space.sum_of(bit(i));
  return b;
}

/// Some x with a x = y, or nothing where the columns of a do not span y. The x returned selects
/// columns of the basis of find_column_basis only, so it is the only one where the columns of a are
/// independent. Cost: O(Cols^2) word operations.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr std::optional<index_t> solve(bit_matrix<R, C> const& a, index_t y) {
  subspace space(a.rows());
  short_list<index_t> taken;
  for (unsigned j = a.cols(); j-- > 0;)
    if (space.add(a.column[j])) taken.push_back(bit(j));
  if (!space.contains(y)) return std::nullopt;
  return taken.sum(space.sum_of(y));
}

/// The space of all x with a x = 0. Cost: O(Cols^2) word operations.
[[nodiscard]] constexpr subspace kernel(bit_matrix<> const& a) {
  const auto found = find_column_basis(a);
  subspace null(a.cols());
  for (unsigned j = 0; j < a.cols(); ++j)
    if ((found.basis & bit(j)) == 0) null.add(found.dependency.column[j] ^ bit(j));
  return null;
}

/// The rows that `mask` selects, moved together.
[[nodiscard]] constexpr bit_matrix<> extract_rows(bit_matrix<> const& a, index_t mask) {
  bit_matrix<> rows(static_cast<unsigned>(std::popcount(mask)), a.cols());
  for (unsigned j = 0; j < a.cols(); ++j) rows.column[j] = extract_bits(a.column[j], mask);
  return rows;
}

}  // namespace bmmc
