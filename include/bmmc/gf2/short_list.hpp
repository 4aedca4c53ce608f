// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>

#include <bmmc/error.hpp>

namespace bmmc {

/// An index, a set of index bits, or one column of a bit matrix. Bit 0 is the least significant.
using index_t = std::uint64_t;

/// Stands for a number of bits that is known only when the program runs.
inline constexpr unsigned dynamic_bits = ~0U;

/// The index 2^j.
[[nodiscard]] constexpr index_t bit(unsigned j) noexcept { return index_t{1} << j; }

/// The n lowest bits, n <= 64.
[[nodiscard]] constexpr index_t low_bits(unsigned n) noexcept {
  return n >= 64 ? ~index_t{0} : bit(n) - 1;
}

namespace detail {
/// The number of the lowest 1 of x, 64 where there is none; and of the highest, where there is one.
[[nodiscard]] constexpr unsigned lowest_one(index_t x) noexcept {
  return static_cast<unsigned>(std::countr_zero(x));
}
[[nodiscard]] constexpr unsigned highest_one(index_t x) noexcept {
  return static_cast<unsigned>(std::bit_width(x)) - 1;
}
}  // namespace detail

/// A list of at most 64 items: columns, vectors, dimensions, exchanges. It is kept inline, so that
/// it works in constant expressions and nothing is allocated.
template <class T>
struct short_list {
  std::array<T, 64> item{};
  unsigned count = 0;

  constexpr short_list() = default;
  constexpr short_list(std::initializer_list<T> items) {
    for (T const& each : items) push_back(each);
  }
  /// Throws bad_value for a 65th item.
  constexpr void push_back(T const& each) {
    if (count == 64) throw bad_value("a short list has at most 64 items");
    item[count++] = each;
  }
  [[nodiscard]] constexpr unsigned size() const noexcept { return count; }
  [[nodiscard]] constexpr bool empty() const noexcept { return count == 0; }
  [[nodiscard]] constexpr T const& operator[](unsigned k) const noexcept { return item[k]; }
  [[nodiscard]] constexpr T& operator[](unsigned k) noexcept { return item[k]; }
  [[nodiscard]] constexpr T const* data() const noexcept { return item.data(); }
  [[nodiscard]] constexpr T const* begin() const noexcept { return item.data(); }
  [[nodiscard]] constexpr T const* end() const noexcept { return item.data() + count; }
  /// The sum of the vectors that the 1s of `selected` choose.
  [[nodiscard]] constexpr index_t sum(index_t selected) const noexcept
    requires std::same_as<T, index_t>
  {
    index_t v = 0;
    for (unsigned j = 0; j < count; ++j)
      if (((selected >> j) & 1) != 0) v ^= item[j];
    return v;
  }
  friend constexpr bool operator==(short_list const&, short_list const&) = default;
};

}  // namespace bmmc
