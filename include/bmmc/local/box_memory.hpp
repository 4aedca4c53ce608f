// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <bmmc/local/axes_plan.hpp>
#include <bmmc/local/box_kernel.hpp>

namespace bmmc::local::detail {

/// Whether the elements of pieces lie in turn on one side, those of a few rows in the source or of
/// a few columns in the target, and how they are moved then.
class turns {
 public:
  turns() = default;
  /// Pieces of so many rows and columns, from memory or in the caches; whether columns lie side by
  /// side in the source, without gaps, and whether rows do in the target.
  turns(box_moves const& moves, index_t unit, index_t rows, index_t cols, bool in_cache,
        bool in_source, bool in_target)
      : move_(moves.interleave) {
    if (move_ == nullptr) return;
    // Looked up faster than transposed. In the caches squares of 8 bytes are faster from there on,
    // but for up to four rows that are looked up in whole lines (Zen 4).
    const auto are_few = [&](index_t count, index_t most) {
      const bool has_lines = moves.interleaved == 64;
      const index_t bytes = count * unit;
      return count > 1 && count <= (has_lines ? most_interleaved : most_interleaved_short) &&
             16 % unit == 0 &&
             (bytes <= (in_cache ? 7 : most) || (bytes < 16 && count <= 4 && has_lines));
    };
    splits_ = in_source && are_few(rows, 15);
    if (splits_ || (in_target && are_few(cols, 63)))
      how_ = interleaving(static_cast<unsigned>(splits_ ? rows : cols), moves.interleaved,
                          static_cast<unsigned>(unit), splits_);
  }
  /// Whether a piece of so many rows and columns is one of those.
  [[nodiscard]] bool has(index_t rows, index_t cols) const noexcept {
    return how_.rows != 0 && (splits_ ? rows : cols) == how_.rows;
  }
  /// Column j begins at column(j), row i of the target at row(i).
  template <class Column, class Row>
  void move(index_t unit, index_t rows, index_t cols, Column column, Row row) const {
    if (splits_)
      move_(interleave_job::split(how_, cols * unit, column(0), row));
    else
      move_(interleave_job::join(how_, rows * unit, column, row(0)));
  }

 private:
  interleaving how_{};
  void (*move_)(interleave_job const&) = nullptr;
  bool splits_ = false;
};

/// The memory of a thread that moves boxes: p.buffer_bytes(), see axes_plan.
struct box_memory {
  unsigned char* kept;
  index_t* offsets;  // of the columns in the source, and of the runs of a row in the target
  index_t* runs;
  std::uint32_t* places;  // of the rows of a piece in its buffer
  unsigned char* piece;
  turns in_turn;

  box_memory(axes_plan const& p, unsigned char* memory, box_moves const& moves)
      : kept(memory),
        offsets(reinterpret_cast<index_t*>(kept + p.kept_bytes())),
        runs(offsets + p.cols),
        places(reinterpret_cast<std::uint32_t*>(runs + p.row_runs)),
        piece(memory + p.kept_bytes() + p.table_bytes()) {
    table columns(offsets);
    table rows(places);
    table others(runs);
    for (unsigned k = p.axes.size(); k-- > 0;)
      if (p.axes[k].role == axis_role::column) columns.add(p.axes[k].width, p.axes[k].source);
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      auto const& a = p.axes[p.source_order[i]];
      if (a.role == axis_role::row_of_run) rows.add(a.width, a.buffer);
      if (a.role == axis_role::row) others.add(a.width, a.target);
    }
    rows.add(p.piece, p.row_step);
    const index_t in_row = p.rows_of_run * p.piece;
    in_turn = turns(moves, p.unit, in_row, p.cols, false,
                    p.piece == p.row_runs && is_even(offsets, p.cols, in_row * p.unit),
                    is_even(places, in_row, p.cols * p.unit));
  }

 private:
  /// Whether places follow each other in such steps.
  template <class Word>
  [[nodiscard]] static bool is_even(Word const* at, index_t count, index_t step) {
    for (index_t i = 0; i < count; ++i)
      if (at[i] != i * step) return false;
    return count > 1;
  }
  /// Where positions along some axes are, the fastest axis first.
  template <class Word>
  struct table {
    explicit table(Word* to) : at(to) { at[0] = 0; }
    void add(index_t width, index_t step) {
      for (index_t k = 1; k < width; ++k)
        for (index_t i = 0; i < count; ++i) at[k * count + i] = static_cast<Word>(at[i] + k * step);
      count *= width;
    }
    Word* at;
    index_t count = 1;
  };
};

}  // namespace bmmc::local::detail
