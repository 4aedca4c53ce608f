// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include <bmmc/local/axes_plan.hpp>
#include <bmmc/local/box_kernel.hpp>

namespace bmmc::local::detail {

/// The memory of a thread that moves boxes: p.buffer_bytes(), see axes_plan.
struct box_memory {
  unsigned char* kept;
  index_t* offsets;  // of the columns in the source, and of the runs of a row in the target
  index_t* runs;
  std::uint32_t* places;  // of the rows of a piece in its buffer
  unsigned char* piece;
  interleaving in_turn{};  // where columns lie side by side, or rows do in the target
  bool splits = false;

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
    if (moves.interleave == nullptr) return;
    const index_t in_row = p.rows_of_run * p.piece;
    if (p.piece == p.row_runs && are_few(in_row, p.unit, 15) &&
        is_even(offsets, p.cols, in_row * p.unit)) {
      splits = true;
      set_in_turn(in_row, p.unit, moves);
    } else if (are_few(p.cols, p.unit, 63) && is_even(places, in_row, p.cols * p.unit)) {
      set_in_turn(p.cols, p.unit, moves);
    }
  }

  /// Whether a piece of so many columns and rows is one of those.
  [[nodiscard]] bool takes_in_turn(index_t cols, index_t rows) const noexcept {
    return in_turn.rows != 0 && (splits ? rows : cols) == in_turn.rows;
  }

 private:
  /// Whether places follow each other in such steps.
  template <class Word>
  [[nodiscard]] static bool is_even(Word const* at, index_t count, index_t step) {
    for (index_t i = 0; i < count; ++i)
      if (at[i] != i * step) return false;
    return count > 1;
  }
  void set_in_turn(index_t rows, index_t unit, box_moves const& moves) {
    in_turn = interleaving(static_cast<unsigned>(rows), moves.interleaved,
                           static_cast<unsigned>(unit), splits);
  }
  /// Whether elements of so many rows in turn are looked up fast: more than `most` bytes are not.
  [[nodiscard]] static bool are_few(index_t rows, index_t unit, index_t most) noexcept {
    return rows > 1 && rows <= most_interleaved && rows * unit <= most && 16 % unit == 0;
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

/// Columns of a piece whose elements are taken in turn.
inline void interleave(box_memory const& memory, unsigned char const* from, index_t const* offsets,
                       index_t cols, unsigned char* to, index_t rows, index_t unit,
                       box_moves const& moves) {
  auto const& how = memory.in_turn;
  if (memory.splits)
    moves.interleave(interleave_job::split(how, cols * unit, from + offsets[0],
                                           [&](unsigned i) { return to + memory.places[i]; }));
  else
    moves.interleave(
        interleave_job::join(how, rows * unit, [&](unsigned i) { return from + offsets[i]; }, to));
}

}  // namespace bmmc::local::detail
