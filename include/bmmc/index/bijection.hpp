// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// Number of indices that a bijection permutes: 0 .. index_count(b) - 1.
template <class B>
  requires requires(B const& b) {
    { b.size() } -> std::same_as<index_t>;
  }
[[nodiscard]] constexpr index_t index_count(B const& b) noexcept {
  return b.size();
}
template <unsigned N>
[[nodiscard]] constexpr index_t index_count(permutation<N> const& p) noexcept {
  return bit(p.bits());
}

/// Permutes the indices 0 .. index_count(b) - 1, affine or not, and knows its inverse: beyond the
/// syntax a model promises inverse(b)(b(x)) == x for every index x. Every permutation is one.
template <class B>
concept IndexBijection = std::copy_constructible<B> && requires(B const& b, index_t x) {
  { index_count(b) } -> std::same_as<index_t>;
  { b(x) } -> std::same_as<index_t>;
  { inverse(b)(x) } -> std::same_as<index_t>;
};

/// A bijection of `size` indices from two functions that undo each other, of index_t to index_t.
template <class Forward, class Backward>
class function_bijection {
 public:
  constexpr function_bijection(index_t size, Forward forward, Backward backward)
      : size_(size), forward_(std::move(forward)), backward_(std::move(backward)) {}

  [[nodiscard]] constexpr index_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr index_t operator()(index_t x) const { return forward_(x); }

  [[nodiscard]] friend constexpr function_bijection<Backward, Forward> inverse(
      function_bijection const& b) {
    return {b.size_, b.backward_, b.forward_};
  }

 private:
  index_t size_;
  Forward forward_;
  Backward backward_;
};

/// An affine permutation for any number of processes: `permute` moves it by a plan where their
/// number is a power of two, and as any other bijection of elements in blocks where it is not.
class as_bijection {
 public:
  constexpr explicit as_bijection(permutation<> const& p) : map_(p) {}

  [[nodiscard]] constexpr permutation<> const& map() const noexcept { return map_; }
  [[nodiscard]] constexpr index_t size() const noexcept { return bit(map_.bits()); }
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept { return map_(x); }

  [[nodiscard]] friend constexpr as_bijection inverse(as_bijection const& b) {
    return as_bijection(inverse(b.map_));
  }

 private:
  permutation<> map_;
};
[[nodiscard]] constexpr as_bijection inverse(as_bijection const& b);

namespace detail {
template <class B>
inline constexpr bool is_affine = false;
template <unsigned N>
inline constexpr bool is_affine<permutation<N>> = true;
}  // namespace detail

static_assert(IndexBijection<as_bijection>);

}  // namespace bmmc
