// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/digit_algebra.hpp>
#include <bmmc/index/digit_walk.hpp>
#include <bmmc/plan/route.hpp>

namespace bmmc {

/// The route of a digit permutation: no table at all. What two processes exchange lies in boxes,
/// products of positions along each axis; they agree on the order of the boxes and take each in
/// ascending source index.
/// Cost    a count, or the start of a walk: O(d log N) for each of at most 4 d^2 pairs of boxes, d
///         axes. O(1) for each element.
class digit_route {
 public:
  digit_route(digit_permutation const& p, layout::blocks const& layout, index_t proc)
      : map_(simplified(p)), layout_(layout), proc_(proc) {
    if (map_.order() == 0) map_ = identity_permutation(extents{1});
  }

  [[nodiscard]] index_t sent(index_t proc) const { return walk(proc_, proc).count(); }
  [[nodiscard]] index_t received(index_t proc) const { return walk(proc, proc_).count(); }
  [[nodiscard]] auto sending(index_t proc) const {
    return cursor<true>{walk(proc_, proc).begin(), layout_.first(proc_)};
  }
  [[nodiscard]] auto receiving(index_t proc) const {
    return cursor<false>{walk(proc, proc_).begin(), layout_.first(proc_)};
  }
  template <class F>
  void each_kept(F f) const {
    const auto kept = walk(proc_, proc_);
    kept.begin().take(kept.count(), [&, first = layout_.first(proc_)](index_t x, index_t y) {
      f(x - first, y - first);
    });
  }

 private:
  template <bool OfSource>
  struct cursor {
    detail::digit_walk::cursor walk;
    index_t first;

    template <class F>
    void take(index_t count, F f) {
      walk.take(count, [&](index_t x, index_t y) { f((OfSource ? x : y) - first); });
    }
  };

  [[nodiscard]] detail::digit_walk walk(index_t source, index_t target) const {
    return {map_,
            {layout_.first(source), layout_.count(source)},
            {layout_.first(target), layout_.count(target)}};
  }

  digit_permutation map_;
  layout::blocks layout_;
  index_t proc_;
};

}  // namespace bmmc
