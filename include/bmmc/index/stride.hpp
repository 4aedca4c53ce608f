// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <numeric>
#include <string>

#include <bmmc/index/bijection.hpp>

namespace bmmc {

namespace detail {
__extension__ typedef unsigned __int128 wide_index;

[[nodiscard]] constexpr index_t multiply_modulo(index_t a, index_t b, index_t n) noexcept {
  if (((a | b) >> 32) == 0) return a * b % n;  // a third of the time
  return static_cast<index_t>(static_cast<wide_index>(a) * b % n);
}
/// The number u < n with a u mod n = 1 mod n, where a and n have no common factor.
[[nodiscard]] constexpr index_t inverse_modulo(index_t a, index_t n) noexcept {
  index_t remainder = n, next = a % n, u = 0, next_u = 1 % n;  // remainder = u a mod n, always
  while (next != 0) {
    const index_t quotient = remainder / next, taken = multiply_modulo(quotient % n, next_u, n);
    const index_t after = remainder - quotient * next,
                  after_u = u >= taken ? u - taken : u + (n - taken);
    remainder = next;
    next = after;
    u = next_u;
    next_u = after_u;
  }
  return u;
}
}  // namespace detail

/// The permutation i -> q i + r mod N of any number N of indices, q and N without common factor.
/// Source  Orcutt 1974, section VI (p-ordered vectors, where r = 0).
class stride_permutation {
 public:
  /// Throws bad_value for N = 0 or over 2^63, and where q and N have a common factor.
  constexpr stride_permutation(index_t size, index_t multiplier, index_t shift = 0) : size_(size) {
    if (size == 0 || size > bit(most_bits))
      detail::refuse({"a stride permutation has 1 to 2^63 indices, not ", size});
    if (const index_t common = std::gcd(multiplier, size); common != 1)
      detail::refuse({"the stride ", multiplier, " and the size ", size, " have the common factor ",
                      common, ": that is no permutation"});
    multiplier_ = multiplier % size;
    shift_ = shift % size;
  }

  [[nodiscard]] constexpr index_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr index_t multiplier() const noexcept { return multiplier_; }
  [[nodiscard]] constexpr index_t shift() const noexcept { return shift_; }

  /// The target of source index x < size().
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    const index_t y = detail::multiply_modulo(multiplier_, x, size_);
    return y >= size_ - shift_ ? y - (size_ - shift_) : y + shift_;
  }

  [[nodiscard]] friend constexpr stride_permutation inverse(stride_permutation const& s) {
    const index_t undo = detail::inverse_modulo(s.multiplier_, s.size_);
    return {s.size_, undo, detail::multiply_modulo(undo, s.size_ - s.shift_, s.size_)};
  }
  friend constexpr bool operator==(stride_permutation const&, stride_permutation const&) = default;

 private:
  index_t size_, multiplier_ = 0, shift_ = 0;
};
[[nodiscard]] constexpr stride_permutation inverse(stride_permutation const& s);

/// From normal order to p-order: element i goes to place p i mod N.
[[nodiscard]] constexpr stride_permutation p_ordered(index_t size, index_t p) { return {size, p}; }
/// From p-order back to normal order. Source: Orcutt 1974, section VI.
[[nodiscard]] constexpr stride_permutation p_unordered(index_t size, index_t p) {
  return inverse(p_ordered(size, p));
}

static_assert(IndexBijection<stride_permutation>);

}  // namespace bmmc
