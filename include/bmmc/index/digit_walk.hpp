// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/index/digit_permutation.hpp>
#include <bmmc/index/stride_walk.hpp>

namespace bmmc::detail {

/// Consecutive indices.
struct index_interval {
  index_t first = 0, count = 0;
  [[nodiscard]] constexpr index_t last() const noexcept { return first + count; }
};

/// The next box of a row-major array that an interval of its indices is cut into: digits of the
/// slower axes are those of `first`, those along `axis` lie in [from, to), faster axes are whole.
/// An interval has at most two boxes for each axis.
struct digit_box {
  index_t first = 0, elements = 0;
  unsigned axis = 0;
  index_t from = 0, to = 0;

  /// The box that begins at `first` < last.
  constexpr digit_box(extents const& array, index_t begin, index_t last) : first(begin) {
    index_t unit = 1;
    for (axis = array.order() - 1; axis > 0; --axis) {
      const index_t whole = unit * array[axis];
      if (first % whole != 0 || last - first < whole) break;
      unit = whole;
    }
    from = first / unit % array[axis];
    to = std::min(array[axis], from + (last - first) / unit);
    elements = (to - from) * unit;
  }
  /// The positions along axis k, `stride` elements apart.
  [[nodiscard]] constexpr index_interval along(unsigned k, index_t extent,
                                               index_t stride) const noexcept {
    if (k < axis) return {first / stride % extent, 1};
    return k == axis ? index_interval{from, to - from} : index_interval{0, extent};
  }
};

/// Finds the indices of one interval that a digit permutation takes into another, a pair of boxes
/// at a time. The order depends on the intervals alone, so two processes that know both agree on
/// it. No index is tried in vain, nothing is stored.
class digit_walk {
 public:
  /// A map of one axis at least, which has no axis of extent 1 unless it is the only one.
  constexpr digit_walk(digit_permutation const& p, index_interval source, index_interval target)
      : map_(&p), source_(source), target_(target) {}

  /// How many there are. Cost: O(log N) for each axis of each pair of boxes.
  [[nodiscard]] constexpr index_t count() const {
    index_t all = 0;
    boxes pair(*map_);
    for (bool more = pair.start(source_, target_); more; more = pair.next()) all += pair.elements;
    return all;
  }

  class cursor;
  [[nodiscard]] constexpr cursor begin() const;

 private:
  /// What one axis of the source contributes to a pair of boxes: the positions of an interval whose
  /// images lie in another one.
  struct digit {
    index_t source_stride = 0, target_stride = 0;
    stride_walk::cursor start, next;
    index_t low = 0, count = 0, left = 0;
    index_t x = 0, y = 0;  // what the current position contributes to either index

    constexpr void advance() {
      next.take(1, [&](index_t at, index_t from_low) {
        x = at * source_stride;
        y = (low + from_low) * target_stride;
      });
      --left;
    }
    constexpr void restart() {
      next = start;
      left = count;
      advance();
    }
  };

  /// The pairs of a box of the source and one of the target that share elements.
  struct boxes {
    digit_permutation const& map;
    extents target_extents;
    std::array<unsigned, 64> place{};  // of an axis of the source in the target
    index_interval source{}, target{};
    index_t source_at = 0, target_at = 0;
    std::array<digit, 64> digits{};
    index_t elements = 0;

    constexpr explicit boxes(digit_permutation const& p)
        : map(p), target_extents(p.target_extents()) {
      for (unsigned k = 0; k < p.order(); ++k) {
        place[p.axes()[k]] = k;
        digits[k].source_stride = p.source_extents().stride(k);
        digits[k].target_stride = p.target_stride(k);
      }
    }
    constexpr bool start(index_interval s, index_interval t) {
      source = s;
      target = t;
      source_at = s.first;
      target_at = t.first;
      return s.count != 0 && t.count != 0 && find();
    }
    constexpr bool next() { return find(); }

   private:
    constexpr bool find() {
      while (source_at < source.last()) {
        const digit_box in_source(map.source_extents(), source_at, source.last());
        while (target_at < target.last()) {
          const digit_box in_target(target_extents, target_at, target.last());
          target_at += in_target.elements;
          if (meet(in_source, in_target)) return true;
        }
        source_at += in_source.elements;
        target_at = target.first;
      }
      return false;
    }
    constexpr bool meet(digit_box const& in_source, digit_box const& in_target) {
      elements = 1;
      for (unsigned k = 0; k < map.order(); ++k) {
        digit& d = digits[k];
        const index_t extent = map.source_extents()[k];
        const auto from = in_source.along(k, extent, d.source_stride),
                   to = in_target.along(place[k], extent, d.target_stride);
        const stride_walk walk(map.along(k), to.first, to.count);
        d.count = walk.hits(from.first, from.count);
        if (d.count == 0) return false;
        d.low = to.first;
        d.start = walk.from(from.first);
        elements *= d.count;
      }
      return true;
    }
  };

  digit_permutation const* map_;
  index_interval source_, target_;
};

/// Where a walk stands.
class digit_walk::cursor {
 public:
  constexpr explicit cursor(digit_walk const& walk) : boxes_(*walk.map_) {
    if (boxes_.start(walk.source_, walk.target_)) restart();
  }
  /// Calls f(x, y) for the next `count` indices x and their targets y; there are as many.
  template <class F>
  constexpr void take(index_t count, F f) {
    const unsigned last = boxes_.map.order() - 1;
    while (count != 0) {
      digit& fastest = boxes_.digits[last];
      if (fastest.left == 0) {
        next_row(last);
        continue;
      }
      const index_t run = std::min(count, fastest.left);
      fastest.next.take(run, [&](index_t at, index_t from_low) {
        f(x_ + at, y_ + (fastest.low + from_low) * fastest.target_stride);
      });
      fastest.left -= run;
      count -= run;
    }
  }

 private:
  constexpr void restart() {
    const unsigned last = boxes_.map.order() - 1;
    for (unsigned k = 0; k < last; ++k) boxes_.digits[k].restart();
    start_row(last);
  }
  constexpr void start_row(unsigned last) {
    x_ = y_ = 0;
    for (unsigned k = 0; k < last; ++k) {
      x_ += boxes_.digits[k].x;
      y_ += boxes_.digits[k].y;
    }
    boxes_.digits[last].next = boxes_.digits[last].start;
    boxes_.digits[last].left = boxes_.digits[last].count;
  }
  constexpr void next_row(unsigned last) {
    unsigned k = last;
    while (k-- > 0) {
      if (boxes_.digits[k].left != 0) {
        boxes_.digits[k].advance();
        return start_row(last);
      }
      boxes_.digits[k].restart();
    }
    if (boxes_.next()) restart();
  }

  boxes boxes_;
  index_t x_ = 0, y_ = 0;  // what all axes but the fastest contribute
};

constexpr digit_walk::cursor digit_walk::begin() const { return cursor(*this); }

}  // namespace bmmc::detail
