// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <optional>
#include <span>

#include <bmmc/gf2/elimination.hpp>

namespace bmmc {

/// Gives one bit of an index a new value: bit `dimension` becomes the sum of the bits in `row`,
/// plus 1 where `flip` is set. Every other bit stays. Where `row` holds the bit itself this is a
/// conditional exchange: on a hypercube a node either swaps its data with its neighbour across
/// `dimension` or does nothing. Otherwise it is a conditional projection, which merges pairs of
/// indices.
/// Source  Edelman, Heller, Johnsson 1994, definition 3.3 and lemma 3.1; `flip` covers affine maps.
struct conditional_exchange {
  unsigned dimension = 0;
  index_t row = 1;
  bool flip = false;

  [[nodiscard]] constexpr bool is_projection() const noexcept {
    return ((row >> dimension) & 1) == 0;
  }
  /// Nothing moves.
  [[nodiscard]] constexpr bool is_identity() const noexcept {
    return row == bit(dimension) && !flip;
  }
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    const auto sum = static_cast<index_t>(std::popcount(x & row) + (flip ? 1 : 0)) & 1;
    return (x & ~bit(dimension)) | sum << dimension;
  }
  friend constexpr bool operator==(conditional_exchange const&,
                                   conditional_exchange const&) = default;
};

/// Conditional exchanges, performed from the first to the last.
using exchange_list = short_list<conditional_exchange>;
/// Dimensions of a hypercube in the order in which they are used.
using dimension_order = short_list<unsigned>;

/// The dimensions 0, 1, .. n-1: the standard order. Throws bad_value for n > 64.
[[nodiscard]] constexpr dimension_order ascending_order(unsigned n) {
  dimension_order order;
  for (unsigned k = 0; k < n; ++k) order.push_back(k);
  return order;
}
/// The dimensions n-1, n-2, .. 0.
[[nodiscard]] constexpr dimension_order descending_order(unsigned n) {
  dimension_order order;
  for (unsigned k = n; k-- > 0;) order.push_back(k);
  return order;
}

/// The n x n matrix of one exchange, without its flip: the identity but for one row.
[[nodiscard]] constexpr bit_matrix<> exchange_matrix(unsigned n, conditional_exchange const& e) {
  auto a = identity_matrix(n);
  for (unsigned j = 0; j < n; ++j)
    a.column[j] = (a.column[j] & ~bit(e.dimension)) | ((e.row >> j) & 1) << e.dimension;
  return a;
}

/// The n x n matrix of exchanges done one after the other, the first in the list first.
[[nodiscard]] constexpr bit_matrix<> product(unsigned n, exchange_list const& exchanges) {
  auto a = identity_matrix(n);
  for (conditional_exchange const& e : exchanges)
    for (unsigned j = 0; j < n; ++j) a.column[j] = e(a.column[j]) ^ (e.flip ? bit(e.dimension) : 0);
  return a;
}

}  // namespace bmmc
