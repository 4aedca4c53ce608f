// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>

#include <bmmc/index/affine_map.hpp>
#include <bmmc/local/walk.hpp>

namespace bmmc::local {

/// A line is 64 bytes: what a cache moves, what one AVX-512 register holds, and what every vector
/// kernel here treats as one value. A byte's place in its line is its lane.
inline constexpr unsigned line_bits = 6;
inline constexpr index_t line_bytes = bit(line_bits);

/// Rows of 2^9 bytes let a page and the hardware's prefetcher serve several lines at once; 2^16
/// bytes are what two tile buffers may take of a second-level cache. Both were found by measuring.
inline constexpr unsigned enough_row_bits = 9;
inline constexpr unsigned buffer_bits = 16;
inline constexpr unsigned small_buffer_bits = 14;

/// Tiles whose target rows join into up to eight times longer ones, of no more than 2^12 bytes, are
/// visited together.
inline constexpr unsigned most_run_bits = 3;
inline constexpr unsigned joined_row_bits = 12;

/// The same map for bytes: an element of 2^lg_size bytes is moved as a whole.
[[nodiscard]] constexpr affine_map on_bytes(affine_map const& map, unsigned lg_size) {
  bit_matrix<> a{map.matrix.rows() + lg_size, map.matrix.cols() + lg_size};
  for (unsigned j = 0; j < lg_size; ++j) a.column[j] = bit(j);
  for (unsigned j = 0; j < map.matrix.cols(); ++j)
    a.column[lg_size + j] = map.matrix.column[j] << lg_size;
  return {a, map.offset << lg_size};
}

/// A lane number in each byte of a word, as it is added to the lanes of a line.
using lane_word = std::uint32_t;
[[nodiscard]] constexpr lane_word in_each_byte(index_t lane) noexcept {
  return static_cast<lane_word>(lane * 0x01010101U);
}

/// Lines that one step of a walk moves, where register tiles are smaller: 2^4.
inline constexpr unsigned lg_step_lines = 4;

/// One step from register tile to register tile: all of its members are added (exclusive or).
struct line_step {
  index_t source = 0;    // first byte of the tile's line 0 in the source
  index_t target = 0;    // and in the target
  index_t position = 0;  // and in the buffer of gathered rows
  index_t staged = 0;    // and in the buffer of rows to be written
  lane_word lanes = 0;

  constexpr line_step& operator^=(line_step const& s) noexcept {
    source ^= s.source;
    target ^= s.target;
    position ^= s.position;
    staged ^= s.staged;
    lanes ^= s.lanes;
    return *this;
  }
};

/// A target row of a tile, and its number among the rows of all tiles that are visited together:
/// rows that are neighbours in the target have neighbouring numbers.
struct row_step {
  index_t offset = 0, number = 0;

  constexpr row_step& operator^=(row_step const& s) noexcept {
    offset ^= s.offset;
    number ^= s.number;
    return *this;
  }
};

/// The tables of one pass over lines, for the byte map y = A x + c, injective, whose image holds
/// whole lines. With L the span of the lanes and S_k = L_k + A^-1 L_k:
///   - A coset of S_6 is a *register tile*: 2^r source lines that fill 2^r target lines. Inside,
///     the map is: permute the lanes of each line, transpose blocks between lines, permute lanes.
///   - A coset of S_k is a *tile*: rows of 2^k bytes on both sides. It is gathered row by row into
///     a buffer and processed register tile by register tile.
///   - The flag S_k <= S_k+1 <= ... orders the tiles.
/// Some 8 KiB, whatever n is; built with O(n^3) word operations.
struct line_plan {
  unsigned lg_lines = 0;      // r: lines of a register tile
  unsigned lg_group = 0;      // lines of the register tiles that make up one step
  unsigned lg_subtiles = 0;   // steps of a tile
  unsigned row_bits = 0;      // k: bytes of a row
  unsigned lg_piece = 0;      // lines of a source row that are gathered at once
  unsigned lg_buffer = 0;     // bytes of a tile
  unsigned lg_band = 0;       // bytes of the target rows that the first steps of a tile fill
  unsigned lg_tiles = 0;      // tiles
  unsigned lg_run = 0;        // tiles that are visited together, so that their rows are joined
  unsigned run_bits = 0;      // rows that are joined
  bool permutes_in = false;   // whether lanes_in and twist_in do anything
  bool permutes_out = false;  // and lanes_out, twist_out
  bool moves_rows = false;    // whether rows stay as they are
  bool scattered = false;     // whether the rows of a tile lie apart on either side
  alignas(64) std::array<std::uint8_t, 64> lanes_in{}, lanes_out{};  // lane -> lane it comes from
  std::array<lane_word, 64> twist_in{}, twist_out{};                 // added to them, by line
  std::array<index_t, 64> source_line{}, buffer_line{}, target_line{}, staged_line{};
  walk<line_step> tiles{};      // groups of register tiles, those of one tile together
  walk<index_t> gather{};       // pieces of source rows in the order in which buffers are filled
  walk<row_step> row_walk{};    // target rows of a tile
  walk<index_t> run_walk{};     // row numbers of the tiles of a run
  walk<index_t> joined_walk{};  // the longer rows into which those of a run join

  /// Where the walk starts for the offset c of the map, and that of the first source line.
  [[nodiscard]] constexpr line_step start(index_t c, index_t source = 0) const noexcept {
    const index_t line = c & ~low_bits(line_bits);
    return {source, line, 0, line & low_bits(row_bits),
            in_each_byte(lanes_out[c & low_bits(line_bits)])};
  }
  /// Has source bytes read at e x in place of x. The linear map e leaves rows whole.
  constexpr void embed_source(bit_matrix<> const& e) noexcept {
    for (index_t& line : source_line) line = e * line;
    for (unsigned j = 0; j < gather.count; ++j) gather.prefix[j] = e * gather.prefix[j];
    for (unsigned j = 0; j < tiles.count; ++j) tiles.prefix[j].source = e * tiles.prefix[j].source;
  }
  /// Row 0 of a tile, where the walk is `at` its beginning.
  [[nodiscard]] constexpr row_step first_row(line_step const& at, index_t tile) const noexcept {
    const index_t offset = at.target & ~low_bits(row_bits), among_joined = low_bits(run_bits);
    const index_t number = run_walk.at(tile & low_bits(lg_run));
    return {offset, (number & ~among_joined) | ((offset >> row_bits) & among_joined)};
  }
  /// Makes each step of the walk move as many register tiles again, those that are `step` away.
  constexpr void double_group(line_step const& step) {
    const auto count = static_cast<unsigned>(bit(lg_group++));
    for (unsigned i = 0; i < count; ++i) {
      source_line[count + i] = source_line[i] ^ step.source;
      buffer_line[count + i] = buffer_line[i] ^ step.position;
      target_line[count + i] = target_line[i] ^ step.target;
      staged_line[count + i] = staged_line[i] ^ step.staged;
      twist_in[count + i] = twist_in[i];
      twist_out[count + i] = twist_out[i] ^ step.lanes;
    }
  }
};

}  // namespace bmmc::local
