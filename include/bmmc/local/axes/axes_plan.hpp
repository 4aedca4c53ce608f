// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>

#include <bmmc/index/extents.hpp>

namespace bmmc::local {

/// Runs and boxes of a movement between arrays, in bytes.
struct box_shape {
  index_t source_run = 4096, target_run = 256;  // side by side in a box
  // An axis of the target so long is not cut: 16 rows of it are at hand in the first-level cache.
  index_t target_whole = 1536;
  index_t most = index_t{1} << 18;  // of a box, which waits in the second-level cache
  // A position of a run of the source is written to a page of its own, and runs, those of the next
  // box too, are read from others. The addresses of all these pages have to be at hand: processors
  // of 2017 and later keep 1536 and more.
  index_t pages = 1280;
  index_t least = index_t{1} << 16;  // a box has its own costs: so many bytes where it can
  index_t block = 960;  // of arrays that are permuted by lookups, 960 at most; 0: none is,
  index_t tables_from = index_t{1} << 16;  // nor in fewer bytes: tables are made for each call
  index_t lines_whole = 1024;  // as target_whole where rows are whole lines: cuts cost less there
  // Columns that are whole lines need no buffer, and no row behind them. See axes_boxes.hpp.
  bool goes_by_lines = false;
};

/// One loop of a movement: positions, and bytes from one to the next on either side.
struct strided_axis {
  index_t extent = 1, source = 0, target = 0;
};

namespace detail {
/// The size of pieces of up to `most` that are as few as possible, and alike but for the last one.
[[nodiscard]] constexpr index_t even_piece(index_t all, index_t most) noexcept {
  const index_t pieces = (all + most - 1) / most;
  return (all + pieces - 1) / pieces;
}
}  // namespace detail

/// What an axis of a box is in its pieces. A piece has some runs of the target, whole, and some
/// positions of a run of the source, which are its rows; `column` and `segment` are side by side in
/// the runs of the target.
enum class axis_role {
  segment,     // the fastest of both sides: bytes that stay together
  column,      // of the run, before all others
  row_of_run,  // of the run, and side by side in the source
  row,         // side by side in the source behind those: each position is another run
  of_run,      // any other axis of the run
  outside      // any other
};

/// A movement between two arrays, cut into boxes: an interval along each axis. A box has long runs
/// of the source, which are fetched into the second-level cache while the box before is moved, and
/// whole lines of the target. It is moved in pieces: rows of a line of the source, or of a few,
/// columns of a run of the target, or of a part of a long one. A piece is transposed into a small
/// buffer and stored from there.
struct axes_plan {
  struct axis : strided_axis {
    index_t width = 1;   // of a box; the last one along the axis may have less
    index_t part = 1;    // of the width, which is moved together: less along slow axes of long runs
    index_t buffer = 0;  // bytes from one position to the next in the buffer, in a run
    index_t row = 0;     // runs of the target in a box from one position to the next
    axis_role role = axis_role::outside;
    [[nodiscard]] index_t boxes() const noexcept { return (extent + width - 1) / width; }
    [[nodiscard]] bool is_in_run() const noexcept {
      return role != axis_role::outside && role != axis_role::row;
    }
  };

  short_list<axis> axes;              // one at least, the fastest of the target last
  short_list<unsigned> source_order;  // the same, the fastest of the source last
  index_t unit = 1;                   // bytes that stay together, or side by side: then their own
  std::array<strided_axis, 9> block;  // axes, which are dense on both sides, permute them:
  unsigned block_axes = 0;            // so many
  short_list<unsigned> box_order;     // along which boxes follow one another, the fastest first,
  unsigned sweeps = 0;                // and along how many of these the next box continues runs
  index_t cols = 1;                   // of a piece: positions of all its columns,
  index_t rows_of_run = 1;            // rows for each of its runs,
  index_t row_runs = 1, piece = 1;    // runs along the rows of a box, and of a piece
  index_t row_step = 0;               // bytes from one run to the next in the buffer
  bool in_source_order = false;       // rows of runs, the same number of each, lie between others
  index_t runs = 1;                   // runs of the target in a box
  unsigned first_cut = 0, last_cut = 0;  // the axes of which boxes are moved in parts
  bool is_worth_tables = false;          // which are made for each call
  bool has_columns = false;              // runs are columns alone, which may end within lines;
  bool has_lines = false;                // or are whole lines, where the target begins at one
  index_t boxes = 1, bytes = 1;

  /// A buffer for a piece, a line for each run that waits to be filled by the next box, and tables.
  [[nodiscard]] index_t buffer_bytes() const noexcept {
    return piece_bytes() + kept_bytes() + table_bytes() + scratch_bytes;
  }
  /// For elements in turn that are still to be put in their places.
  static constexpr index_t scratch_bytes = (index_t{1} << 12) + 64;
  [[nodiscard]] index_t piece_bytes() const noexcept { return piece * row_step + 64; }
  [[nodiscard]] index_t kept_bytes() const noexcept {
    return sweeps == 0 && first_cut == last_cut ? 0 : 64 * runs;
  }
  [[nodiscard]] index_t table_bytes() const noexcept {
    const index_t tables =
        (cols + row_runs) * sizeof(index_t) + piece * rows_of_run * sizeof(std::uint32_t);
    return (tables + 63) / 64 * 64;
  }

  [[nodiscard]] axis const& fastest() const noexcept { return axes[axes.size() - 1]; }
  [[nodiscard]] unsigned fastest_of_source() const noexcept {
    return source_order[source_order.size() - 1];
  }
};

}  // namespace bmmc::local
