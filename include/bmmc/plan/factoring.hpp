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
/// Source  Cormen 1997, sections 3 and 4; T is chosen so that delta is a product of conditional
///         exchanges where it can be (Edelman, Heller, Johnsson 1994, theorem 3.1).
struct factoring {
  bit_matrix<> trailer, reducer, swapper;
  bit_matrix<> v, w;
  unsigned rank = 0;
};

namespace detail {

/// T: adds columns of the left section to columns of the right one, so that the trailing p x p
/// block becomes nonsingular, and all its leading principal minors with it where any such T makes
/// them so. Column k becomes column k of the identity where it can.
/// Elimination without row exchanges wants a column, among delta_k + G (G spanned by gamma), with a
/// 1 left in row k. Whether there is one does not depend on the columns chosen before: where the
/// functional that reads it off vanishes on G it is fixed by G and delta_0 .. delta_k-1 alone.
constexpr bit_matrix<> make_trailer(bit_matrix<> const& a, column_basis<> const& gamma, unsigned m,
                                    unsigned p) {
  auto t = identity_matrix(m + p);
  const auto lower_left = submatrix(a, m, p, 0, m);
  subspace chosen(p);
  for (unsigned k = 0; k < p; ++k) {
    const index_t delta = a.column[m + k] >> m;
    index_t best = 0, added = 0;  // what is left of the column, and the left columns added to it
    const auto offer = [&](index_t left) {
      const index_t left_over = chosen.least(delta ^ lower_left * left);
      if (((best >> k) & 1) != 0 || (best != 0 && ((left_over >> k) & 1) == 0)) return;
      best = left_over;
      added = left;
    };
    if (const auto to_unit = solve(lower_left, delta ^ bit(k))) offer(*to_unit);
    offer(0);
    for (index_t rest = gamma.basis; rest != 0; rest &= rest - 1) offer(rest & (~rest + 1));
    chosen.add(best, ((best >> k) & 1) != 0 ? bit(k) : best & (~best + 1));
    t.column[m + k] ^= added;
  }
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
    s.column[lowest_one(outside)] = vacant & (~vacant + 1);
    s.column[lowest_one(vacant)] = outside & (~outside + 1);
  }
  return s;
}

}  // namespace detail

/// Factors a nonsingular matrix for 2^p processes, 0 <= p <= n.
/// Cost: O(n^2 + p (n-p)^2) word operations, no allocation.
[[nodiscard]] constexpr factoring factor(bit_matrix<> const& a, unsigned p) {
  const unsigned m = a.cols() - p;
  const auto gamma = find_column_basis(submatrix(a, m, p, 0, m));
  factoring f;
  f.rank = static_cast<unsigned>(std::popcount(gamma.basis));
  f.trailer = detail::make_trailer(a, gamma, m, p);
  f.reducer = detail::make_reducer(gamma, m, p);
  f.swapper = detail::make_swapper(gamma.basis, m, p);
  const auto undo_w = f.trailer * f.reducer * f.swapper;
  f.v = a * undo_w;
  f.w = inverse(undo_w);
  return f;
}

}  // namespace bmmc
