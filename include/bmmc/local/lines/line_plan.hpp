// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <bmmc/index/affine_map.hpp>
#include <bmmc/local/lines/lanes.hpp>
#include <bmmc/local/lines/tile_shape.hpp>
#include <bmmc/local/lines/walk.hpp>

namespace bmmc::local {

/// The same map for bytes: an element of 2^lg_size bytes is moved as a whole.
[[nodiscard]] constexpr affine_map on_bytes(affine_map const& map, unsigned lg_size) {
  bit_matrix<> a{map.matrix.rows() + lg_size, map.matrix.cols() + lg_size};
  for (unsigned j = 0; j < lg_size; ++j) a.column[j] = bit(j);
  for (unsigned j = 0; j < map.matrix.cols(); ++j)
    a.column[lg_size + j] = map.matrix.column[j] << lg_size;
  return {a, map.complement << lg_size};
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
///   - A coset of S(6, 6) is a *register tile*: 2^r source lines that fill 2^r target lines. There
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
  word_lookups words{};                                              // the same, for words
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
    return std::min(lg_run_tiles, bmmc::detail::lowest_one(first | last));
  }
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
  /// Fills `words`, where stages of the transposition can look lanes up.
  constexpr void fold_lookups() noexcept {
    const unsigned r = lg_lines;
    if (r < 2 || r > lg_step_lines) return;
    // words 8 to 15 of the first line of two change places with words 0 to 7 of the second one
    const auto number = word_lookups::number;
    const lane_word half = number(lanes_in[line_bytes / 2]), apart = number(twist_in[1]);
    for (unsigned i = 0; i < 16; ++i) {
      const lane_word from = number(lanes_in[4 * i]) ^ (i < 8 ? 0 : 16 ^ half ^ apart);
      const lane_word to = word_lookups::before_last(number(lanes_out[4 * i]), r);
      words.in[i] = static_cast<std::uint8_t>(from);
      words.out[i] = static_cast<std::uint8_t>(to);
      const lane_word last_bit = (i >> (r - 1)) % 2 != 0 ? 16U >> r : 0;
      words.twist_in[i] = number(twist_in[i]) ^ (i % 2 != 0 ? half ^ apart : 0);
      words.twist_out[i] = word_lookups::before_last(number(twist_out[i]), r) ^ last_bit;
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
