// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include <bmmc/index/extents.hpp>

namespace bmmc::local {

/// Runs and boxes of a movement between arrays, in bytes.
struct box_shape {
  index_t source_run = 4096, target_run = 128;  // side by side in a box
  index_t target_whole = 1024;                  // an axis of the target so long is not cut
  index_t most = index_t{1} << 18;              // of a box, which waits in the second-level cache
};

/// One loop of a movement: positions, and bytes from one to the next on either side.
struct strided_axis {
  index_t extent = 1, source = 0, target = 0;
};

/// A movement between two arrays, cut into boxes: an interval along each axis. A box has long runs
/// of the source, which are fetched into the second-level cache while the box before is moved, and
/// whole lines of the target. It is moved in pieces, each a line of many source runs: a piece is
/// transposed into a small buffer and stored from there.
struct axes_plan {
  static constexpr unsigned none = ~0U;
  struct axis : strided_axis {
    index_t width = 1;   // of a box; the last one along the axis may have less
    index_t piece = 1;   // of a piece
    index_t buffer = 0;  // bytes from one position to the next in the buffer of a piece
    index_t row = 0;     // runs of the target in a box from one position to the next
    [[nodiscard]] index_t boxes() const noexcept { return (extent + width - 1) / width; }
  };

  short_list<axis> axes;              // one at least, the fastest of the target last
  short_list<unsigned> source_order;  // the same, the fastest of the source last
  index_t unit = 1;                   // bytes that stay together
  unsigned run_axes = 0;              // as many of the last axes make up a run of the target
  unsigned sweep = none;              // boxes follow along this axis first: it continues their runs
  index_t piece_bytes = 0, rows = 1;  // the buffer of a piece; runs of the target in a box
  index_t boxes = 1, bytes = 1;

  /// A buffer for a piece, and a line for each run that waits to be filled by the next box.
  [[nodiscard]] index_t buffer_bytes() const noexcept {
    return piece_bytes + (sweep == none ? 0 : 64 * rows);
  }

  [[nodiscard]] axis const& fastest() const noexcept { return axes[axes.size() - 1]; }
  [[nodiscard]] unsigned fastest_of_source() const noexcept {
    return source_order[source_order.size() - 1];
  }
};

namespace detail {

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

[[nodiscard]] constexpr index_t whole_lines(index_t bytes) noexcept {
  return (bytes + 63) / 64 * 64;
}

/// Widens a box along the fast axes of one side, `stride` of an axis, until its runs have `wanted`
/// bytes or the box has no room for so many positions. An axis of up to `whole` bytes is not cut.
template <class Stride>
void widen(axes_plan& p, short_list<unsigned> const& order, Stride stride, index_t wanted,
           index_t whole, index_t& room) {
  index_t run = p.unit;
  for (unsigned i = order.size(); i-- > 0 && run < wanted;) {
    auto& a = p.axes[order[i]];
    if (stride(a) != run && i + 1 != order.size()) return;  // a gap
    const index_t enough = run * a.extent <= whole ? a.extent : (wanted + run - 1) / run;
    const index_t most = std::min({enough, room * a.width, a.extent});
    if (most > a.width) {
      room *= a.width;
      const index_t count = (a.extent + most - 1) / most, line = std::max<index_t>(1, 64 / p.unit);
      a.width = (a.extent + count - 1) / count;  // all alike, in whole lines
      if (count > 1) a.width = std::min(most, (a.width + line - 1) / line * line);
      room = std::max<index_t>(1, room / a.width);
    }
    run *= a.width;
    if (a.width != a.extent) return;
  }
}

}  // namespace detail

/// Prepares a movement of elements of so many bytes; unless `joins`, elements stay apart.
/// Cost    O(d^2) for d axes; no allocation.
/// Errors  bad_value where two elements could have one place in the target.
[[nodiscard]] inline axes_plan make_axes_plan(short_list<strided_axis> const& given,
                                              index_t element_bytes, box_shape const& shape,
                                              bool joins = true) {
  axes_plan p;
  p.axes = detail::merged_axes(given, element_bytes);
  p.unit = element_bytes;
  // Some elements side by side on both sides are one larger element.
  if (auto const& last = p.fastest(); joins && p.axes.size() > 1 && last.source == p.unit &&
                                      last.target == p.unit && p.unit * last.extent <= 16 &&
                                      std::has_single_bit(p.unit * last.extent)) {
    p.unit *= last.extent;
    --p.axes.count;
  }
  short_list<unsigned> target_order;
  for (unsigned k = 0; k < p.axes.size(); ++k) target_order.push_back(k);
  p.source_order = target_order;
  detail::sort_stably(p.source_order,
                      [&](unsigned a, unsigned b) { return p.axes[a].source > p.axes[b].source; });

  box_shape s = shape;  // shorter runs where a box has no room for these
  while (s.source_run * s.target_run / p.unit > s.most) s.source_run /= 2;
  index_t room = std::max<index_t>(1, s.most / p.unit);
  detail::widen(
      p, p.source_order, [](auto const& a) { return a.source; }, s.source_run, s.source_run, room);
  const index_t target_run =
      p.fastest_of_source() + 1 == p.axes.size() ? s.source_run : s.target_run;
  detail::widen(
      p, target_order, [](auto const& a) { return a.target; }, target_run, s.target_whole, room);

  // Lines of a run wait for the next box; a box of less than a line would have none of its own.
  // In the buffer runs of the target follow one another, each with a line before it.
  index_t step = p.unit, run = p.unit;
  bool in_run = true;
  for (unsigned k = p.axes.size(); k-- > 0;) {
    auto& a = p.axes[k];
    const bool continues = in_run && a.target == step;
    if (continues && a.width != a.extent) p.sweep = k;
    if (in_run && (!continues || (a.width == 1 && a.extent != 1))) {
      in_run = false;
      step = detail::whole_lines(step) + 64;
    }
    a.buffer = step;
    if (in_run) {
      ++p.run_axes;
      a.piece = a.width;
      run *= a.width;
      step *= a.width;
      if (a.width != a.extent) {
        in_run = false;
        step = detail::whole_lines(step) + 64;
      }
    } else {
      a.row = p.rows;
      p.rows *= a.width;
      if (k == p.fastest_of_source())
        step *= a.piece = std::min(a.width, std::max<index_t>(1, 64 / p.unit));
    }
    p.boxes *= a.boxes();
    p.bytes *= a.extent;
  }
  if (run < 64) p.sweep = axes_plan::none;
  p.piece_bytes = detail::whole_lines(step) + 64;
  p.bytes *= p.unit;
  return p;
}

}  // namespace bmmc::local
