// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <initializer_list>
#include <span>
#include <string>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/index/affine_map.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// A condition on indices: the sum over GF(2) of the index bits that `bits` selects is `value`.
struct bit_condition {
  index_t bits = 0;
  bool value = true;
  friend constexpr bool operator==(bit_condition const&, bit_condition const&) = default;
};

/// The indices that meet k independent conditions: 2^(n-k) of 2^n, a coset of a subspace. Two
/// cosets with the same indices compare equal, whatever conditions they were made of.
/// Method  each condition is a row of n + 1 bits, its value on top; rows are reduced so that each
///         has a pivot, its highest index bit, that no other row has.
class coset {
 public:
  /// The only index of no bits.
  constexpr coset() = default;
  /// Throws bad_value for conditions on bits beyond n <= 63, and where no index meets them all.
  constexpr coset(unsigned n, std::span<bit_condition const> conditions) : n_(n) {
    if (n > most_bits) detail::refuse({"indices have at most 63 bits, not ", n});
    for (bit_condition const& each : conditions) {
      if ((each.bits & ~low_bits(n)) != 0)
        detail::refuse({"a condition is on bit ", std::bit_width(each.bits) - 1,
                        ", but indices have ", n, " bits"});
      if (!add(rows_, row_of(each), 0))
        throw bad_value("the conditions contradict each other: no index meets them all");
    }
  }
  constexpr coset(unsigned n, std::initializer_list<bit_condition> conditions)
      : coset(n, std::span(conditions.begin(), conditions.size())) {}

  [[nodiscard]] constexpr unsigned bits() const noexcept { return n_; }
  /// Independent conditions: k.
  [[nodiscard]] constexpr unsigned size() const noexcept { return rows_.dimension(); }
  /// The coset has 2^dimension() indices.
  [[nodiscard]] constexpr unsigned dimension() const noexcept { return n_ - size(); }
  /// Reduced condition i < size().
  [[nodiscard]] constexpr bit_condition operator[](unsigned i) const noexcept {
    const index_t row = rows_.vectors.column[i];
    return {row & low_bits(n_), ((row >> n_) & 1) != 0};
  }
  /// Whether index x < 2^n meets all conditions. Cost: k word operations.
  [[nodiscard]] constexpr bool contains(index_t x) const noexcept {
    for (unsigned i = 0; i < size(); ++i)
      if ((std::popcount(rows_.vectors.column[i] & (x | bit(n_))) & 1) != 0) return false;
    return true;
  }

  /// The same with one condition more. Throws as the constructor.
  [[nodiscard]] constexpr coset with(bit_condition const& more) const {
    coset c = *this;
    if ((more.bits & ~low_bits(n_)) != 0 || !add(c.rows_, row_of(more), 0))
      throw bad_value("the conditions contradict each other: no index meets them all");
    return c;
  }

  /// The coset as the image of an injective map of n - k bits. Each condition gives one index bit,
  /// its pivot, as a sum of the others; those are the bits of x, in their order. A pivot is one of
  /// the bits in `preferred` where a condition has any, the highest of these.
  struct parametrization {
    affine_map points{};
    index_t free = 0;  // the index bits that are bits of x
  };
  [[nodiscard]] constexpr parametrization points(index_t preferred = ~index_t{0}) const {
    subspace rows(n_ + 1);
    for (const index_t row : rows_.vectors.column) add(rows, row, preferred);
    parametrization made{{{n_, dimension()}, 0}, low_bits(n_) & ~rows.pivots};
    unsigned x = 0;
    for (index_t rest = made.free; rest != 0; rest &= rest - 1)
      made.points.matrix.column[x++] = rest & (~rest + 1);
    unsigned i = 0;
    for (index_t rest = rows.pivots; rest != 0; rest &= rest - 1, ++i) {
      const index_t pivot = rest & (~rest + 1), row = rows.vectors.column[i];
      for (unsigned j = 0; j < dimension(); ++j)
        if ((made.points.matrix.column[j] & made.free & row) != 0)
          made.points.matrix.column[j] |= pivot;
      if (((row >> n_) & 1) != 0) made.points.complement |= pivot;
    }
    return made;
  }

  friend constexpr bool operator==(coset const&, coset const&) = default;

 private:
  [[nodiscard]] constexpr index_t row_of(bit_condition const& c) const noexcept {
    return c.bits | (c.value ? bit(n_) : 0);
  }
  /// False where what is left of the row says 0 = 1.
  constexpr bool add(subspace& rows, index_t row, index_t preferred) const noexcept {
    const index_t left = rows.least(row) & low_bits(n_);
    if (left == 0) return rows.least(row) == 0;
    const index_t among = (left & preferred) != 0 ? left & preferred : left;
    rows.add(row, std::bit_floor(among));
    return true;
  }

  unsigned n_ = 0;
  subspace rows_{1};
};

/// Where p takes the indices of a coset: again a coset. Throws bad_value where bits differ.
[[nodiscard]] constexpr coset image(permutation<> const& p, coset const& w) {
  detail::require_same_bits(p.bits(), w.bits());
  const auto back = inverse(p);
  const auto rows = transposed(back.matrix());
  short_list<bit_condition> moved;
  for (unsigned i = 0; i < w.size(); ++i) {
    const bool flips = (std::popcount(w[i].bits & back.complement()) & 1) != 0;
    moved.push_back({rows * w[i].bits, w[i].value != flips});
  }
  return {w.bits(), std::span(moved.data(), moved.size())};
}

/// Whether no index is in both. Throws bad_value where their numbers of bits differ.
[[nodiscard]] constexpr bool are_disjoint(coset const& a, coset const& b) {
  detail::require_same_bits(a.bits(), b.bits());
  subspace rows(a.bits() + 1);
  for (coset const* w : {&a, &b})
    for (unsigned i = 0; i < w->size(); ++i)
      rows.add((*w)[i].bits | ((*w)[i].value ? bit(a.bits()) : 0));
  return rows.contains(bit(a.bits()));
}

}  // namespace bmmc
