// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include <bmmc/local/axes_widths.hpp>

namespace bmmc::local {

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

/// Finds the axes that make up a run of the target in a box, and which of them are columns.
inline void set_run(axes_plan& p) {
  const unsigned s = p.fastest_of_source();
  const bool has_rows = p.axes[s].source == p.unit;
  index_t run = p.unit;
  bool is_column = true;
  for (unsigned k = p.axes.size(); k-- > 0;) {
    auto& a = p.axes[k];
    if (a.target != run) break;
    if (a.width != a.extent) p.box_order = {k};
    if (a.width == 1 && a.extent != 1) break;
    a.buffer = run;
    run *= a.width;
    if (has_rows && k == s && k + 1 == p.axes.size()) {
      a.role = axis_role::segment;
    } else {
      is_column = is_column && !(has_rows && k == s);
      a.role = is_column ? axis_role::column : axis_role::of_run;
      if (is_column) p.cols *= a.width;
    }
    if (a.width != a.extent) break;
  }
  if (run < 64) p.box_order = {};  // a box has no line of its own: no run goes on
  p.row_step = whole_lines(run) + 64;
}

/// Finds how many rows of a run are moved together: a few of a long one where they follow one
/// another in it, so that the buffer stays in the first-level cache.
inline void set_part(axes_plan& p) {
  constexpr index_t most = index_t{1} << 13;  // bytes
  p.part = p.rows_of_run;
  index_t place = p.cols * p.unit;
  for (unsigned i = p.source_order.size(); i-- > 0;)
    if (auto const& a = p.axes[p.source_order[i]]; a.role == axis_role::row_of_run) {
      if (a.buffer != place) return;
      place *= a.width;
    } else if (a.role == axis_role::of_run || a.role == axis_role::segment) {
      return;
    }
  if (p.rows_of_run == 1 || place <= 2 * most) return;
  const index_t row = p.cols * p.unit;
  p.part = std::min(p.rows_of_run, std::max<index_t>({1, 32 / p.unit, most / row}));
  p.row_step = whole_lines((p.part + p.part / 2) * row) + 64;  // the last one may be longer
}

/// Finds the rows: axes side by side in the source, those of the run before others.
inline void set_rows(axes_plan& p) {
  if (p.fastest().role != axis_role::segment) {
    index_t together = p.unit;
    bool in_run = true;
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      auto& a = p.axes[p.source_order[i]];
      if (a.source != together || a.role == axis_role::column) break;
      in_run = in_run && a.role == axis_role::of_run;
      if (!in_run && a.role == axis_role::of_run) break;
      a.role = in_run ? axis_role::row_of_run : axis_role::row;
      (in_run ? p.rows_of_run : p.row_runs) *= a.width;
      together *= a.width;
      if (a.width != a.extent) break;
    }
  }
  p.runs = p.row_runs;
  for (unsigned k = p.axes.size(); k-- > 0;)
    if (auto& a = p.axes[k]; a.role == axis_role::outside) {
      a.row = p.runs;
      p.runs *= a.width;
    }
  set_part(p);
  constexpr index_t most = index_t{1} << 15;  // of the buffer, in the first-level cache
  // runs that take several rows each are short ones, and a piece has to be worth its calls
  const index_t wanted = p.rows_of_run > 1 ? 256 : 64;
  const index_t line = std::max<index_t>(1, wanted / p.unit / p.rows_of_run),
                square = std::max<index_t>(1, 16 / p.unit / p.rows_of_run);
  const index_t wide = std::max(square, std::min(line, most / p.row_step)),
                number = std::min((p.row_runs + wide - 1) / wide,
                                  std::max<index_t>(1, p.row_runs / square));
  p.piece = p.part < p.rows_of_run ? 1 : (p.row_runs + number - 1) / number;  // all alike
}

/// Finds the order of boxes: along the axis that continues their runs, then along others that go on
/// where a run ends, one position in a box; then in the order of the source.
inline void set_box_order(axes_plan& p) {
  if (!p.box_order.empty())
    for (unsigned k = p.box_order[0]; k-- > 0;) {
      auto const &a = p.axes[k], &before = p.axes[k + 1];
      if (a.target != before.target * before.extent || a.width != 1 || a.is_in_run()) break;
      p.box_order.push_back(k);
    }
  p.sweeps = p.box_order.size();
  for (unsigned i = p.source_order.size(); i-- > 0;) {
    const unsigned k = p.source_order[i], *const swept = p.box_order.end();
    if (std::find(p.box_order.begin(), swept, k) == swept) p.box_order.push_back(k);
  }
}

/// Finds out whether all runs of the target in all boxes are whole lines of columns.
inline void set_lines(axes_plan& p) {
  index_t run = p.unit;
  bool fits = p.unit <= 16 && std::has_single_bit(p.unit);
  for (auto const& a : p.axes) {
    if (a.role == axis_role::column) {
      run *= a.width;
      fits = fits && (a.width == a.extent || a.target * a.extent % 64 == 0);
    } else {
      const bool is_beside = a.role == axis_role::row || a.role == axis_role::outside;
      fits = fits && is_beside && a.target % 64 == 0;
    }
  }
  p.has_lines = fits && run % 64 == 0;
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

  detail::choose_widths(p, target_order, shape);
  detail::set_run(p);
  detail::set_rows(p);
  detail::set_box_order(p);
  detail::set_lines(p);
  for (auto const& a : p.axes) {
    p.boxes *= a.boxes();
    p.bytes *= a.extent;
  }
  p.bytes *= p.unit;
  return p;
}

}  // namespace bmmc::local
