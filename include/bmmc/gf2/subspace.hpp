// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// The bits of x that `mask` selects, moved together: the lowest of them becomes bit 0.
[[nodiscard]] constexpr index_t extract_bits(index_t x, index_t mask) noexcept {
  index_t y = 0;
  for (unsigned to = 0; mask != 0; mask &= mask - 1, ++to)
    if ((x & mask & (~mask + 1)) != 0) y |= bit(to);
  return y;
}

/// A space of bit vectors that grows by one vector at a time: Gauss and Jordan's elimination. Its
/// basis is reduced: each vector has a pivot, a 1 that no other vector has, and pivots ascend.
/// Where pivots are the highest 1s, as they are unless somebody chooses others, the vectors of any
/// coset of the space, as numbers, ascend with their bits at the pivots. It also knows how its
/// basis was made of the vectors that were added.
class subspace {
 public:
  /// The basis, as columns, and the pivots of all together.
  bit_matrix<> vectors{64, 0};
  index_t pivots = 0;

  constexpr subspace() = default;
  /// Of vectors of so many bits.
  constexpr explicit subspace(unsigned rows) : vectors(rows, 0) {}

  [[nodiscard]] constexpr unsigned dimension() const noexcept { return vectors.cols(); }
  /// Number of x within its coset of the space, when that is sorted.
  [[nodiscard]] constexpr index_t coordinates(index_t x) const noexcept {
    return extract_bits(x, pivots);
  }
  /// The vector of the coset of x without 1s at the pivots: the least, where they are highest 1s.
  [[nodiscard]] constexpr index_t least(index_t x) const noexcept {
    return x ^ vectors * coordinates(x);
  }
  [[nodiscard]] constexpr bool contains(index_t x) const noexcept { return least(x) == 0; }

  /// Adds v. Returns whether the space has grown, that is, whether v was outside.
  /// Cost: at most 128 exclusive ors.
  [[gnu::noinline]] constexpr bool add(index_t v) noexcept {
    const index_t rest = least(v);
    if (rest == 0) return false;
    return add(v, std::bit_floor(rest));
  }
  /// The same with a pivot that the caller chooses among the 1s of least(v).
  constexpr bool add(index_t v, index_t pivot) noexcept {
    const index_t rest = least(v);
    const index_t made_of = sum_of(v) ^ bit(dimension());
    for (unsigned j = 0; j < dimension(); ++j)
      if ((vectors.column[j] & pivot) != 0) {
        vectors.column[j] ^= rest;
        made_of_[j] ^= made_of;
      }
    const auto place = static_cast<unsigned>(std::popcount(pivots & (pivot - 1)));
    for (unsigned j = vectors.column.count++; j > place; --j) {
      vectors.column[j] = vectors.column[j - 1];
      made_of_[j] = made_of_[j - 1];
    }
    vectors.column[place] = rest;
    made_of_[place] = made_of;
    added_.item[added_.count++] = v;
    pivots |= pivot;
    return true;
  }

  /// The vectors that made the space grow, in their order.
  [[nodiscard]] constexpr short_list<index_t> const& added() const noexcept { return added_; }
  /// Those of them whose sum differs from x by least(x): from x itself where the space holds it.
  [[nodiscard, gnu::noinline]] constexpr index_t sum_of(index_t x) const noexcept {
    index_t sum = 0;
    for (index_t rest = coordinates(x); rest != 0; rest &= rest - 1)
      sum ^= made_of_[detail::lowest_one(rest)];
    return sum;
  }

  /// The same space, with the same pivots.
  friend constexpr bool operator==(subspace const& a, subspace const& b) noexcept {
    return a.vectors == b.vectors && a.pivots == b.pivots;
  }

 private:
  short_list<index_t> added_{};
  std::array<index_t, 64> made_of_{};  // of a basis vector: the added vectors whose sum it is
};

/// The space that the columns of a matrix span. Cost: O(Cols^2) word operations.
[[nodiscard]] constexpr subspace column_space(bit_matrix<> const& a) {
  subspace space(a.rows());
  for (const index_t v : a.column) space.add(v);
  return space;
}

}  // namespace bmmc
