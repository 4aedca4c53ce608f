// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>

#include <bmmc/local/axes/axes_widths.hpp>
#include <bmmc/local/axes/make_axes_plan.hpp>
#include <bmmc/local/axes/merged_axes.hpp>

namespace bmmc::local {

namespace detail {

/// The rows that fill half a line of the source or more, a line at most, where no axis of the run
/// is among them; else 1. With fewer rows a piece would leave parts of its lines to the next one.
inline index_t rows_of_line(axes_plan const& p) {
  if (p.block_axes > 0) return 1;
  index_t together = p.unit;
  for (unsigned i = p.source_order.size(); i-- > 0;) {
    auto const& a = p.axes[p.source_order[i]];
    if (a.source != together || a.role != axis_role::outside) break;
    together *= a.width;
    if (a.width != a.extent) break;
  }
  return together < 32 ? 1 : std::max<index_t>(1, std::min<index_t>(together, 64) / p.unit);
}

/// Cuts runs that are long, of the axes from `first` on, into parts along the slowest of these, so
/// that the buffer, with all rows of a line, stays in the first-level cache.
inline void set_parts(axes_plan& p, unsigned first, index_t run) {
  const index_t most = (index_t{1} << 14) / rows_of_line(p);  // bytes
  for (unsigned k = 0; k < p.axes.size(); ++k) p.axes[k].part = p.axes[k].width;
  for (unsigned k = first; k < p.axes.size() && run > 2 * most; ++k) {
    auto& a = p.axes[k];
    if (a.role == axis_role::segment) return;
    run /= a.width;
    const index_t least = a.source == p.unit ? std::max<index_t>(1, 32 / p.unit) : 1;
    a.part = even_piece(a.width, std::max(least, most / run));
    p.first_cut = first;
    p.last_cut = k + 1;
    if (a.part > 1) return;  // a part is side by side in the target
  }
}

/// Finds the axes that make up a run of the target in a box, and which of them are columns. Where
/// these are to be all of it, `columns_alone`, no row is one of them behind whole lines.
inline void set_run(axes_plan& p, bool columns_alone) {
  const unsigned s = p.fastest_of_source();
  const bool has_rows = p.axes[s].source == p.unit && p.block_axes == 0;
  index_t run = p.unit;
  unsigned first = p.axes.size();
  bool is_column = true;
  for (unsigned k = p.axes.size(); k-- > 0;) {
    auto& a = p.axes[k];
    if (a.target != run) break;
    const bool is_row = has_rows && k == s, is_segment = is_row && k + 1 == p.axes.size();
    if (columns_alone && is_row && is_column && run % 64 == 0) break;
    if (a.width != a.extent) p.box_order = {k};
    if (a.width == 1 && a.extent != 1) break;
    run *= a.width;
    first = k;
    is_column = is_column && (is_segment || !is_row);
    a.role = is_segment ? axis_role::segment : is_column ? axis_role::column : axis_role::of_run;
    if (a.width != a.extent) break;
  }
  if (run < 64) p.box_order = {};  // a box has no line of its own: no run goes on
  set_parts(p, first, run);
  run = p.unit;
  for (unsigned k = p.axes.size(); k-- > first;) {
    auto& a = p.axes[k];
    a.buffer = run;
    run *= a.part;
  }
  p.row_step = whole_lines(run) + 64;
}

constexpr index_t most_piece = index_t{1} << 15;  // bytes of the buffer, in the first-level cache

/// Whether rows go on behind those of other runs, which are short, along axis k of the run: then
/// this axis is none of the columns. The slowest axis of the run is cut to what fills 8 KiB of the
/// buffer, or to what makes 128 bytes of the source where that is more and there is room; other
/// axes go on whole. Where columns are to be all of a run that is done for rows that have no room
/// for a square alone.
inline bool continue_rows(axes_plan& p, unsigned k, index_t row_bytes, bool columns_alone) {
  auto& a = p.axes[k];
  constexpr index_t square = 16, line = 64, buffer = index_t{1} << 13, wanted = 128;
  const index_t short_row = columns_alone ? square : 256;
  if (row_bytes >= short_row || k + 1 == p.axes.size() || a.buffer < square) return false;
  if (a.role == axis_role::column && row_bytes >= square && a.buffer < line) return false;
  const bool is_slowest = k == 0 || !p.axes[k - 1].is_in_run();
  const auto fit = [&](index_t bytes) {
    const index_t run = bytes / p.row_runs;
    return run < 128 ? 0 : (run - 128) / a.buffer;
  };
  const index_t most =
      std::max(fit(buffer), std::min(std::max<index_t>(4, wanted / row_bytes), fit(most_piece)));
  if (is_slowest && most >= 4 && a.part > most) {
    a.part = even_piece(a.part, most);
    p.first_cut = k;
    p.last_cut = std::max(p.last_cut, k + 1);
    p.row_step = whole_lines(a.part * a.buffer) + 64;
  } else if (p.row_runs * p.row_step > most_piece) {
    return false;
  }
  for (unsigned i = k + 1; i-- > 0 && p.axes[i].role == axis_role::column;)
    p.axes[i].role = axis_role::of_run;
  return true;
}

/// Finds the rows: axes side by side in the source, those of the run before others.
inline void set_rows(axes_plan& p, bool columns_alone) {
  if (p.fastest().role != axis_role::segment) {
    index_t together = p.unit;
    bool in_run = true;
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      const unsigned k = p.source_order[i];
      auto& a = p.axes[k];
      if (a.source != together) break;
      const bool is_of_run = a.role == axis_role::of_run;
      if (a.is_in_run() && !(in_run && is_of_run)) {
        if (together == p.unit || !continue_rows(p, k, together, columns_alone)) break;
        p.in_source_order = true;
      }
      in_run = in_run && is_of_run;
      const bool is_run = a.is_in_run();
      a.role = is_run ? axis_role::row_of_run : axis_role::row;
      (is_run ? p.rows_of_run : p.row_runs) *= a.part;
      together *= a.part;
      if (a.part != a.extent) break;
    }
  }
  p.runs = p.row_runs;
  for (unsigned k = p.axes.size(); k-- > 0;) {
    auto& a = p.axes[k];
    if (a.role == axis_role::column) p.cols *= a.part;
    if (a.role != axis_role::outside) continue;
    a.row = p.runs;
    p.runs *= a.width;
  }
  // runs that take several rows each are short ones, and a piece has to be worth its calls
  const index_t wanted = p.rows_of_run > 1 ? 256 : 64;
  const index_t line = std::max<index_t>(1, wanted / p.unit / p.rows_of_run),
                square = std::max<index_t>(1, 16 / p.unit / p.rows_of_run);
  const index_t wide = std::max(square, std::min(line, most_piece / p.row_step)),
                number = std::min((p.row_runs + wide - 1) / wide,
                                  std::max<index_t>(1, p.row_runs / square));
  p.piece = p.in_source_order ? p.row_runs : (p.row_runs + number - 1) / number;  // all alike
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

/// Finds out whether the runs of the target, those of boxes and those of their parts, are columns
/// alone: whole lines, or runs that are worth being joined to lines. Those of less than 256 bytes
/// are not, nor any where columns lie multiples of 1 KiB apart: these share sets of the first-level
/// cache, and each line of theirs is read twice.
inline void set_lines(axes_plan& p) {
  index_t run = p.unit, part = p.unit;
  bool fits = p.block_axes == 0 && p.unit <= 16 && std::has_single_bit(p.unit), has_lines = true;
  for (auto const& a : p.axes) {
    fits = fits && a.target % p.unit == 0;
    if (a.role == axis_role::column) {
      run *= a.width;
      part *= a.part;
      has_lines = has_lines && (a.width == a.extent || a.target * a.extent % 64 == 0);
    } else {
      fits = fits && (a.role == axis_role::row || a.role == axis_role::outside);
      has_lines = has_lines && a.target % 64 == 0;
    }
  }
  constexpr index_t least_run = 256, few_sets = 1024;
  p.has_columns =
      fits && p.unit >= 4 && std::min(run, part) >= least_run && p.fastest().source % few_sets != 0;
  p.has_lines = fits && has_lines && run % 64 == 0 && part % 64 == 0;
}

/// What the axes of a box are, and in which order boxes come. Rows that could continue the run, or
/// could go on behind others of it, are left out of it where columns can then go to the target
/// straight: the buffer costs more than lines that are not written one after the other.
inline void set_pieces(axes_plan& p, bool goes_by_lines) {
  const axes_plan boxes = p;
  for (const bool columns_alone : {goes_by_lines, false}) {
    p = boxes;
    set_run(p, columns_alone);
    set_rows(p, columns_alone);
    set_box_order(p);
    set_lines(p);
    if (p.has_lines || p.has_columns || !columns_alone) return;
  }
}

}  // namespace detail

BMMC_ONCE axes_plan make_axes_plan(short_list<strided_axis> const& given, index_t element_bytes,
                                   box_shape const& shape, bool joins) {
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
  for (auto const& a : p.axes) p.bytes *= a.extent;
  p.bytes *= p.unit;
  p.is_worth_tables = joins && p.bytes >= shape.tables_from;
  if (p.is_worth_tables) detail::take_block(p, shape.block);
  short_list<unsigned> target_order;
  for (unsigned k = 0; k < p.axes.size(); ++k) target_order.push_back(k);
  p.source_order = target_order;
  detail::sort_stably(p.source_order,
                      [&](unsigned a, unsigned b) { return p.axes[a].source > p.axes[b].source; });

  detail::choose_widths(p, target_order, shape);
  detail::set_pieces(p, shape.goes_by_lines);
  for (auto const& a : p.axes) p.boxes *= a.boxes();
  return p;
}

}  // namespace bmmc::local
