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

/// A list of at most 64 dimensions or exchanges, kept inline so that it works in constant
/// expressions.
template <class T>
struct dimension_list {
  std::array<T, 64> item{};
  unsigned count = 0;

  constexpr dimension_list() = default;
  constexpr dimension_list(std::initializer_list<T> items) {
    for (T const& each : items) push_back(each);
  }
  /// Throws bad_value for a 65th item.
  constexpr void push_back(T const& each) {
    if (count == 64) throw bad_value("a list of dimensions has at most 64 items");
    item[count++] = each;
  }
  [[nodiscard]] constexpr unsigned size() const noexcept { return count; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
  [[nodiscard]] constexpr T const& operator[](unsigned k) const noexcept { return item[k]; }
  [[nodiscard]] constexpr T& operator[](unsigned k) noexcept { return item[k]; }
  [[nodiscard]] constexpr T const* data() const noexcept { return item.data(); }
  [[nodiscard]] constexpr T const* begin() const noexcept { return item.data(); }
  [[nodiscard]] constexpr T const* end() const noexcept { return item.data() + count; }
  friend constexpr bool operator==(dimension_list const&, dimension_list const&) = default;
};

using exchange_list = dimension_list<conditional_exchange>;
using dimension_order = dimension_list<unsigned>;

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
