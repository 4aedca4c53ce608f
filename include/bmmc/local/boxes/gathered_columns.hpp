// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <bmmc/local/boxes/box_kernel.hpp>

namespace bmmc::local::detail {

/// Pieces of less than 16 bytes of rows, too few for squares of 16 bytes, whose columns lie apart
/// in the source, or in short groups. Some columns that are neighbours in the target are copied to
/// a block of up to 15 lines in the order of the source, where several may be side by side. The
/// block is permuted by lookups, and its rows are copied to their places. 505 x 13 x 527 x 5 x 9
/// bytes with axes 2, 0, 4, 1, 3: a column has 9 bytes, five are side by side in the source, so
/// copies have 45 bytes; 65 columns make a block, the nine rows of which have 65 bytes each.
class gathered_columns {
 public:
  gathered_columns() = default;
  /// Of `cols` columns that begin at offsets[j] and have so many rows of `unit` bytes. The most
  /// that a block has room for are taken whose copies, all alike, have 16 bytes at least.
  gathered_columns(void (*blocks)(block_job const&), index_t const* offsets, index_t cols,
                   index_t rows, index_t unit)
      : permute_(blocks), rows_(rows) {
    const index_t bytes = rows * unit;
    if (blocks == nullptr || rows < 2 || bytes >= 16) return;
    index_t count = std::min(cols, most / bytes);
    // a copy has two columns at least
    if (std::find(offsets, offsets + count, bytes) == offsets + count) return;
    sorted_columns sorted;
    const auto fits = [&] {
      return cols % count == 0 && are_alike(offsets, cols, count) &&
             set_copies(offsets, count, bytes, sorted);
    };
    while (count * unit >= 16 && !fits()) --count;
    if (count_ != 0) set_lookups(unit, sorted);
  }
  /// Whether there are such columns.
  [[nodiscard]] bool any() const noexcept { return count_ != 0; }
  /// Whether a piece of so many rows and columns is one of those.
  [[nodiscard]] bool has(index_t rows, index_t cols) const noexcept {
    return any() && rows == rows_ && cols % count_ == 0;
  }
  /// Columns may be moved by whole multiples of so many.
  [[nodiscard]] index_t least_cols(index_t least) const noexcept {
    return (least + count_ - 1) / count_ * count_;
  }

  /// Column j begins at column(j), row i of the target at row(i). `scratch` is of twice `most`
  /// bytes and a line.
  template <class Column, class Row>
  void move(index_t unit, index_t cols, unsigned char* scratch, Column column, Row row) const {
    unsigned char* const permuted = scratch + most + 64;
    const index_t block = copies_ * copy_bytes_, part = count_ * unit;
    constexpr index_t here = 0;
    for (index_t first = 0; first < cols; first += count_) {
      unsigned char const* const from = column(first);
      join_segments(scratch, from, starts_.data(), copies_, copy_bytes_);
      permute_({&*how_, block, scratch, &here, 1, permuted});
      copy_segments(
          rows_, part, [&](index_t i) { return permuted + i * part; },
          [&](index_t i) { return row(i) + first * unit; });
    }
  }

  static constexpr index_t most = most_interleaved * 64;  // bytes of a block

 private:
  using sorted_columns = std::array<std::uint16_t, most>;  // by their places

  /// Whether all groups of `count` columns lie like the first one.
  [[nodiscard]] static bool are_alike(index_t const* offsets, index_t cols, index_t count) {
    for (index_t j = count; j < cols; ++j)
      if (offsets[j] - offsets[j - j % count] != offsets[j % count]) return false;
    return true;
  }
  /// Sorts columns, and joins neighbours to copies. False where these are short, or not alike.
  bool set_copies(index_t const* offsets, index_t count, index_t bytes, sorted_columns& sorted) {
    for (index_t j = 0; j < count; ++j) sorted[j] = static_cast<std::uint16_t>(j);
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count),
              [&](unsigned a, unsigned b) { return offsets[a] < offsets[b]; });
    index_t together = 1;
    while (together < count && offsets[sorted[together]] == together * bytes) ++together;
    if (together * bytes < 16 || count % together != 0) return false;
    for (index_t j = 0; j < count; ++j)
      if (offsets[sorted[j]] != offsets[sorted[j / together * together]] + j % together * bytes)
        return false;
    copies_ = count / together;
    copy_bytes_ = together * bytes;
    for (index_t k = 0; k < copies_; ++k) starts_[k] = offsets[sorted[k * together]];
    count_ = count;
    return true;
  }
  void set_lookups(index_t unit, sorted_columns const& sorted) {
    std::array<std::uint16_t, most> place{};  // of a column in the block
    for (index_t j = 0; j < count_; ++j) place[sorted[j]] = static_cast<std::uint16_t>(j);
    how_ = interleaving::of_columns(unit, rows_, count_, [&](index_t col) { return place[col]; });
  }

  void (*permute_)(block_job const&) = nullptr;
  std::optional<interleaving> how_;
  std::array<index_t, most / 16> starts_{};
  index_t rows_ = 0, count_ = 0, copies_ = 0, copy_bytes_ = 0;
};

}  // namespace bmmc::local::detail
