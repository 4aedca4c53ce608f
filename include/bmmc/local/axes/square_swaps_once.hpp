// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include <bmmc/error.hpp>
#include <bmmc/local/axes/merged_axes.hpp>
#include <bmmc/local/axes/square_swaps.hpp>

namespace bmmc::local::detail {

/// Axes of a target, the slowest first, of which neighbours that stay together are one where
/// `joins` has a bit.
[[nodiscard]] inline short_list<strided_axis> joined_axes(short_list<strided_axis> const& axes,
                                                          index_t joins) {
  short_list<strided_axis> made;
  for (unsigned k = 0; k < axes.size(); ++k)
    if (k != 0 && (joins >> k & 1) != 0)
      made[made.size() - 1] = {made[made.size() - 1].extent * axes[k].extent, axes[k].source,
                               axes[k].target};
    else
      made.push_back(axes[k]);
  return made;
}

/// The swaps that bring axes to their places, one after another, each to that of one of the same
/// extent; false where that cannot be.
[[nodiscard]] inline bool find_swaps(short_list<strided_axis> const& wanted, index_t element_bytes,
                                     std::vector<square_swap>& swaps) {
  auto held = wanted;
  sort_stably(held, [](auto const& a, auto const& b) { return a.source > b.source; });
  for (unsigned k = 0; k < wanted.size(); ++k)
    if (held[k].extent != wanted[k].extent) return false;
  for (unsigned k = 0; k < wanted.size(); ++k) {
    unsigned m = k;
    while (held[m].target != wanted[k].target) ++m;
    if (m == k) continue;
    square_swap s;
    s.extent = held[k].extent;
    s.segment = element_bytes;
    for (unsigned i = 0; i < held.size(); ++i)
      if (i != k && i != m) (i < k ? s.outer : i > m ? s.segment : s.between) *= held[i].extent;
    swaps.push_back(s);
    std::swap(held[k], held[m]);
  }
  return true;
}

BMMC_ONCE std::vector<square_swap> square_swaps(extents const& array, axis_order const& axes,
                                                index_t element_bytes) {
  const digit_permutation p(array, axes);
  short_list<strided_axis> apart;
  index_t joinable = 0;
  for (const unsigned k : axes) {
    if (array[k] == 1) continue;
    const strided_axis next{array[k], array.stride(k), p.target_stride(k)};
    if (apart.size() != 0 && apart[apart.size() - 1].source == next.source * next.extent)
      joinable |= bit(apart.size());
    apart.push_back(next);
  }
  std::vector<square_swap> swaps;
  for (index_t joins = 0;; joins = (joins - joinable) & joinable) {  // all subsets
    if (find_swaps(joined_axes(apart, joins), element_bytes, swaps)) return swaps;
    if (joins == joinable) break;
  }
  throw bad_value(
      "in place an axis can only come to the place of one of the same extent; permute_axes takes "
      "a second array and any extents");
}

}  // namespace bmmc::local::detail
