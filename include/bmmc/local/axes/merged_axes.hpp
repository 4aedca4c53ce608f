// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <utility>

#include <bmmc/error.hpp>
#include <bmmc/local/axes/axes_plan.hpp>

/// The axes of a movement, as few as there are, and what stays together at their fast ends.
namespace bmmc::local::detail {

[[nodiscard]] constexpr index_t whole_lines(index_t bytes) noexcept {
  return (bytes + 63) / 64 * 64;
}

/// Sorts a few items by insertion: std::stable_sort allocates.
template <class T, class Less>
void sort_stably(short_list<T>& list, Less less) {
  for (unsigned k = 1; k < list.size(); ++k)
    for (unsigned i = k; i > 0 && less(list[i], list[i - 1]); --i) std::swap(list[i], list[i - 1]);
}

/// The axes of more than one position, the fastest of the target last; those that are one axis on
/// both sides are merged. Throws bad_value where two elements could have one place in the target.
[[nodiscard]] inline short_list<axes_plan::axis> merged_axes(short_list<strided_axis> given,
                                                             index_t element_bytes) {
  sort_stably(given, [](auto const& a, auto const& b) { return a.target < b.target; });
  short_list<axes_plan::axis> made;
  index_t beyond = element_bytes;  // the faster axes lie in so many bytes
  for (strided_axis const& next : given) {
    if (next.extent == 1) continue;
    if (next.target < beyond)
      throw bad_value(
          bmmc::detail::text({"a target stride of ", next.target, " bytes is less than the ",
                              beyond, " bytes that the faster axes take"}));
    axes_plan::axis* last = made.empty() ? nullptr : &made[made.size() - 1];
    if (last != nullptr && next.target == last->target * last->extent &&
        next.source == last->source * last->extent)
      last->extent *= next.extent;
    else
      made.push_back({next});
    beyond = next.target * (next.extent - 1) + beyond;
  }
  if (made.empty()) made.push_back({{1, element_bytes, element_bytes}});
  std::reverse(made.item.begin(), made.item.begin() + made.count);
  return made;
}

/// Takes the fastest axes of the target, where they are those of the source and have no gaps on
/// either side, for a unit of up to so many bytes. Lookups grow with the square of the lines: of
/// more than eight they are worth it only where squares have little room.
inline void take_block(axes_plan& p, index_t most) {
  constexpr index_t always = 512, narrow = 48;
  const auto is_dense_in_source = [&](unsigned first, index_t bytes) {
    index_t beside = p.unit;
    for (unsigned turn = first; turn < p.axes.size(); ++turn)
      for (unsigned k = first; k < p.axes.size(); ++k)
        if (p.axes[k].source == beside && beside < bytes) {
          beside *= p.axes[k].extent;
          break;
        }
    return beside == bytes;
  };
  index_t bytes = p.unit;
  for (unsigned k = p.axes.size(); k-- > 0;) {
    if (p.axes[k].target != bytes || p.axes[k].extent > most / bytes) return;
    bytes *= p.axes[k].extent;
    if (k + 1 == p.axes.size() || !is_dense_in_source(k, bytes)) continue;
    if (bytes > always && p.fastest().extent * p.unit >= narrow) return;
    for (unsigned i = k; i < p.axes.size(); ++i) p.block[p.block_axes++] = p.axes[i];
    p.axes.count = k;
    p.unit = bytes;
    if (p.axes.empty()) p.axes.push_back({{1, bytes, bytes}});
    return;
  }
}

}  // namespace bmmc::local::detail
