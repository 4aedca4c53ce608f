// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc::local {

/// Permutations that are their own inverses, in the order in which they are carried out.
struct involution_list {
  std::array<permutation<>, 12> factor{};
  unsigned count = 0;

  constexpr void push_back(bit_matrix<> const& f) {
    if (f != identity_matrix(f.cols())) factor[count++] = permutation<>(f);
  }
  [[nodiscard]] constexpr unsigned size() const noexcept { return count; }
  [[nodiscard]] constexpr permutation<> const& operator[](unsigned i) const noexcept {
    return factor[i];
  }
  [[nodiscard]] constexpr permutation<> const* begin() const noexcept { return factor.data(); }
  [[nodiscard]] constexpr permutation<> const* end() const noexcept {
    return factor.data() + count;
  }
};

namespace detail {

/// A basis of chains v, A v, A^2 v, ..., each as long as it stays outside the span of what is
/// there.
struct chain_basis {
  short_list<index_t> vectors;
  std::array<unsigned, 64> first{}, chain{};  // of vector j: where its chain begins, its number
  index_t lasts = 0;                          // bit j is set where vector j ends its chain
  unsigned chains = 0;
};

[[nodiscard]] constexpr unsigned chain_length(bit_matrix<> const& a, subspace span, index_t v) {
  unsigned length = 0;
  for (; span.add(v); v = a * v) ++length;
  return length;
}

/// Greedy: the longest chain first. With `sums` sums of unit vectors may begin chains too.
[[nodiscard]] constexpr chain_basis find_chains(bit_matrix<> const& a, bool sums) {
  chain_basis q;
  subspace span;
  for (; q.vectors.size() < a.cols(); ++q.chains) {
    index_t best = 0;
    unsigned most = 0;
    for (unsigned j = 0; j < a.cols(); ++j)
      for (index_t v : {bit(j), low_bits(j + 1)}) {
        if (!sums && v != bit(j)) continue;
        if (const unsigned length = chain_length(a, span, v); length > most) {
          most = length;
          best = v;
        }
      }
    const unsigned begin = q.vectors.size();
    for (index_t v = best; span.add(v); v = a * v) {
      q.first[q.vectors.size()] = begin;
      q.chain[q.vectors.size()] = q.chains;
      q.vectors.push_back(v);
    }
    q.lasts |= bit(q.vectors.size() - 1);
  }
  return q;
}

/// Kernel of f + 1: the vectors that f leaves alone.
[[nodiscard]] constexpr short_list<index_t> fixed_vectors(bit_matrix<> f) {
  for (unsigned j = 0; j < f.cols(); ++j) f.column[j] ^= bit(j);
  const auto found = find_column_basis(f);
  short_list<index_t> fixed;
  for (unsigned j = 0; j < f.cols(); ++j)
    if ((found.basis & bit(j)) == 0) fixed.push_back(bit(j) ^ found.dependency.column[j]);
  return fixed;
}

/// Gives the factors complements so that their product has complement c. x -> f x + d is an
/// involution exactly where f d = d; what no such d can make is one more factor, x -> x + c.
constexpr void distribute_complement(involution_list& list, unsigned n, index_t c) {
  if (c == 0) return;
  short_list<index_t> seen;  // fixed vectors, as they look after the factors that follow
  std::array<index_t, 64> vector{};
  std::array<unsigned, 64> owner{};
  subspace span;
  for (unsigned i = list.count; i-- > 0;)
    for (const index_t d : fixed_vectors(list[i].matrix())) {
      index_t later = d;
      for (unsigned k = i + 1; k < list.count; ++k) later = list[k].matrix() * later;
      if (!span.add(later)) continue;
      vector[seen.size()] = d;
      owner[seen.size()] = i;
      seen.push_back(later);
    }
  bit_matrix<> a(n, seen.size());
  for (unsigned j = 0; j < seen.size(); ++j) a.column[j] = seen[j];
  if (const auto chosen = solve(a, c)) {
    for (unsigned j = 0; j < seen.size(); ++j)
      if (((*chosen >> j) & 1) != 0) list.factor[owner[j]].complement_ ^= vector[j];
  } else {
    list.factor[list.count++] = permutation<>(identity_matrix(n), c);
  }
}

/// A = Q P T Q^-1 in the basis Q of chains. P turns every chain round by one, like a wheel, and is
/// a product of two reflections of each wheel. T leaves all but the last vectors of chains alone,
/// and adds to those other vectors and earlier last ones, so it is triangular; halving the set of
/// last vectors again and again splits it into factors [1 X; 0 1], which are involutions over
/// GF(2).
[[nodiscard]] constexpr involution_list involutions_of_chains(bit_matrix<> const& a,
                                                              chain_basis const& q) {
  const unsigned n = a.cols();
  bit_matrix<> basis(n, n), reflect_first(n, n), reflect_second(n, n);
  for (unsigned j = 0; j < n; ++j) {
    basis.column[j] = q.vectors[j];
    const unsigned first = q.first[j];
    unsigned end = j;
    while (((q.lasts >> end) & 1) == 0) ++end;
    const unsigned length = end + 1 - first, i = j - first;
    reflect_first.column[j] = bit(first + (length - i) % length);
    reflect_second.column[j] = bit(first + (length + 1 - i) % length);
  }
  const auto coordinates = inverse(basis);
  const auto in_basis = [&](bit_matrix<> const& f) { return basis * f * coordinates; };
  bit_matrix<> t = reflect_first * reflect_second * (coordinates * a * basis);

  involution_list list;
  unsigned size = 1;
  while (size < q.chains) size *= 2;
  for (; size > 0; size /= 2) {
    bit_matrix<> rest(n, n);  // what stays inside the parts of this size
    for (unsigned j = 0; j < n; ++j) {
      rest.column[j] = bit(j);
      for (unsigned i = 0; i < n; ++i)
        if ((q.lasts & bit(i)) != 0 && (q.lasts & bit(j)) != 0 &&
            q.chain[i] / size == q.chain[j] / size)
          rest.column[j] |= t.column[j] & bit(i);
    }
    list.push_back(in_basis(inverse(rest) * t));
    t = rest;
  }
  list.push_back(in_basis(reflect_first));
  list.push_back(in_basis(reflect_second));
  return list;
}

}  // namespace detail

/// Writes p as a product of involutions: one where p is one, two for every bit permutation, three
/// for every matrix with a cyclic vector (three random ones out of four or so), and never more than
/// 3 + lg (number of chains); one more where the complement fits into none of them.
/// Cost    O(n^4) word operations at most; no allocation.
/// Source  that two suffice for a bit permutation: Edelman, Heller, Johnsson 1994, lemma 5.3.
[[nodiscard]] constexpr involution_list involutions(permutation<> const& p) {
  involution_list best;
  if (is_identity(compose(p, p))) {
    if (!is_identity(p)) best.factor[best.count++] = p;
    return best;
  }
  for (const bool sums : {false, true}) {
    auto list = detail::involutions_of_chains(p.matrix(), detail::find_chains(p.matrix(), sums));
    detail::distribute_complement(list, p.bits(), p.complement());
    if (!sums || list.count < best.count) best = list;
    if (best.count <= 2) break;
  }
  return best;
}

}  // namespace bmmc::local
