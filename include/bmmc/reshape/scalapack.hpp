// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>

#include <bmmc/layout/grid.hpp>

namespace bmmc {

/// A matrix of any size as ScaLAPACK distributes it: in blocks that are dealt out over a grid of
/// processes, stored column by column. The index of element (i, j) is i + j * rows: the layout has
/// the axes {columns, rows}. The grid is numbered row by row, as BLACS does by default, or column
/// by column.
///     auto a = scalapack_matrix::from_descriptor(desca, nprow, npcol);
///     bmmc::redistribute<double>(comm, local_a, local_b, a.layout(), b.layout());
struct scalapack_matrix {
  index_t rows = 1, cols = 1;            ///< M and N
  index_t row_block = 1, col_block = 1;  ///< MB and NB
  index_t grid_rows = 1, grid_cols = 1;
  index_t first_row = 0, first_col = 0;  ///< RSRC and CSRC: where the first block lies in the grid
  index_t column_stride = 0;             ///< LLD of this process; 0: columns without gaps
  bool by_columns = false;               ///< the order in which the grid is numbered

  /// From a descriptor (DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD) and the grid of its context, as
  /// Cblacs_gridinfo gives it. Throws bad_value where it describes no dense matrix.
  [[nodiscard]] static constexpr scalapack_matrix from_descriptor(
      std::span<int const, 9> descriptor, index_t grid_rows, index_t grid_cols,
      bool by_columns = false) {
    if (descriptor[0] != 1)
      detail::refuse({"a descriptor of type ", descriptor[0], " is not that of a dense matrix, 1"});
    for (unsigned k = 2; k < 9; ++k)
      if (descriptor[k] < (k == 6 || k == 7 ? 0 : 1))
        detail::refuse({"entry ", k + 1, " of the descriptor cannot be ", descriptor[k]});
    const auto at = [&](unsigned k) { return static_cast<index_t>(descriptor[k]); };
    return {at(2), at(3), at(4), at(5), grid_rows, grid_cols, at(6), at(7), at(8), by_columns};
  }
  /// The descriptor of process `proc` for a context of BLACS. Throws bad_value for a matrix that
  /// needs longer integers.
  [[nodiscard]] constexpr std::array<int, 9> descriptor(int context, index_t proc) const {
    const grid_layout a = layout();
    const index_t stride =
        column_stride != 0 ? column_stride : std::max<index_t>(1, a.section(proc, 1).count());
    const std::array<index_t, 7> entries{rows,      cols,      row_block, col_block,
                                         first_row, first_col, stride};
    std::array<int, 9> made{1, context};
    for (unsigned k = 0; k < entries.size(); ++k) {
      if (entries[k] > static_cast<index_t>(std::numeric_limits<int>::max()))
        detail::refuse({"ScaLAPACK's descriptors have no room for ", entries[k]});
      made[k + 2] = static_cast<int>(entries[k]);
    }
    return made;
  }

  /// Throws bad_value for no rows, columns, blocks or processes, or a first block beyond the grid.
  [[nodiscard]] constexpr grid_layout layout() const {
    grid_layout a{grid_axis::block_cyclic(cols, grid_cols, col_block).beginning_on(first_col),
                  grid_axis::block_cyclic(rows, grid_rows, row_block).beginning_on(first_row)};
    if (!by_columns) a = a.on_grid({1, 0});
    return column_stride == 0 ? a : a.with_row_stride(column_stride);
  }
};

}  // namespace bmmc
