// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/error.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::local {

/// A line is 64 bytes: what a cache moves, what one AVX-512 register holds, and what every vector
/// kernel here treats as one value. A byte's place in its line is its lane.
inline constexpr unsigned line_bits = 6;
inline constexpr index_t line_bytes = bit(line_bits);

inline constexpr unsigned page_bits = 12;
/// Threads write 1 KiB and more on end. In the caches cores would else fetch lines from each other;
/// past them runs of 512 bytes take half as long again, since their ends are stored in parts.
inline constexpr unsigned least_run_bits = 10;

/// Rows, tiles and reading, as powers of two bytes. See docs/theory/local.md for why.
struct tile_shape {
  unsigned source_row = 12;    // long, so that the hardware's prefetcher follows; at most a page
  unsigned target_row = 7;     // short: stores past the caches ask for pairs of lines
  unsigned tile = 18;          // at most; the longer rows are halved where that is needed,
  unsigned least_row = 6;      // but those of the source not below this for those of the target
  unsigned least_target = 7;   // and these not below this where source rows are alike
  unsigned uneven_tile = 0;    // where it is not 0 some maps take uneven()
  unsigned growth = 1;         // tiles are 2^growth times as large for a target that is not aligned
  unsigned grown_below = 13;   // and whose rows would be shorter than this otherwise
  unsigned run = page_bits;    // rows of such a target join into runs of at most 2^run bytes
  unsigned unit = 13;          // at most; target rows are shorter where that is needed
  unsigned piece = 8;          // bytes that are fetched of one source row, before
  unsigned interleaved = 3;    // the next of 2^interleaved rows comes
  unsigned shifted_piece = 8;  // piece where units or whole rows go to a target not aligned
  unsigned rows_in_turn = 0;   // so many, 2^rows_in_turn, where rows stay as they are
  unsigned grown_tile = 0;     // what tiles may grow to; 0 where the target is aligned
  bool is_square = false;      // both rows have one length, as tiles that change places must
  bool buffered = false;       // tiles are copied to a buffer, not only fetched
  unsigned alike = 20;         // so are tiles of more than 2^alike rows 2^alike_bits bytes apart
                               // that cannot be fewer and longer; see has_rows_alike
  bool second_level = false;   // tiles are fetched into the second-level cache, not the first
  unsigned lines_ahead = 48;   // how far fetching for a buffer runs ahead,
  unsigned lines_far_ahead = 0;  // and into the second-level cache
  bool caches_in_place = false;  // in place lines are stored into the caches, where they were read
  unsigned direct_lines = 7;     // in place register tiles of 2^direct_lines lines and more change
                                 // places where they lie (AVX-512), not by way of buffers,
  unsigned direct_alike = 6;     // if no more than 2^direct_alike lines of one share a set; where
                                 // more do, tiles in buffers are written row by row
  bool joins_pairs = false;      // to a target that is not aligned pairs of lines are joined in
                                 // registers (AVX-512), unless runs are short so
  bool alternates_sets = false;  // in the caches register tiles that share sets follow others that
                                 // do not, or overlap; else units go by way of a buffer
  friend constexpr bool operator==(tile_shape const&, tile_shape const&) = default;

  /// Long rows of the source and short ones of the target in tiles of 2^uneven_tile bytes, for
  /// arrays in the caches and for maps whose rows of one length would be short; the same shape
  /// where that is 0.
  [[nodiscard]] constexpr tile_shape uneven() const noexcept;
  /// Of a target that is aligned runs decide only which tile comes next: a page is filled.
  [[nodiscard]] constexpr unsigned longest_run() const noexcept {
    return grown_tile != 0 ? run : page_bits;
  }
};
/// Rows so far apart share a set of the tables of pages, which have 128 sets or less, and one of
/// the caches where pages of memory lie in order.
inline constexpr unsigned alike_bits = page_bits + 7;

/// Bounds of what tables have room for.
inline constexpr unsigned most_tile_bits = 20;
inline constexpr unsigned most_unit_bits = 14;
inline constexpr unsigned most_run_bits = 16;
inline constexpr unsigned most_rows_in_turn = 4;
inline constexpr unsigned most_piece_bits = 10;  // units have as much: what is read for one
inline constexpr unsigned most_inner_steps = most_tile_bits - line_bits;

constexpr tile_shape tile_shape::uneven() const noexcept {
  tile_shape s = *this;
  if (uneven_tile == 0) return s;
  s.target_row = line_bits + 1;
  s.tile = uneven_tile;
  s.least_row = line_bits;
  s.growth = s.uneven_tile = 0;
  s.alike = most_tile_bits;  // rows are as long as they can be, and a buffer costs more
  return s;
}

/// Throws bad_value for a shape that tables have no room for.
constexpr void require_room(tile_shape const& s) {
  const auto is_row = [](unsigned bits) { return bits >= line_bits && bits <= page_bits; };
  if (!is_row(s.source_row) || !is_row(s.target_row) || !is_row(s.least_row) ||
      !is_row(s.least_target) || s.piece < line_bits || s.piece > most_piece_bits ||
      s.shifted_piece < line_bits || s.shifted_piece > most_piece_bits || s.tile < 2 * line_bits ||
      s.tile > most_tile_bits || s.uneven_tile > most_tile_bits || s.growth > most_tile_bits ||
      s.grown_below > page_bits + 1 || s.alike > most_tile_bits || s.run < page_bits ||
      s.run > most_run_bits || s.unit < 2 * line_bits || s.unit > most_unit_bits ||
      s.interleaved > page_bits || s.rows_in_turn > most_rows_in_turn ||
      s.lines_ahead > bit(page_bits) || s.lines_far_ahead > bit(most_tile_bits))
    throw bad_value(
        "a shape of tiles has rows of 2^6 to 2^12 bytes, pieces of 2^6 to 2^10, tiles of 2^12 to "
        "2^20, units of 2^12 to 2^14, runs of 2^12 to 2^16, at most 2^12 rows fetched in turn and "
        "2^4 moved, at most 2^12 lines fetched ahead and 2^20 far ahead; growth and alike are at "
        "most 20, grown_below is at most 13");
}

}  // namespace bmmc::local
