// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <vector>

#include <bmmc/error.hpp>
#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/index/permutation.hpp>

// L is the span of the b low index bits: a block of a file is a coset of L.
// docs/theory/files.md has the proofs.

namespace bmmc::file {

/// r(A) = dim(L + A^-1 L) - b: the blocks that one block's elements go to number 2^r. It is the
/// rank of the corner of A that takes the b low bits to the n - b high ones.
[[nodiscard]] constexpr unsigned spread_of(bit_matrix<> const& a, unsigned block_bits) {
  const unsigned b = std::min(block_bits, a.cols());
  return matrix_rank(submatrix(a, b, a.cols() - b, 0, b));
}

/// Fewest passes over a file with tiles of 2^(b + rho) elements: r(A2 A1) <= r(A1) + r(A2), and a
/// pass has r <= rho. Without room (rho = 0) only maps with r = 0 have a pass: then 0 is returned.
[[nodiscard]] constexpr unsigned fewest_passes(unsigned spread, unsigned rho) noexcept {
  if (spread == 0) return 1;
  return rho == 0 ? 0 : (spread + rho - 1) / rho;
}

namespace detail {

/// The involution that exchanges `rho` vectors of a complement of L meet A^-1 L in L with as many
/// of A^-1 L, and leaves the other vectors of a basis alone. It has spread rho, and A after it has
/// rho less than A.
[[nodiscard]] constexpr permutation<> exchange_first(bit_matrix<> const& a, unsigned b,
                                                     unsigned rho) {
  const unsigned n = a.cols();
  const auto back = column_space(submatrix(inverse(a), 0, n, 0, b));  // A^-1 L
  // Vectors with pivots below b span L meet A^-1 L; the others are independent modulo L.
  bit_matrix<> basis = identity_matrix(n), swap = identity_matrix(n);
  unsigned partner = 0, done = 0;
  for (unsigned i = 0; i < back.dimension(); ++i) {
    const index_t v = back.vectors.column[i];
    const auto pivot = bmmc::detail::highest_one(v);
    basis.column[pivot] = v;
    if (pivot < b || done == rho) continue;
    while (((back.pivots >> partner) & 1) != 0) ++partner;  // e_partner is outside of A^-1 L
    swap.column[pivot] = bit(partner);
    swap.column[partner++] = bit(pivot);
    ++done;
  }
  return permutation<>(basis * swap * inverse(basis));
}

}  // namespace detail

/// p as a product of permutations of spread rho at most, first the one that is carried out first:
/// exactly fewest_passes(r, rho) of them. All but the last are involutions without complement.
/// Throws bad_value where rho = 0 is not enough.
[[nodiscard]] constexpr std::vector<permutation<>> split(permutation<> p, unsigned block_bits,
                                                         unsigned rho) {
  std::vector<permutation<>> list;
  unsigned spread = spread_of(p.matrix(), block_bits);
  if (fewest_passes(spread, rho) == 0)
    throw bad_value("tiles of one block cannot carry elements to other blocks");
  for (; spread > rho; spread -= rho) {
    list.push_back(detail::exchange_first(p.matrix(), block_bits, rho));
    p = compose(p, list.back());
  }
  list.push_back(p);
  return list;
}

}  // namespace bmmc::file
