// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include <bmmc/index/coset.hpp>
#include <bmmc/index/maps.hpp>

namespace bmmc {

/// A permutation p on a coset W, and the identity elsewhere: a controlled permutation. W is the set
/// of indices that meet some conditions, and p takes W to itself.
/// Two of them compare equal where they have the same W and move each of its indices alike.
class coset_permutation {
 public:
  /// Of no bits.
  constexpr coset_permutation() : p_(identity_permutation(0)) {}
  /// Throws bad_value where the numbers of bits differ, and where p takes an index of W out of it.
  constexpr coset_permutation(permutation<> const& p, coset const& w) : p_(p), where_(w) {
    if (image(p, w) != w)
      detail::refuse(
          {"the permutation takes indices that meet all conditions to indices that do "
           "not: it must keep the coset"});
  }

  [[nodiscard]] constexpr unsigned bits() const noexcept { return where_.bits(); }
  /// W: the only indices that are moved.
  [[nodiscard]] constexpr coset const& where() const noexcept { return where_; }
  /// What is done on W.
  [[nodiscard]] constexpr permutation<> const& on_all() const noexcept { return p_; }

  /// The target index of source index x < 2^bits(). Cost: one word operation for each condition and
  /// each 1 in x.
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    return where_.contains(x) ? p_(x) : x;
  }

  /// The same as a permutation of the n - k bits that tell the indices of W apart.
  [[nodiscard]] constexpr permutation<> inside(coset::parametrization const& by) const {
    const affine_map moved = compose(as_map(p_), by.points);
    bit_matrix<> a(where_.dimension(), where_.dimension());
    for (unsigned j = 0; j < a.cols(); ++j)
      a.column[j] = extract_bits(moved.matrix.column[j], by.free);
    return detail::known_nonsingular(a, extract_bits(moved.complement, by.free));
  }

  friend constexpr bool operator==(coset_permutation const& a, coset_permutation const& b) {
    return a.where_ == b.where_ && a.inside(a.where_.points()) == b.inside(b.where_.points());
  }

 private:
  permutation<> p_;
  coset where_;
};

/// p where all conditions hold, the identity elsewhere; on W given as a coset likewise.
/// Throws bad_value where W has no index, or p does not keep W.
template <unsigned N>
[[nodiscard]] constexpr coset_permutation on_coset(permutation<N> const& p,
                                                   std::span<bit_condition const> conditions) {
  return {permutation<>(p), coset(p.bits(), conditions)};
}
template <unsigned N>
[[nodiscard]] constexpr coset_permutation on_coset(
    permutation<N> const& p, std::initializer_list<bit_condition> conditions) {
  return {permutation<>(p), coset(p.bits(), conditions)};
}
template <unsigned N>
[[nodiscard]] constexpr coset_permutation on_coset(permutation<N> const& p, coset const& w) {
  return {permutation<>(p), w};
}

/// p where all index bits that `bits` selects are 1: controlled by each of them.
template <unsigned N>
[[nodiscard]] constexpr coset_permutation controlled(permutation<N> const& p, index_t bits) {
  short_list<bit_condition> each;
  for (index_t rest = bits; rest != 0; rest &= rest - 1) each.push_back({rest & (~rest + 1), true});
  return on_coset(p, std::span<bit_condition const>(each.data(), each.size()));
}

/// The permutation that takes every target index back to its source index.
[[nodiscard]] constexpr coset_permutation inverse(coset_permutation const& c) {
  return {inverse(c.on_all()), c.where()};
}

/// q c q^-1: what c becomes where indices are renamed by q. q c = conjugate(q, c) q, so a
/// permutation of all indices moves from one side of a controlled one to the other.
[[nodiscard]] constexpr coset_permutation conjugate(permutation<> const& q,
                                                    coset_permutation const& c) {
  return {compose(q, compose(c.on_all(), inverse(q))), image(q, c.where())};
}

/// f after g where both act on the same indices; throws bad_value where they do not.
[[nodiscard]] constexpr coset_permutation compose(coset_permutation const& f,
                                                  coset_permutation const& g) {
  if (f.where() != g.where())
    throw bad_value("permutations on different cosets do not compose to one on a coset");
  return {compose(f.on_all(), g.on_all()), f.where()};
}

/// The permutation on W that is q by the numbers that w.points() gives to the indices of W.
/// Throws bad_value where q has another number of bits than W.
[[nodiscard]] constexpr coset_permutation from_inside(coset const& w, permutation<> const& q) {
  detail::require_same_bits(q.bits(), w.dimension());
  const auto by = w.points();
  // x is numbered by its free bits; what W's conditions say of its other bits stays as it is.
  const affine_map there = compose(by.points, as_map(q));
  bit_matrix<> a(w.bits(), w.bits());
  unsigned t = 0;
  for (unsigned j = 0; j < w.bits(); ++j) {
    const index_t x = bit(j);
    if ((by.free & x) == 0) {
      a.column[j] = x;
      continue;
    }
    const index_t others = by.points.matrix.column[t] ^ x;  // pivots that x decides
    a.column[j] = there.matrix.column[t] ^ others;
    ++t;
  }
  return {permutation<>(a, there.complement ^ by.points.complement), w};
}

/// The space of all that the permutation adds to an index: it takes each coset of this space, and
/// of any that holds it, to itself.
[[nodiscard]] constexpr subspace directions(coset_permutation const& c) {
  const auto by = c.where().points();
  const affine_map moved = compose(as_map(c.on_all()), by.points);
  subspace all(c.bits());
  all.add(moved.complement ^ by.points.complement);
  for (unsigned j = 0; j < by.points.matrix.cols(); ++j)
    all.add(moved.matrix.column[j] ^ by.points.matrix.column[j]);
  return all;
}

/// Whether every index is its own target.
[[nodiscard]] constexpr bool is_identity(coset_permutation const& c) {
  return is_identity(c.inside(c.where().points()));
}

/// The same permutation on fewer indices, where those of W that move are a coset themselves: half
/// of W. A controlled SWAP moves only the indices in which its two bits differ.
/// Method  c adds M t + d to index number t of W. Where M has rank 1 and some index stays, those
///         that move are half of W. Where M has a higher rank, they are no coset; where none stays,
///         they are all of W.
[[nodiscard]] constexpr coset_permutation moved_part(coset_permutation const& c) {
  const auto by = c.where().points();
  const affine_map moved = compose(as_map(c.on_all()), by.points);
  index_t step = 0, bits = 0;
  for (unsigned j = 0; j < by.points.matrix.cols(); ++j) {
    const index_t change = moved.matrix.column[j] ^ by.points.matrix.column[j];
    if (change == 0) continue;
    if (step != 0 && change != step) return c;
    step = change;
    bits |= by.points.matrix.column[j] & by.free;
  }
  const index_t first = moved.complement ^ by.points.complement;
  if (step == 0 || (first != 0 && first != step)) return c;
  return {c.on_all(), c.where().with({bits, first == 0})};
}

}  // namespace bmmc
