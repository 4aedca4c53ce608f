// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <bmmc/error.hpp>
#include <bmmc/index/affine_map.hpp>
#include <bmmc/local/lines/walk.hpp>

namespace bmmc::local {

/// A line is 64 bytes: what a cache moves, what one AVX-512 register holds, and what every vector
/// kernel here treats as one value. A byte's place in its line is its lane.
inline constexpr unsigned line_bits = 6;
inline constexpr index_t line_bytes = bit(line_bits);

/// The same map for bytes: an element of 2^lg_size bytes is moved as a whole.
[[nodiscard]] constexpr affine_map on_bytes(affine_map const& map, unsigned lg_size) {
  bit_matrix<> a{map.matrix.rows() + lg_size, map.matrix.cols() + lg_size};
  for (unsigned j = 0; j < lg_size; ++j) a.column[j] = bit(j);
  for (unsigned j = 0; j < map.matrix.cols(); ++j)
    a.column[lg_size + j] = map.matrix.column[j] << lg_size;
  return {a, map.complement << lg_size};
}

/// What becomes of the lanes of lines: nothing; a number is added to all of them, for each line
/// another one; or anything linear.
enum class lane_map : std::uint8_t { identity, translation, permutation };

/// Where the lanes of lines have to be looked up: nowhere, since all stay; as lines are read; as
/// they are stored; or both.
enum class lookups : std::uint8_t { none, read, stored, both };

/// A lane number in each byte of a word, as it is added to the lanes of a line.
using lane_word = std::uint32_t;
/// What becomes of lanes if a number is added to them besides.
[[nodiscard]] constexpr lane_map translated(lane_map m, lane_word lanes) noexcept {
  return lanes != 0 ? std::max(m, lane_map::translation) : m;
}
/// The number of a lane, below 256, in each of the four bytes of a word.
[[nodiscard]] constexpr lane_word in_each_byte(index_t lane) noexcept {
  return static_cast<lane_word>(lane * 0x01010101U);
}

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

/// Smaller register tiles are moved several at a time, this many lines.
inline constexpr unsigned lg_step_lines = 4;

/// One step from register tile to register tile: all of its members are added (exclusive or).
struct line_step {
  index_t source = 0;   // first byte of the tile's line 0 in the source
  index_t target = 0;   // and in the target
  lane_word twist = 0;  // added to the lanes that lines are read from
  lane_word lanes = 0;  // added to the lanes of the transposed tile
  index_t slot = 0;     // which runs the tile's target rows belong to

  constexpr line_step& operator^=(line_step const& s) noexcept {
    source ^= s.source;
    target ^= s.target;
    twist ^= s.twist;
    lanes ^= s.lanes;
    slot ^= s.slot;
    return *this;
  }
};

/// The tables of one pass over lines, for the byte map y = A x + c, injective, whose image holds
/// whole lines. With L_k the span of the k low bits, and S(k, j) = L_k + A^-1 L_j:
///   - A coset of S(6, 6) is a *register tile*: 2^r source lines that fill 2^r target lines.
///   Inside,
///     the map is: permute the lanes of each line, transpose blocks between lines, permute lanes.
///   - A coset of S(k, j) is a *tile*: source rows of 2^k bytes that fill target rows of 2^j bytes.
///     It is read into a buffer and moved unit by unit.
///   - A *unit* is one register tile or several, as many as fill target rows of 2^j bytes. It is
///     put together in a buffer of its own, row after row, before it is stored; not where pairs
///     are joined.
/// Below 8 KiB, whatever n is; built with O(n^3) word operations.
struct line_plan {
  unsigned lg_lines = 0;      // r: lines of a register tile
  unsigned lg_group = 0;      // lines that the tables below describe: of several small tiles
  unsigned lg_unit = 0;       // lines of a unit
  unsigned lg_row_lines = 0;  // lines of its target rows
  unsigned lg_tile = 0;       // lines of a tile
  unsigned lg_tiles = 0;      // tiles
  unsigned lg_run_units = 0;  // units of a tile one after another, whose target rows join,
  unsigned lg_run_tiles = 0;  // and tiles
  unsigned row_bits = 0;      // k: bytes of a source row
  unsigned lg_piece = 0;      // lines of a source row that are read at once
  bool is_paired = false;     // whether the first step leads to the other halves of pairs of lines
  lane_map in_lanes{};        // what lanes_in and twist_in do
  lane_map out_lanes{};       // and lanes_out, twist_out, and what steps add
  bool joins_lines = false;   // whether lines of a source that is not aligned are put together
                              // from the machine's, not loaded across two of them
  bool is_buffered = false;   // whether tiles are copied to a buffer
  bool collects = false;      // whether units are put together in a buffer for the caches, too
  bool overlaps = false;      // whether, in the caches, a register tile is read while the one
                              // before it is stored
  bool joins_pairs = false;  // whether rows of two lines of a target that is not aligned are joined
                             // in registers, without a buffer for units
  bool moves_rows = false;   // whether source rows stay as they are,
  unsigned lg_run_kept = 0;  // and so many of them, 2^lg_run_kept, stay together
  alignas(64) std::array<std::uint8_t, 64> lanes_in{}, lanes_out{};  // lane -> lane it comes from
  std::array<lane_word, 64> twist_in{}, twist_out{};                 // added to them, by line
  std::array<index_t, 64> source_line{}, target_line{};              // lines of a group
  std::array<index_t, 64> buffer_line{}, unit_line{};                // the same in the buffers
  std::array<index_t, bit(most_unit_bits - line_bits)> row_line{};   // target of a unit's lines
  walk<line_step, most_inner_steps> inner{};   // groups of a tile: those of one unit come first
  walk<line_step, most_inner_steps> staged{};  // the same in the buffers
  walk<line_step> outer{};                     // from tile to tile
  walk<index_t, most_inner_steps> gather{};    // pieces of a tile in the order of its buffer

  /// Rows that join into a run, and runs that are filled at the same time.
  [[nodiscard]] constexpr unsigned lg_run_rows() const noexcept {
    return lg_run_units + lg_run_tiles;
  }
  [[nodiscard]] constexpr unsigned lg_slots() const noexcept {
    return lg_tile - lg_row_lines - lg_run_units;
  }
  /// What may be moved on its own where lines wait: tiles that fill 1 KiB of a run together. Longer
  /// runs are cut if they are not moved as a whole, see lg_run_tiles_in.
  [[nodiscard]] constexpr unsigned lg_parts() const noexcept {
    const unsigned in_tile = std::min(line_bits + lg_row_lines + lg_run_units, least_run_bits);
    return lg_tiles - std::min(lg_run_tiles, least_run_bits - in_tile);
  }
  /// Tiles of a run where tiles [first, last) are moved: runs begin and end with these.
  [[nodiscard]] constexpr unsigned lg_run_tiles_in(index_t first, index_t last) const noexcept {
    return std::min(lg_run_tiles, static_cast<unsigned>(std::countr_zero(first | last)));
  }
  [[nodiscard]] constexpr unsigned lg_units() const noexcept { return lg_tile - lg_unit; }
  [[nodiscard]] constexpr unsigned lg_unit_steps() const noexcept { return lg_unit - lg_group; }
  /// Where lanes are looked up if the complement adds `lanes`: on one side or none in most
  /// permutations of index bits.
  [[nodiscard]] constexpr lookups looked_up(lane_word lanes) const noexcept {
    const bool stored = translated(out_lanes, lanes) != lane_map::identity;
    if (in_lanes == lane_map::identity) return stored ? lookups::stored : lookups::none;
    return stored ? lookups::both : lookups::read;
  }

  /// Where the walks start for the offset c of the map, and that of the first source line.
  [[nodiscard]] constexpr line_step start(index_t c, index_t source = 0) const noexcept {
    constexpr index_t lane_mask = low_bits(line_bits);
    return {source, c & ~lane_mask, 0, in_each_byte(lanes_out[c & lane_mask]), 0};
  }
  /// Makes the tables describe as many register tiles again, those that are one step away.
  constexpr void double_group(line_step const& direct, line_step const& in_buffers) noexcept {
    const auto count = static_cast<unsigned>(bit(lg_group++));
    for (unsigned i = 0; i < count; ++i) {
      source_line[count + i] = source_line[i] ^ direct.source;
      target_line[count + i] = target_line[i] ^ direct.target;
      buffer_line[count + i] = buffer_line[i] ^ in_buffers.source;
      unit_line[count + i] = unit_line[i] ^ in_buffers.target;
      twist_in[count + i] = twist_in[i] ^ direct.twist;
      twist_out[count + i] = twist_out[i] ^ direct.lanes;
    }
  }
  /// Has source bytes read at e x in place of x. The linear map e leaves source rows whole.
  constexpr void embed_source(bit_matrix<> const& e) noexcept {
    for (index_t& line : source_line) line = e * line;
    for (auto& v : inner.prefix) v.source = e * v.source;
    for (auto& v : outer.prefix) v.source = e * v.source;
    for (index_t& v : gather.prefix) v = e * v;
  }
};

}  // namespace bmmc::local
