// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <bmmc/local/axes/axes_boxes.hpp>
#include <bmmc/local/axes/axes_in_cache.hpp>
#include <bmmc/local/axes/axes_walk.hpp>
#include <bmmc/local/axes/box_memory.hpp>
#include <bmmc/local/lines/workspace.hpp>

namespace bmmc::local {

namespace detail {

/// A box as its pieces see it: how many columns, rows and runs it has, and the other loops.
struct box_pieces {
  index_t segment, run, cols = 1, rows_of_run = 1, row_runs = 1;
  bool is_segment = false;
  nest<2> in_run;     // places in the source and in the buffer
  nest<3> outside{};  // places in the source, in the target, and numbers of runs

  box_pieces(axes_plan const& p, box const& b) : segment(p.unit), run(p.unit) {
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      const unsigned k = p.source_order[i];
      auto const& a = p.axes[k];
      const index_t width = b.width[k];
      if (a.is_in_run()) run *= width;
      switch (a.role) {
        case axis_role::segment:
          segment *= width;
          is_segment = true;
          break;
        case axis_role::column:
          cols *= width;
          break;
        case axis_role::row_of_run:
          rows_of_run *= width;
          break;
        case axis_role::row:
          row_runs *= width;
          break;
        case axis_role::of_run:
          in_run.add(width, {a.source, a.buffer});
          break;
        case axis_role::outside:
          outside.add(width, {a.source, a.target, a.row});
      }
    }
  }
};

/// Stores a piece whose rows are runs of columns as it is transposed, about so many lines at a
/// time.
inline void move_to_lines(axes_plan const& p, line_piece_job& piece, index_t lines,
                          fetch_ahead& ahead, box_moves const& moves) {
  const index_t all = piece.cols, line = 64 / p.unit;
  const index_t together = line * std::max<index_t>(1, lines / piece.rows);
  const bool ends = piece.ends;
  for (index_t j = 0; j < all; j += together) {
    piece.cols = std::min(together, all - j);
    piece.ends = ends && j + piece.cols == all;
    ahead.take(piece.cols * piece.rows * p.unit);
    moves.to_lines(piece);
    piece.offsets += together;
    piece.to += together * p.unit;
    piece.begins = false;
  }
}

/// The same where row i goes on at piece.places[i] within a line.
inline void move_within_lines(axes_plan const& p, line_piece_job& piece, fetch_ahead& ahead,
                              box_moves const& moves) {
  std::array<index_t, 64> places;
  std::array<std::uint32_t, 64> leads;
  piece.to -= 64;
  for (index_t i = 0; i < piece.rows; ++i) {
    const index_t lead = reinterpret_cast<std::uintptr_t>(piece.to + piece.places[i]) % 64;
    places[i] = piece.places[i] + 64 - lead;
    leads[i] = static_cast<std::uint32_t>(lead / 4);
  }
  piece.places = places.data();
  piece.leads = leads.data();
  move_to_lines(p, piece, 64, ahead, moves);
}

/// Puts so many rows of a piece into its buffer.
inline void fill_piece(axes_plan const& p, box_pieces& pieces, unsigned char const* source,
                       index_t rows, box_memory const& memory, fetch_ahead& ahead,
                       box_moves const& moves) {
  const index_t least = memory.least_cols(std::max<index_t>(32, 64 / p.unit)),
                together = std::max(least, 2048 / (rows * pieces.segment) / least * least);
  nest<2>::places inside{};
  do {
    unsigned char const* const from = source + inside[0];
    for (index_t j = 0, cols = 0; j < pieces.cols; j += cols) {
      const index_t left = pieces.cols - j;
      cols = left < together + least ? left : together;
      ahead.take(cols * rows * pieces.segment);
      unsigned char* const to = memory.piece + inside[1] + j * pieces.segment;
      const auto column = [&](index_t k) { return from + memory.offsets[j + k]; };
      const auto row = [&](index_t k) { return to + memory.places[k]; };
      if (memory.gathered.has(rows, cols))
        memory.gathered.move(p.unit, cols, memory.scratch, column, row);
      else if (memory.in_turn.has(rows, cols))
        memory.in_turn.move(p.unit, rows, cols, memory.scratch, column, row);
      else if (pieces.is_segment)
        join_segments(to, from, memory.offsets + j, cols, pieces.segment);
      else if (memory.block)
        for (index_t i = 0; i < rows; ++i)
          moves.blocks({&*memory.block, p.unit, from + i * p.unit, memory.offsets + j, cols,
                        to + memory.places[i]});
      else
        moves.transpose({from, memory.offsets + j, cols, to, memory.places, rows, p.unit});
    }
  } while (pieces.in_run.advance(inside));
}

/// Moves a box, or a part of one, in pieces by way of a buffer; what is one segment, or rows that
/// are stored as they are transposed, need none. `is_open` says whether the box before has left
/// ends of runs to this one, and then whether this one has.
inline void move_box(axes_plan const& p, box const& b, unsigned char const* source,
                     unsigned char* target, box_memory const& memory, bool& is_open,
                     fetch_ahead& ahead, box_moves const& moves) {
  box_pieces pieces(p, b);
  const bool begins = b.begins || !is_open, ends = b.ends || (begins && pieces.run < 64);
  is_open = !ends;
  const auto place = reinterpret_cast<std::uintptr_t>(target);
  const bool are_whole = p.has_lines && place % 64 == 0,
             goes_by_lines =
                 moves.to_lines != nullptr && (are_whole || (p.has_columns && place % p.unit == 0 &&
                                                             (pieces.run >= 64 || !begins)));
  const bool is_whole = pieces.is_segment && pieces.segment == pieces.run;
  // pieces alike: a few rows that are left would be moved element by element
  const index_t together = even_piece(pieces.row_runs, p.piece);
  nest<3>::places at{b.source, b.target, 0};
  do {
    for (index_t i = 0, count = 0; i < pieces.row_runs; i += count) {
      count = std::min(together, pieces.row_runs - i);
      const index_t rows = pieces.rows_of_run * count;
      unsigned char const* const from = source + at[0] + i * pieces.rows_of_run * p.unit;
      if (goes_by_lines && rows * p.unit >= 16) {
        line_piece_job piece{
            .from = from,
            .offsets = memory.offsets,
            .cols = pieces.cols,
            .to = target + at[1],
            .places = memory.runs + i,
            .rows = rows,
            .kept = p.kept_bytes() != 0 ? memory.kept + 64 * (at[2] + i) : memory.piece,
            .begins = begins,
            .ends = ends};
        if (are_whole)
          move_to_lines(p, piece, 32, ahead, moves);
        else
          move_within_lines(p, piece, ahead, moves);
        continue;
      }
      if (is_whole)
        ahead.take(pieces.run * count);
      else
        fill_piece(p, pieces, from, rows, memory, ahead, moves);
      moves.write({target + at[1], memory.runs + i, is_whole ? from : memory.piece, p.row_step,
                   memory.kept + 64 * (at[2] + i), count, pieces.run, begins, ends});
    }
  } while (pieces.outside.advance(at));
}

}  // namespace detail

BMMC_ONCE box_way::box_way(axes_plan const& p, instructions use, bool past_caches)
    : moves(box_moves_of(use, p.unit)),
      has_buffer(past_caches || detail::is_slow_in_cache(p, moves)) {
  if (!past_caches) moves = into_caches(moves);
}
BMMC_ONCE unsigned char* box_way::buffer(axes_plan const& p) const noexcept {
  return has_buffer ? thread_workspace(p.buffer_bytes()) : nullptr;
}

template <class>
void move_boxes(axes_plan const& p, unsigned char const* source, unsigned char* target,
                unsigned char* buffer, box_moves const& moves, index_t first, index_t last) {
  if (buffer != nullptr) {
    const detail::box_memory memory(p, buffer, moves);
    bool is_open = false;
    for (index_t number = first; number < last; ++number) {
      detail::box b(p, number);
      const bool any = number + 1 < last;
      b.ends = b.ends || !any;
      detail::fetch_ahead ahead(p, detail::box(p, any ? number + 1 : number), b.bytes(p), source,
                                any);
      detail::each_part(p, b, [&](detail::box const& part) {
        detail::move_box(p, part, source, target, memory, is_open, ahead, moves);
      });
    }
    return end_of_rows();
  }
  switch (p.block_axes == 0 ? p.unit : 0) {
    case 1:
      return move_boxes_in_cache<1>(p, source, target, moves, first, last);
    case 2:
      return move_boxes_in_cache<2>(p, source, target, moves, first, last);
    case 4:
      return move_boxes_in_cache<4>(p, source, target, moves, first, last);
    case 8:
      return move_boxes_in_cache<8>(p, source, target, moves, first, last);
    case 16:
      return move_boxes_in_cache<16>(p, source, target, moves, first, last);
    default:
      return move_boxes_in_cache<0>(p, source, target, moves, first, last);
  }
}

}  // namespace bmmc::local
