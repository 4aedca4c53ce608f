// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/study/cube/contention.hpp>

namespace bmmc::cube {

/// An order of n dimensions, at most 63: (*this)[k] is the old dimension that becomes dimension k.
struct dimension_order {
  std::array<unsigned, most_bits> dimension{};
  unsigned count = 0;

  [[nodiscard]] static constexpr dimension_order ascending(unsigned n) {
    dimension_order order{{}, n};
    for (unsigned k = 0; k < n; ++k) order.dimension[k] = k;
    return order;
  }
  [[nodiscard]] constexpr unsigned size() const noexcept { return count; }
  [[nodiscard]] constexpr unsigned operator[](unsigned k) const noexcept { return dimension[k]; }
  [[nodiscard]] constexpr unsigned& operator[](unsigned k) noexcept { return dimension[k]; }
  friend constexpr bool operator==(dimension_order const&, dimension_order const&) = default;
};

/// The permutation of nodes that an order makes: x' = Q x, with a 1 in row k, column order[k].
/// Throws bad_value unless each dimension stands in the order once.
[[nodiscard]] constexpr permutation<> reordering(dimension_order const& order) {
  std::array<unsigned, most_bits> target_of{};
  target_of.fill(order.count);  // taken by none
  for (unsigned k = 0; k < order.count; ++k)
    if (order[k] < order.count) target_of[order[k]] = k;
  return bit_permutation(std::span<unsigned const>(target_of.data(), order.count));
}

/// A reordering of the dimensions of a hypercube, and what it makes of a communication.
struct mapping {
  dimension_order order{};
  permutation<> q{};      // process x is put on node q(x)
  communication after{};  // between nodes: Q A Q^-1 and Q b
};

namespace detail {

constexpr index_t exchange_bits(index_t x, unsigned i, unsigned j) noexcept {
  const index_t differ = ((x >> i) ^ (x >> j)) & 1;
  return x ^ (differ << i) ^ (differ << j);
}

/// An order in which the first i columns of the first i + 1 rows of a nonsingular matrix are
/// independent, for every i. Rows are words here; cleared rows of the paper's V are its own.
/// Cost    O(n^2) word operations.
/// Source  Hou et al. 2001, figure 3.
constexpr dimension_order order_of_permutation(bit_matrix<> const& a) {
  const unsigned n = a.rows();
  auto row = transposed(a).column;
  auto order = dimension_order::ascending(n);
  index_t used = 0;
  for (unsigned i = 0; i + 1 < n; ++i) {
    unsigned j = 0;
    while ((row[j] & bit(i)) == 0 || (used & bit(j)) != 0) ++j;  // there is one: a has an inverse
    if (j > i + 1) {
      std::swap(row[i + 1], row[j]);
      for (unsigned k = 0; k < n; ++k) row[k] = exchange_bits(row[k], i + 1, j);
      std::swap(order[i + 1], order[j]);
      j = i + 1;
    }
    for (unsigned k = 0; k < n; ++k)
      if (k != j && (row[k] & bit(i)) != 0) row[k] ^= row[j];
    used |= bit(j);
  }
  return order;
}

/// An order with i - rank of the first i columns of the first i + 1 rows at most n - 1 - rank of
/// all, for every i, where a is singular. From the last dimension to the first it takes one whose
/// column depends on the others that are left; where none does, any will do, and the exponents
/// are 0 from there on.
/// Cost    O(n^3) word operations.
/// Source  Hou et al. 2001, proof of theorem 4 (with k - 1 where it has k + 1).
constexpr dimension_order order_of_gather(bit_matrix<> const& a) {
  dimension_order order{{}, a.rows()};
  index_t left = low_bits(a.rows());
  for (unsigned k = a.rows(); k-- > 0;) {
    const index_t dependent = left & ~find_column_basis(entries(a, left, left)).basis;
    order[k] = bmmc::detail::highest_one(dependent != 0 ? dependent : left);
    left &= ~bit(order[k]);
  }
  return order;
}

}  // namespace detail

/// An order of dimensions that makes the degree of contention as small as any order can: 1 for a
/// permutation (0 for the identity), 2^(n-1-rank A) for a singular A. A pull takes the order of the
/// push reversed.
/// Shape   one message for each node: A is n x n.
/// Cost    O(n^3) word operations, no allocation; constant expressions allowed.
/// Errors  bad_value where nodes have several messages: find_mapping of a set takes those.
/// Source  Hou et al. 2001, theorem 3 and figure 3, theorem 4; corollaries 1 and 2.
[[nodiscard]] constexpr mapping find_mapping(communication const& c) {
  if (c.message_bits() != 0)
    throw bad_value("the theorem needs one message for each node, not 2^" +
                    std::to_string(c.message_bits()));
  const auto& a = c.map.matrix;
  auto order =
      matrix_rank(a) == a.rows() ? detail::order_of_permutation(a) : detail::order_of_gather(a);
  if (c.pulled) std::reverse(order.dimension.begin(), order.dimension.begin() + order.count);
  const auto q = reordering(order);
  return {order, q, remapped(c, q)};
}

}  // namespace bmmc::cube
