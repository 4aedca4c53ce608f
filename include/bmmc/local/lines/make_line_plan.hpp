// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/lines/tile_rows.hpp>

namespace bmmc::local {

namespace detail {

/// Builds a line_plan, table by table, each from those before it. See docs/theory/local.md.
class line_planner {
 public:
  constexpr line_planner(bit_matrix<> const& map, preimages const& preimage,
                         tile_shape const& wanted, unsigned most_row_bits)
      : a(map), pre(preimage), shape(shape_for(map, preimage, wanted, most_row_bits)), split(map) {
    find_register_tile();
    find_tile(most_row_bits);
    find_units();
    order_unit_rows();
    find_runs();
    fill_group();
    fill_steps();
    fill_flag();
    choose_loads();
    p.fold_lookups();
  }
  [[nodiscard]] constexpr line_plan const& result() const noexcept { return p; }

 private:
  static constexpr index_t lane_mask = low_bits(line_bits);

  /// Between the lane permutations a lane number is (bits of K below, r line bits above): bit t of
  /// a line number changes places with lane bit 5 - t.
  constexpr void find_register_tile() {
    const unsigned r = split.to_lines.size();
    for (unsigned j = 0; j < line_bits; ++j) covered.add(bit(j));
    for (unsigned j = line_bits; j-- > 0;)
      if (covered.add(*pre.of_bit[j])) line_of.push_back(*pre.of_bit[j]);
    p.lg_lines = p.lg_group = r;
    bit_matrix<line_bits> in{}, out{};
    for (unsigned j = 0; j < line_bits - r; ++j) {
      in.column[j] = split.in_line[j];
      out.column[j] = a * split.in_line[j];
    }
    for (unsigned t = 0; t < r; ++t) {
      in.column[line_bits - 1 - t] = split.to_lines[t];
      out.column[line_bits - 1 - t] = (a * line_of[t]) & lane_mask;
    }
    const auto out_inverse = inverse(out);
    for (unsigned lane = 0; lane < line_bytes; ++lane) {
      p.lanes_in[lane] = static_cast<std::uint8_t>(in * lane);
      p.lanes_out[lane] = static_cast<std::uint8_t>(out_inverse * lane);
      if (p.lanes_in[lane] != lane) p.in_lanes = lane_map::permutation;
      if (p.lanes_out[lane] != lane) p.out_lanes = lane_map::permutation;
    }
  }

  /// Tiles, and the order in which they are read: pieces of some source rows in turn.
  constexpr void find_tile(unsigned most_row_bits) {
    length = choose_rows(a, pre, shape, most_row_bits);
    p.row_bits = length.k;
    const unsigned kept = bits_kept(a);
    p.moves_rows = kept >= std::max(length.k, least_row_moved) && length.j <= length.k;
    if (p.moves_rows) p.lg_run_kept = std::min(kept, most_row_bits) - length.k;
    is_whole = p.moves_rows || shape.is_square;
    if (!is_whole) length = with_long_runs(pre, shape, length);
    tile = full_tile_basis(pre, length.k, length.j, is_whole ? 0 : a.cols(), shape);
    p.lg_tile = tile.dimension() - line_bits;
    p.is_buffered = shape.buffered || detail::lg_rows_alike(tile, length.k) > shape.alike;
    p.lg_piece = std::min(length.k, shape.piece) - line_bits;
    const unsigned in_turn = std::min(length.k + shape.interleaved, tile.dimension());
    for (unsigned i = 0; i < line_bits + p.lg_piece; ++i) read.add(tile.added()[i]);
    for (unsigned i = length.k; i < in_turn; ++i) read.add(tile.added()[i]);
    for (unsigned i = 0; i < tile.dimension(); ++i) read.add(tile.added()[i]);
    for (unsigned i = line_bits + p.lg_piece; i < read.dimension(); ++i)
      p.gather.append(read.added()[i]);
  }

  /// Units: register tiles that fill target rows together, and more of small ones.
  constexpr void find_units() {
    for (unsigned i = line_bits; i < length.in_unit; ++i)
      if (covered.add(*pre.of_bit[i])) steps.push_back(*pre.of_bit[i]);
    p.lg_unit = p.lg_lines + steps.size();
    const unsigned full = std::min(p.lg_tile, lg_step_lines);
    unit_row = run_end = length.in_unit;
    const unsigned longest = shape.longest_run();
    for (subspace inside = tile; run_end < longest && pre.of_bit[run_end]; ++run_end) {
      if (inside.add(*pre.of_bit[run_end])) break;
      if (!covered.add(*pre.of_bit[run_end])) {
        run_goes_on = run_end == unit_row;
        if (!run_goes_on) break;
        ++unit_row;
        continue;
      }
      steps.push_back(*pre.of_bit[run_end]);
      if (p.lg_unit < full && run_end == unit_row) {
        ++p.lg_unit;
        ++unit_row;
      } else {
        ++p.lg_run_units;
      }
    }
    for (unsigned i = line_bits; i < tile.dimension(); ++i)
      if (covered.add(tile.added()[i])) {
        steps.push_back(tile.added()[i]);
        if (p.lg_unit < full) ++p.lg_unit;
      }
    unit_steps = p.lg_unit - p.lg_lines;
    p.is_paired = p.lg_lines >= lg_step_lines && unit_steps != 0 && a * steps[0] == line_bytes;
  }

  /// Lines of a unit in the order of their targets: rows first.
  constexpr void order_unit_rows() {
    for (unsigned i = line_bits; i < unit_row; ++i) rows.add(bit(i));
    p.lg_row_lines = rows.dimension();
    const auto add_row = [&](index_t y) { rows.add(y & ~low_bits(unit_row)); };
    for (unsigned t = 0; t < p.lg_lines; ++t) add_row(a * split.to_lines[t]);
    for (unsigned i = 0; i < unit_steps; ++i) add_row(a * steps[i]);
    for (unsigned i = 0; i < bit(p.lg_unit); ++i) p.row_line[i] = rows.added().sum(i);
  }

  /// Runs: target rows that join, in a tile or in tiles that are visited one after another.
  constexpr void find_runs() {
    if (subspace filled = covered; run_goes_on && !is_whole)
      for (;
           run_end < shape.longest_run() && pre.of_bit[run_end] && filled.add(*pre.of_bit[run_end]);
           ++run_end)
        run_tiles.push_back(*pre.of_bit[run_end]);
    p.lg_run_tiles = run_tiles.size();
    for (unsigned i = line_bits; i < run_end; ++i) places.add(bit(i));
    for (unsigned i = p.lg_row_lines; i < rows.dimension(); ++i)
      places.add(rows.added()[i] & ~low_bits(run_end));
    for (unsigned i = unit_steps + p.lg_run_units; i < steps.size(); ++i)
      places.add(a * steps[i] & ~low_bits(run_end));
  }

  /// The lines of one register tile, where they lie and go, in the arrays and in buffers.
  constexpr void fill_group() {
    for (unsigned i = 0; i < bit(p.lg_lines); ++i) {
      const index_t from = line_of.sum(i), to = a * split.to_lines.sum(i);
      p.source_line[i] = from & ~lane_mask;
      p.target_line[i] = to & ~lane_mask;
      p.buffer_line[i] = in_tile(from);
      p.unit_line[i] = in_unit(to);
      p.twist_in[i] = in_each_byte(from & lane_mask);
      p.twist_out[i] = lanes_of(to);
      p.in_lanes = translated(p.in_lanes, p.twist_in[i]);
      p.out_lanes = translated(p.out_lanes, p.twist_out[i]);
    }
  }

  /// From register tile to register tile.
  constexpr void fill_steps() {
    for (unsigned i = 0; i < steps.size(); ++i) {
      const index_t x = steps[i], y = a * x;
      const lane_word twist = in_each_byte(x & lane_mask);
      const line_step direct{x & ~lane_mask, y & ~lane_mask, twist, lanes_of(y), slot_of(y)};
      const line_step staged{in_tile(x), i < unit_steps ? in_unit(y) : 0, twist, lanes_of(y),
                             slot_of(y)};
      p.in_lanes = translated(p.in_lanes, twist);
      p.out_lanes = translated(p.out_lanes, direct.lanes);
      if (p.lg_group < lg_step_lines && i < unit_steps) {
        p.double_group(direct, staged);
      } else {
        p.inner.append(direct);
        p.staged.append(staged);
      }
    }
  }

  /// The flag: the tiles of a run, the rest of a source page, that of a target page, and so on.
  constexpr void fill_flag() {
    const unsigned n = a.cols();
    const auto beyond = [&](index_t v, bool joins) {
      if (!covered.add(v)) return;
      const index_t x = v & ~low_bits(length.k), y = a * x;
      p.outer.append({x, y & ~lane_mask, 0, lanes_of(y), joins ? slot_of(y) : 0});
      p.out_lanes = translated(p.out_lanes, lanes_of(y));
    };
    for (index_t v : run_tiles) beyond(v, true);
    for (unsigned i = length.k; i < std::min(n, page_bits); ++i) beyond(bit(i), false);
    for (unsigned i = length.j; i < std::max(n, a.rows()); ++i) {
      if (i >= page_bits && i < n) beyond(bit(i), false);
      if (i < a.rows() && pre.of_bit[i]) beyond(*pre.of_bit[i], false);
    }
    p.lg_tiles = p.outer.count;
  }

  /// How lines of a source that is not aligned are loaded. On Zen 4 joining them takes less time;
  /// longer where more of them move together than there are registers for, and where few do that
  /// lie at one place of their pages, as in transpositions.
  constexpr void choose_loads() {
    index_t different = 0;
    for (unsigned i = 0; i < bit(p.lg_group); ++i) different |= p.source_line[i];
    const bool at_one_place = (different & low_bits(page_bits)) == 0;
    p.joins_lines = shape.second_level && p.lg_lines <= lg_step_lines &&
                    (p.lg_lines == lg_step_lines || !at_one_place);
  }

  [[nodiscard]] constexpr lane_word lanes_of(index_t y) const {
    return in_each_byte(p.lanes_out[y & lane_mask]);
  }
  [[nodiscard]] constexpr index_t in_tile(index_t x) const { return read.sum_of(x & ~lane_mask); }
  [[nodiscard]] constexpr index_t in_unit(index_t y) const {
    return rows.sum_of(y & ~lane_mask) << line_bits;
  }
  [[nodiscard]] constexpr index_t slot_of(index_t y) const {
    return places.sum_of(y & ~lane_mask) >> (run_end - line_bits);
  }

  bit_matrix<> const& a;
  preimages const& pre;
  tile_shape shape;
  lane_split split;
  line_plan p{};
  short_list<index_t> line_of{}, steps{}, run_tiles{};
  subspace covered{};  // by register tiles, then by units, then by tiles
  row_lengths length{};
  bool is_whole = false, run_goes_on = true;
  subspace tile{}, read{}, rows{}, places{};
  unsigned unit_row = 0, run_end = 0, unit_steps = 0;
};

}  // namespace detail

/// Builds the tables for a map of bytes, as on_bytes gives it; or nothing where the target does not
/// consist of whole lines. Source rows have at most 2^most_row_bits bytes: nothing where that is
/// less than a line.
[[nodiscard]] constexpr std::optional<line_plan> make_line_plan(bit_matrix<> const& a,
                                                                tile_shape const& shape = {},
                                                                unsigned most_row_bits = 64) {
  if (a.cols() < line_bits || most_row_bits < line_bits) return std::nullopt;
  const detail::preimages pre(a);
  if (pre.filled_bits() < line_bits) return std::nullopt;
  return detail::line_planner(a, pre, shape, most_row_bits).result();
}

}  // namespace bmmc::local
