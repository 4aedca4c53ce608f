// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>

#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/gf2/elimination.hpp>

namespace bmmc {

/// A = V W for n = m + p bits, of which the p high ones name a process:
///
///              m - r    r      p                      m   p
///     V = [   alpha' alpha''  beta  ] m        W = [  *   * ] m
///         [     0    gamma''  delta ] p            [  0   1 ] p
///
/// W moves elements inside their process, so that those bound for one process stand together.
/// V moves those blocks: r = rank of the p x m block gamma of A, gamma'' is a basis of its columns,
/// and delta is nonsingular. V = A T R S with the trailer T, the reducer R and the swapper S.
/// Source  Cormen 1997, sections 3 and 4.
struct factoring {
  bit_matrix<> trailer, reducer, swapper;
  bit_matrix<> v, w;
  unsigned rank = 0;
};

namespace detail {

/// T: adds columns of the left section to columns of the right one, so that the trailing p x p
/// block becomes nonsingular. The basis of the bottom p rows holds as many of the right columns as
/// it can; each right column outside it is paired with a left column inside it.
constexpr bit_matrix<> make_trailer(bit_matrix<> const& a, unsigned m, unsigned p) {
  auto t = identity_matrix(m + p);
  index_t chosen = find_column_basis(submatrix(a, m, p, 0, m + p)).basis;
  index_t left = chosen & low_bits(m);
  index_t missing = (low_bits(m + p) & ~low_bits(m)) & ~chosen;
  for (; missing != 0; missing &= missing - 1, left &= left - 1)
    t.column[static_cast<unsigned>(std::countr_zero(missing))] ^=
        bit(static_cast<unsigned>(std::countr_zero(left)));
  return t;
}

/// R: clears every column of gamma that is not in the basis, by adding the basis columns it is
/// the sum of.
constexpr bit_matrix<> make_reducer(column_basis<> const& gamma, unsigned m, unsigned p) {
  auto r = identity_matrix(m + p);
  for (unsigned j = 0; j < m; ++j) r.column[j] ^= gamma.dependency.column[j];
  return r;
}

/// S: exchanges pairs of left columns, so that the basis columns stand rightmost among them.
constexpr bit_matrix<> make_swapper(index_t basis, unsigned m, unsigned p) {
  auto s = identity_matrix(m + p);
  const auto rank = static_cast<unsigned>(std::popcount(basis));
  const index_t home = low_bits(m) & ~low_bits(m - rank);
  index_t outside = basis & ~home, vacant = home & ~basis;
  for (; outside != 0; outside &= outside - 1, vacant &= vacant - 1) {
    s.column[static_cast<unsigned>(std::countr_zero(outside))] = vacant & (~vacant + 1);
    s.column[static_cast<unsigned>(std::countr_zero(vacant))] = outside & (~outside + 1);
  }
  return s;
}

}  // namespace detail

/// Factors a nonsingular matrix for 2^p processes, 0 <= p <= n.
/// Cost: O(n^2) word operations, no allocation.
[[nodiscard]] constexpr factoring factor(bit_matrix<> const& a, unsigned p) {
  const unsigned m = a.cols() - p;
  const auto gamma = find_column_basis(submatrix(a, m, p, 0, m));
  factoring f;
  f.rank = static_cast<unsigned>(std::popcount(gamma.basis));
  f.trailer = detail::make_trailer(a, m, p);
  f.reducer = detail::make_reducer(gamma, m, p);
  f.swapper = detail::make_swapper(gamma.basis, m, p);
  const auto undo_w = f.trailer * f.reducer * f.swapper;
  f.v = a * undo_w;
  f.w = inverse(undo_w);
  return f;
}

}  // namespace bmmc
