// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <optional>

#include <bmmc/local/axes/axes_plan.hpp>
#include <bmmc/local/boxes/box_kernel.hpp>
#include <bmmc/local/boxes/gathered_columns.hpp>

namespace bmmc::local::detail {

/// Whether the elements of pieces lie in turn on one side, those of a few rows in the source or of
/// a few columns in the target, and how they are moved then: in groups of columns that lie side by
/// side in the source, or of rows that do in the target.
class turns {
 public:
  turns() = default;
  /// Pieces of so many rows and columns, from memory or in the caches; how many columns a group in
  /// the source has, and how many rows one in the target.
  turns(box_moves const& moves, index_t unit, index_t rows, index_t cols, bool in_cache,
        index_t group_of_cols, index_t group_of_rows)
      : move_(moves.interleave), blocks_(moves.blocks) {
    if (move_ == nullptr) return;
    // Looked up faster than transposed. In the caches squares of 8 bytes are faster from there on,
    // but for up to four rows that are looked up in whole lines; columns of more than 32 bytes, or
    // of 16 in groups of rows, are transposed faster where parts of vectors can be stored (Zen 4).
    const bool has_lines = moves.interleaved == 64;
    const auto are_few = [&](index_t count, index_t most) {
      const index_t bytes = count * unit;
      return count > 1 && count <= (has_lines ? most_interleaved : most_interleaved_short) &&
             16 % unit == 0 &&
             (bytes <= (in_cache ? 7 : most) || (bytes < 16 && count <= 4 && has_lines));
    };
    // groups are worth their own lookups and copies where squares have no room, or little
    const index_t row_group = group_of_rows * cols * unit, col_group = group_of_cols * unit;
    const bool in_groups = !in_cache && cols > group_of_cols && group_of_cols > 1;
    splits_ = cols > 1 && (cols == group_of_cols || in_groups) && are_few(rows, 15);
    const bool joins =
        rows > 1 &&
        (rows == group_of_rows ? are_few(cols, has_lines ? 32 : 63)
                               : rows * unit >= 64 && row_group >= (cols * unit < 16 ? 16 : 64) &&
                                     are_few(cols, has_lines ? 16 : 32));
    if (splits_ && in_groups && col_group < 64) {
      if (blocks_ == nullptr || col_group * rows > 512) return;
      block_ = col_group * rows;
      how_ = interleaving::of_columns(unit, rows, group_of_cols, [](index_t col) { return col; });
    } else if (splits_ || joins) {
      how_ = interleaving(static_cast<unsigned>(splits_ ? rows : cols), moves.interleaved,
                          static_cast<unsigned>(unit), splits_);
    } else {
      return;
    }
    group_ = splits_ ? group_of_cols : group_of_rows;
    few_ = splits_ ? rows : cols;
  }
  /// Whether a piece of so many rows and columns is one of those.
  [[nodiscard]] bool has(index_t rows, index_t cols) const noexcept {
    return few_ != 0 && (splits_ ? rows : cols) == few_ && (block_ == 0 || cols % group_ == 0);
  }
  /// Whether others are to be moved in another way, or these, whose rows go to places of less than
  /// 16 bytes.
  [[nodiscard]] bool is_slow(index_t unit) const noexcept {
    return few_ == 0 || (block_ != 0 && group_ * unit < 16);
  }
  /// Columns may be moved by whole multiples of so many, `least` where any number would do.
  [[nodiscard]] index_t least_cols(index_t least) const noexcept {
    return few_ != 0 && splits_ ? (least + group_ - 1) / group_ * group_ : least;
  }
  /// Column j begins at column(j), row i of the target at row(i). `scratch` is of
  /// axes_plan::scratch_bytes.
  template <class Column, class Row>
  void move(index_t unit, index_t rows, index_t cols, unsigned char* scratch, Column column,
            Row row) const {
    if (block_ != 0) return split_and_place(unit, cols, scratch, column, row);
    if (!splits_ && group_ < rows && group_ * unit < 128)
      return join_and_place(unit, rows, scratch, column, row);
    const index_t all = splits_ ? cols : rows;
    for (index_t first = 0; first < all; first += group_) {
      const index_t bytes = std::min(group_, all - first) * unit;
      if (splits_)
        move_(interleave_job::split(how_, bytes, column(first),
                                    [&](index_t i) { return row(i) + first * unit; }));
      else
        move_(interleave_job::join(
            how_, bytes, [&](index_t j) { return column(j) + first * unit; }, row(first)));
    }
  }

 private:
  /// Puts short groups of rows together side by side, as many as there is room for, and then each
  /// in its place.
  template <class Column, class Row>
  void join_and_place(index_t unit, index_t rows, unsigned char* scratch, Column column,
                      Row row) const {
    const index_t bytes = group_ * unit * how_.rows,
                  together = (axes_plan::scratch_bytes - 64) / bytes * group_;
    for (index_t first = 0, count = 0; first < rows; first += count) {
      count = std::min(together, rows - first);
      move_(interleave_job::join(
          how_, count * unit, [&](index_t j) { return column(j) + first * unit; }, scratch));
      const index_t groups = count / group_;
      copy_segments(
          groups, bytes, [&](index_t k) { return scratch + k * bytes; },
          [&](index_t k) { return row(first + k * group_); });
      if (const index_t rest = count - groups * group_; rest != 0)
        copy_bytes(row(first + groups * group_), scratch + groups * bytes, rest * unit * how_.rows);
    }
  }

  /// Takes short groups of columns apart, and puts each row of a group in its place.
  template <class Column, class Row>
  void split_and_place(index_t unit, index_t cols, unsigned char* scratch, Column column,
                       Row row) const {
    const index_t bytes = group_ * unit, together = (axes_plan::scratch_bytes - 64) / block_;
    constexpr index_t here = 0;
    for (index_t first = 0, count = 0; first < cols; first += count * group_) {
      count = std::min(together, (cols - first) / group_);
      for (index_t k = 0; k < count; ++k)
        blocks_({&how_, block_, column(first + k * group_), &here, 1, scratch + k * block_});
      for (index_t i = 0; i < few_; ++i)
        copy_segments(
            count, bytes, [&](index_t k) { return scratch + k * block_ + i * bytes; },
            [&](index_t k) { return row(i) + (first + k * group_) * unit; });
    }
  }

  interleaving how_{};
  void (*move_)(interleave_job const&) = nullptr;
  void (*blocks_)(block_job const&) = nullptr;
  index_t few_ = 0, group_ = 0, block_ = 0;  // bytes of a short group
  bool splits_ = false;
};

/// How the bytes of the units of a plan with blocks are permuted.
[[nodiscard]] inline std::optional<interleaving> permuted_block(axes_plan const& p) {
  if (p.block_axes == 0) return std::nullopt;
  const index_t element = p.block[p.block_axes - 1].target;
  return interleaving::of_bytes(static_cast<unsigned>(p.unit), [&](unsigned byte) {
    index_t from = byte % element;
    for (unsigned k = 0; k < p.block_axes; ++k)
      from += byte / p.block[k].target % p.block[k].extent * p.block[k].source;
    return static_cast<unsigned>(from);
  });
}

/// The memory of a thread that moves boxes: p.buffer_bytes(), see axes_plan.
struct box_memory {
  unsigned char* kept;
  index_t* offsets;  // of the columns in the source, and of the runs of a row in the target
  index_t* runs;
  std::uint32_t* places;  // of the rows of a piece in its buffer
  unsigned char* scratch;
  unsigned char* piece;
  turns in_turn;
  gathered_columns gathered;
  std::optional<interleaving> block;

  box_memory(axes_plan const& p, unsigned char* memory, box_moves const& moves)
      : kept(memory),
        offsets(reinterpret_cast<index_t*>(kept + p.kept_bytes())),
        runs(offsets + p.cols),
        places(reinterpret_cast<std::uint32_t*>(runs + p.row_runs)),
        scratch(memory + p.kept_bytes() + p.table_bytes()),
        piece(scratch + axes_plan::scratch_bytes),
        block(permuted_block(p)) {
    table columns(offsets);
    table rows(places);
    table others(runs);
    for (unsigned k = p.axes.size(); k-- > 0;)
      if (p.axes[k].role == axis_role::column) columns.add(p.axes[k].part, p.axes[k].source);
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      auto const& a = p.axes[p.source_order[i]];
      if (a.role == axis_role::row_of_run) rows.add(a.part, a.buffer);
      if (a.role != axis_role::row) continue;
      if (p.in_source_order) rows.add(a.width, p.row_step * others.count);
      others.add(a.width, a.target);
    }
    if (!p.in_source_order) rows.add(p.piece, p.row_step);
    if (block) return;
    const index_t in_row = p.rows_of_run * p.piece;
    in_turn = turns(moves, p.unit, in_row, p.cols, false,
                    p.piece == p.row_runs ? even(offsets, p.cols, in_row * p.unit) : 1,
                    even(places, in_row, p.cols * p.unit));
    static_assert(2 * gathered_columns::most + 64 <= axes_plan::scratch_bytes);
    if (in_turn.is_slow(p.unit)) gathered = {moves.blocks, offsets, p.cols, in_row, p.unit};
  }
  /// Where columns are gathered, groups that `in_turn` knows are shorter, and divide their number.
  [[nodiscard]] index_t least_cols(index_t least) const noexcept {
    return gathered.any() ? gathered.least_cols(least) : in_turn.least_cols(least);
  }

 private:
  /// How many places at the beginning follow each other in such steps; those behind follow each
  /// other in the same way.
  template <class Word>
  [[nodiscard]] static index_t even(Word const* at, index_t count, index_t step) {
    index_t group = 1;
    while (group < count && at[group] == group * step) ++group;
    return group;
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
