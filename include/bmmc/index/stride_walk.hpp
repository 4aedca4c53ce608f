// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/stride.hpp>

namespace bmmc::detail {

/// The least t >= 0 with low <= a t mod n <= high, where a < n, low <= high < n and there is one.
/// Cost: O(log n) divisions.
[[nodiscard]] constexpr index_t first_within(index_t a, index_t n, index_t low, index_t high) {
  if (low == 0) return 0;
  if (a > n - a) return first_within(n - a, n, n - high, n - low);  // the same, run backwards
  const index_t steps = (low - 1) / a + 1;  // the first t with a t >= low, before the first wrap
  if (steps <= high / a) return steps;
  // No multiple of a lies within, so neither do the wraps w change the order of the remainders:
  // n w + [low, high] must meet a multiple of a.
  const index_t wraps = first_within((a - n % a) % a, a, low % a, high % a);
  return static_cast<index_t>((static_cast<wide_index>(n) * wraps + low - 1) / a + 1);
}

/// The sum of floor((a i + b) / n) over i < count, modulo 2^64. Cost: O(log n) divisions.
[[nodiscard]] constexpr index_t floor_sum(index_t count, index_t n, index_t a, index_t b) noexcept {
  index_t sum = 0;
  for (;;) {
    // count (count - 1) / 2, the even one of the two halved first
    sum += (count % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count) * (a / n);
    sum += count * (b / n);
    a %= n;
    b %= n;
    const wide_index most = static_cast<wide_index>(a) * count + b;
    if (most < n) return sum;
    count = static_cast<index_t>(most / n);
    b = static_cast<index_t>(most % n);
    const index_t old = n;
    n = a;
    a = old;
  }
}

/// Finds the indices that a stride permutation takes into one interval of `width` targets from
/// `low` on. By the three-gap theorem the way from one of them to the next has one of three
/// lengths, which depends on the place in the interval: no index is tried in vain, nothing is
/// stored, and a step is a comparison or two and two additions.
/// Source  N. B. Slater, Gaps and steps for the sequence n theta mod 1, 1967.
class stride_walk {
 public:
  constexpr stride_walk(stride_permutation const& s, index_t low, index_t width)
      : stride_(s), low_(low), width_(width) {
    if (width == 0) return;
    const index_t n = s.size(), q = s.multiplier();
    up_steps_ = 1 + first_from(q);
    up_ = multiply_modulo(q, up_steps_ % n, n);
    down_steps_ = first_back();
    down_ = (n - multiply_modulo(q, down_steps_ % n, n)) % n;
  }

  /// Where a walk stands: the next index with a target in the interval.
  class cursor {
   public:
    /// Calls f(x, y - low) for the next `count` such indices x with targets y, x ascending; there
    /// are as many. Cost: O(1) for each.
    template <class F>
    constexpr void take(index_t count, F f) {
      index_t x = x_, at = at_;
      for (; count != 0; --count) {
        f(x, at);
        if (at < width_ - up_) {
          x += up_steps_;
          at += up_;
        } else if (at >= down_) {
          x += down_steps_;
          at -= down_;
        } else {
          x += up_steps_ + down_steps_;
          at = at + up_ - down_;
        }
      }
      x_ = x;
      at_ = at;
    }

   private:
    friend class stride_walk;
    index_t width_ = 0, up_steps_ = 0, up_ = 0, down_steps_ = 0, down_ = 0, x_ = 0, at_ = 0;
  };

  /// A walk through the indices from `first` on. Cost: O(log N).
  [[nodiscard]] constexpr cursor from(index_t first) const {
    cursor made;
    if (width_ == 0) return made;
    made.width_ = width_;
    made.up_steps_ = up_steps_;
    made.up_ = up_;
    made.down_steps_ = down_steps_;
    made.down_ = down_;
    // x runs on beyond the last index, as the targets come round again
    const index_t steps = first_from(place(stride_(first)));
    made.x_ = first + steps;
    made.at_ = place(stride_(made.x_ % stride_.size()));
    return made;
  }

  /// How many there are. Cost: O(log N).
  [[nodiscard]] constexpr index_t hits(index_t first, index_t count) const noexcept {
    if (width_ == 0 || count == 0) return 0;
    // (q x + c) mod N < width, where adding N - width carries over a multiple of N unless so
    const index_t n = stride_.size(), q = stride_.multiplier(), c = place(stride_(first));
    return count - (floor_sum(count, n, q, c + (n - width_)) - floor_sum(count, n, q, c));
  }

 private:
  /// Distance of a target from the start of the interval, around the circle.
  [[nodiscard]] constexpr index_t place(index_t y) const noexcept {
    return y >= low_ ? y - low_ : y + (stride_.size() - low_);
  }
  /// Steps from place `at` to the first place inside.
  [[nodiscard]] constexpr index_t first_from(index_t at) const {
    const index_t n = stride_.size();
    if (at < width_) return 0;
    return first_within(stride_.multiplier(), n, n - at, n - at + width_ - 1);
  }
  /// Steps, one at least, after which the place is less by less than the width.
  [[nodiscard]] constexpr index_t first_back() const {
    const index_t n = stride_.size(), back = (n - stride_.multiplier()) % n;
    if (back < width_) return 1;
    return 1 + first_within(back, n, n - back, n - back + width_ - 1);
  }

  stride_permutation stride_;
  index_t low_, width_;
  index_t up_steps_ = 0, up_ = 0, down_steps_ = 0, down_ = 0;
};

}  // namespace bmmc::detail
