// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <vector>

#include <bmmc/file/factors.hpp>
#include <bmmc/local/involutions.hpp>

// In place every pass is an involution. docs/theory/files.md has the proofs.

namespace bmmc::file {

namespace detail {

/// Splits an involution x -> x + N x + d into commuting ones of spread rho at most. With N = sum of
/// u_i v_i^T, where the first r of the independent u_i are a basis of N L modulo L, all
/// v_i^T u_j = 0, so any part of the sum is an involution, with the spread that its u_i have.
constexpr void split_involution(std::vector<permutation<>>& list, permutation<> const& f,
                                unsigned b, unsigned rho) {
  const unsigned n = f.bits(), r = spread_of(f.matrix(), b);
  if (r <= rho) return list.push_back(f);
  bit_matrix<> nilpotent = f.matrix();
  for (unsigned j = 0; j < n; ++j) nilpotent.column[j] ^= bit(j);
  bit_matrix<> u(n, 0);
  subspace span;
  const auto take = [&](index_t v) {
    if (span.add(v)) u.column[u.column.count++] = v;
  };
  const auto of_block = column_space(submatrix(nilpotent, 0, n, 0, b));
  for (unsigned i = of_block.dimension(); i-- > 0;) take(of_block.vectors.column[i]);
  for (const index_t v : nilpotent.column) take(v);
  bit_matrix<> coordinates(u.cols(), n);
  for (unsigned j = 0; j < n; ++j) coordinates.column[j] = *solve(u, nilpotent.column[j]);
  for (unsigned first = 0; first < r; first += rho) {
    const index_t part = first + rho < r ? low_bits(first + rho) & ~low_bits(first)
                                         : low_bits(u.cols()) & ~low_bits(first);
    bit_matrix<> g(n, n);
    for (unsigned j = 0; j < n; ++j) g.column[j] = bit(j) ^ u * (coordinates.column[j] & part);
    list.emplace_back(g, first == 0 ? f.complement() : 0);
  }
}

/// f on the low bits of an index, g on the others.
[[nodiscard]] constexpr permutation<> on_parts(permutation<> const& f, permutation<> const& g) {
  const unsigned b = f.bits(), n = b + g.bits();
  bit_matrix<> a(n, n);
  for (unsigned j = 0; j < n; ++j)
    a.column[j] = j < b ? f.matrix().column[j] : g.matrix().column[j - b] << b;
  return permutation<>(a, f.complement() | g.complement() << b);
}

/// Appends involutions of spread 0 for p, which has spread 0: its matrix is [X Y; 0 Z], with X on
/// the b low bits. The involutions of X and of Z are carried out side by side; then
/// [1 Y Z^-1; 0 1], one more, adds what the high bits give to the low ones.
constexpr void split_within_blocks(std::vector<permutation<>>& list, permutation<> const& p,
                                   unsigned b) {
  const unsigned n = p.bits(), high = n - b;
  const auto z = submatrix(p.matrix(), b, high, b, high);
  const auto y = submatrix(p.matrix(), 0, b, b, high) * inverse(z);
  const index_t c = p.complement() >> b;
  const auto of_low = local::involutions(
      permutation<>(submatrix(p.matrix(), 0, b, 0, b), (p.complement() & low_bits(b)) ^ y * c));
  const auto of_high = local::involutions(permutation<>(z, c));
  for (unsigned k = 0; k < std::max(of_low.size(), of_high.size()); ++k)
    list.push_back(on_parts(k < of_low.size() ? of_low[k] : identity_permutation(b),
                            k < of_high.size() ? of_high[k] : identity_permutation(high)));
  bit_matrix<> add = identity_matrix(n);
  for (unsigned j = b; j < n; ++j) add.column[j] ^= y.column[j - b];
  if (add != identity_matrix(n)) list.emplace_back(add);
}

}  // namespace detail

/// p as a product of involutions of spread rho at most, first the one that is carried out first:
/// the fewer of two ways. Either each involution f of `involutions`, whose product p is, is split
/// into max(1, ceil(r(f) / rho)); or ceil(r(p) / rho) involutions bring every element into its
/// block, and a few more, a number that does not depend on rho, do the rest within blocks.
/// Throws bad_value where rho = 0 is not enough: where r(p) > 0.
[[nodiscard]] constexpr std::vector<permutation<>> split_in_place(
    permutation<> p, local::involution_list const& involutions, unsigned block_bits, unsigned rho) {
  unsigned spread = spread_of(p.matrix(), block_bits);
  if (fewest_passes(spread, rho) == 0)
    throw bad_value("tiles of one block cannot carry elements to other blocks");
  std::vector<permutation<>> each, moved;
  bool can_split = true;
  for (auto const& f : involutions)
    can_split = can_split && fewest_passes(spread_of(f.matrix(), block_bits), rho) != 0;
  if (can_split)
    for (auto const& f : involutions) detail::split_involution(each, f, block_bits, rho);
  if (can_split && each.size() <= std::max(1U, fewest_passes(spread, rho))) return each;
  for (; spread > 0; spread -= std::min(spread, rho)) {
    moved.push_back(detail::exchange_first(p.matrix(), block_bits, std::min(spread, rho)));
    p = compose(p, moved.back());
  }
  detail::split_within_blocks(moved, p, std::min(block_bits, p.bits()));
  return can_split && each.size() <= moved.size() ? each : moved;
}

}  // namespace bmmc::file
