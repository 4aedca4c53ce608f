// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/local/axes/axes_plan.hpp>
#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local::detail {

/// Positions so many bytes apart that share a page, one at least.
[[nodiscard]] constexpr index_t in_a_page(index_t stride) noexcept {
  return std::max<index_t>(1, bit(page_bits) / std::max<index_t>(1, stride));
}

/// What a box may still have.
struct box_room {
  index_t positions;
  index_t pages;  // of the target, for the positions of a run of the source
};

/// The width of boxes along an axis of which they may have so many positions; `run` is the bytes of
/// a run from one position to the next. In whole lines, or without a few positions that are left
/// for a box of their own. Rows of the target that are no whole lines anyway, and are cut into few
/// boxes, have up to a quarter less, in squares of 16 bytes, if then no box of less than half of
/// the others is left.
[[nodiscard]] constexpr index_t cut_width(strided_axis const& a, index_t unit, index_t run,
                                          index_t most) noexcept {
  const index_t even = even_piece(a.extent, most);
  if (even == a.extent) return even;
  const bool is_fastest = a.target == unit, has_lines = run * a.extent % 64 == 0;
  const index_t bytes = is_fastest || has_lines ? 64 : 16,
                position = a.source == unit || is_fastest ? unit : run,
                line = std::max<index_t>(1, bytes / position);
  if (most < line) return most;
  const index_t width = std::min(most / line * line, (even + line - 1) / line * line), few = 16;
  if (!is_fastest || has_lines || a.extent >= few * width) return width;
  for (index_t less = width; 4 * less >= 3 * width; less -= std::max<index_t>(1, 16 / position))
    if (const index_t left = a.extent % less; left == 0 || 2 * left >= less) return less;
  return width;
}

/// Whether a row of so many bytes is not cut: up to `whole`, in whole lines up to `lines_whole`.
[[nodiscard]] constexpr bool stays_whole(index_t row, index_t whole, index_t lines_whole) noexcept {
  return row <= (row % 64 == 0 ? lines_whole : whole);
}

/// How long the runs of a box should be, in bytes: so long at least or, `at_most`, what fits into
/// it. Of an axis that stays whole all positions.
struct wanted_run {
  index_t bytes;
  bool at_most;
  index_t whole, lines_whole;

  /// Positions of an axis that continues runs of `run` bytes.
  [[nodiscard]] constexpr index_t positions(index_t run, index_t extent) const noexcept {
    if (stays_whole(run * extent, whole, lines_whole)) return extent;
    return at_most ? std::max<index_t>(1, bytes / run) : (bytes + run - 1) / run;
  }
};

/// Widens a box along the fast axes of one side, `stride` of an axis, until its runs are as long as
/// they should be, or the box has no room for so many positions.
template <class Stride>
void widen(axes_plan& p, short_list<unsigned> const& order, Stride stride, wanted_run const& wanted,
           box_room& room) {
  index_t run = p.unit;
  for (unsigned i = order.size(); i-- > 0 && run < wanted.bytes;) {
    auto& a = p.axes[order[i]];
    if (stride(a) != run && i + 1 != order.size()) return;  // a gap
    const index_t paged = in_a_page(a.target),
                  most = std::min({wanted.positions(run, a.extent), room.positions * a.width,
                                   a.extent, wanted.at_most ? room.pages * paged : a.extent});
    if (most > a.width) {
      room.positions *= a.width;
      a.width = cut_width(a, p.unit, run, most);
      room.positions = std::max<index_t>(1, room.positions / a.width);
      room.pages = std::max<index_t>(1, room.pages * paged / a.width);
    }
    run *= a.width;
    if (a.width != a.extent) return;
  }
}

/// The bytes of a box.
[[nodiscard]] inline index_t box_bytes(axes_plan const& p) noexcept {
  index_t bytes = p.unit;
  for (auto const& a : p.axes) bytes *= a.width;
  return bytes;
}

/// Chooses for long rows that stay together: a box has whole rows, or long parts of one, whether
/// there are gaps between them or not. Where the next row continues the run of the target they go
/// by way of a buffer, which is to be small.
inline void choose_rows_together(axes_plan& p, box_shape const& shape) {
  box_room room{std::max<index_t>(1, shape.most / p.unit), shape.pages};
  widen(
      p, p.source_order, [](auto const& a) { return a.source; },
      {shape.least, true, shape.least, shape.least}, room);
  const index_t row = p.fastest().width * p.unit;
  for (unsigned i = p.source_order.size(); i-- > 0;) {
    auto& a = p.axes[p.source_order[i]];
    const index_t most = a.target == row ? shape.source_run / row : shape.least / box_bytes(p);
    if (a.width == 1) a.width = std::clamp<index_t>(most, 1, a.extent);
  }
}

/// How long runs of the target should be. Pieces of a fastest axis that has to be cut are as long
/// as one that need not be, unless they have many columns, each of which is another run of the
/// source.
[[nodiscard]] inline index_t wanted_target_run(axes_plan const& p, box_shape const& shape) {
  constexpr index_t most_columns = 256;
  const bool is_cut =
      !stays_whole(p.fastest().extent * p.unit, shape.target_whole, shape.lines_whole);
  const index_t longest = std::min(shape.lines_whole, most_columns * p.unit);
  return is_cut ? std::max(shape.target_run, longest) : shape.target_run;
}

/// Chooses what a box has of each axis: runs of the source of up to `source_run`, as far as there
/// is room and the pages of the target are few, and runs of the target, longer ones where the box
/// is small so far.
inline void choose_transposed(axes_plan& p, short_list<unsigned> const& target_order,
                              box_shape const& shape, index_t source_run) {
  const unsigned s = p.fastest_of_source();
  const bool has_segments = s + 1 == p.axes.size();
  index_t wanted = wanted_target_run(p, shape);
  box_room room{std::max<index_t>(1, shape.most / p.unit), shape.pages};
  if (!has_segments) {
    // Positions of a run of one side alone: those of both are in a box no more than once.
    index_t columns = 1, rows = 1;
    unsigned first = p.axes.size();  // of the columns
    while (first - 1 != s && columns < wanted / p.unit) columns *= p.axes[--first].extent;
    for (unsigned i = p.source_order.size();
         i-- > 0 && p.source_order[i] < first && rows * p.unit < source_run;)
      rows *= p.axes[p.source_order[i]].extent;
    columns = std::max<index_t>(1, std::min(columns, wanted / p.unit));
    const index_t runs = std::max<index_t>(1, columns / in_a_page(p.fastest().source));
    room.pages = shape.pages > 3 * runs ? shape.pages - 2 * runs : runs;
    for (index_t run; (run = std::min(rows * p.unit, source_run)) * columns > shape.most;) {
      const index_t fewer = shape.most / run;
      if (4 * fewer >= columns && fewer * p.unit >= shape.target_run) {
        wanted = fewer * p.unit;  // rather than shorter runs of the source
        break;
      }
      source_run /= 2;
    }
  }
  widen(
      p, p.source_order, [](auto const& a) { return a.source; },
      {source_run, true, source_run, source_run}, room);
  constexpr index_t least = index_t{1} << 14;  // of a box, by longer runs of the target
  const index_t target_run =
      has_segments ? shape.source_run
                   : std::max(wanted, std::min(shape.source_run, least / box_bytes(p) * p.unit));
  widen(
      p, target_order, [](auto const& a) { return a.target; },
      {target_run, false, shape.target_whole, shape.lines_whole}, room);
}

/// Whether boxes cut a slower axis of the target though the rows of it and of all faster ones are
/// short, and no whole lines.
[[nodiscard]] inline bool cuts_short_rows(axes_plan const& p, index_t short_row) noexcept {
  index_t run = p.unit;
  for (unsigned k = p.axes.size(); k-- > 0 && p.axes[k].target == run;) {
    run *= p.axes[k].extent;
    if (run > short_row) return false;
    if (p.axes[k].width != p.axes[k].extent) return k + 1 != p.axes.size() && run % 64 != 0;
  }
  return false;
}

/// How long runs of the source should be. Each position of a segment is a row of its own in the
/// target, stored by itself. More than 80 such rows, or 2 KiB where 80 are less, cost more at the
/// target than a longer run gains in reading (Zen 4). Boxes that would be small get longer runs.
[[nodiscard]] inline index_t wanted_source_run(axes_plan const& p, box_shape const& shape) {
  constexpr index_t rows = 80, least = 2048;
  if (p.fastest_of_source() + 1 != p.axes.size() || p.fastest().source != p.unit)
    return shape.source_run;
  return std::min(shape.source_run, std::max(least, rows * p.unit * p.fastest().extent));
}

/// Chooses what a box has of each axis: longer runs of the source where it would be small, shorter
/// ones where short rows of the target would be cut, so that its runs are shorter still and end
/// inside of lines: those of the fastest axis, and then those of several unless boxes become small.
inline void choose_widths(axes_plan& p, short_list<unsigned> const& target_order,
                          box_shape const& shape) {
  constexpr index_t least_together = 1024, least_run = 512;
  auto const& last = p.fastest();
  if (p.fastest_of_source() + 1 == p.axes.size() && last.source == p.unit &&
      p.unit * last.extent >= least_together)
    return choose_rows_together(p, shape);
  const auto choose = [&](index_t source_run) {
    for (unsigned k = 0; k < p.axes.size(); ++k) p.axes[k].width = 1;
    choose_transposed(p, target_order, shape, source_run);
  };
  const index_t longest = wanted_source_run(p, shape);
  index_t source_run = longest;
  const auto shorten_while = [&](auto is_cut) {
    while (is_cut() && source_run > least_run) choose(source_run /= 2);
    return !is_cut();
  };
  choose(source_run);
  while (box_bytes(p) < shape.least && source_run < shape.least) choose(source_run *= 2);
  if (!shorten_while(
          [&] { return last.width != last.extent && last.extent * p.unit <= shape.target_whole; }))
    choose(source_run = longest);
  const index_t kept = source_run, bytes = std::min(shape.least, box_bytes(p));
  if (!shorten_while([&] { return cuts_short_rows(p, shape.target_whole); }) ||
      box_bytes(p) < bytes)
    choose(kept);
}

}  // namespace bmmc::local::detail
