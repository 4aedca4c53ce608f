// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/tile_rows.hpp>

namespace bmmc::local {

/// Builds the tables for a map of bytes, as on_bytes gives it; or nothing where the target does not
/// consist of whole lines. Source rows have at most 2^most_row_bits bytes: nothing where that is
/// less than a line.
[[nodiscard]] constexpr std::optional<line_plan> make_line_plan(bit_matrix<> const& a,
                                                                tile_shape const& shape = {},
                                                                unsigned most_row_bits = 64) {
  constexpr index_t lane_mask = low_bits(line_bits);
  const unsigned n = a.cols();
  if (n < line_bits || most_row_bits < line_bits) return std::nullopt;
  const detail::preimages pre(a);
  if (pre.filled_bits() < line_bits) return std::nullopt;

  // Register tiles. Between the lane permutations a lane number is (bits of K below, r line bits
  // above): bit t of a line number changes places with lane bit 5 - t.
  const detail::lane_split split(a);
  auto const& to_lines = split.to_lines;
  const unsigned r = to_lines.size();
  short_list<index_t> line_of;
  subspace covered;  // by register tiles, then by units, then by tiles
  for (unsigned j = 0; j < line_bits; ++j) covered.add(bit(j));
  for (unsigned j = line_bits; j-- > 0;)
    if (covered.add(*pre.of_bit[j])) line_of.push_back(*pre.of_bit[j]);
  line_plan p;
  p.lg_lines = p.lg_group = r;
  bit_matrix<line_bits> in{}, out{};
  for (unsigned j = 0; j < line_bits - r; ++j) {
    in.column[j] = split.in_line[j];
    out.column[j] = a * split.in_line[j];
  }
  for (unsigned t = 0; t < r; ++t) {
    in.column[line_bits - 1 - t] = to_lines[t];
    out.column[line_bits - 1 - t] = (a * line_of[t]) & lane_mask;
  }
  const auto out_inverse = inverse(out);
  for (unsigned lane = 0; lane < line_bytes; ++lane) {
    p.lanes_in[lane] = static_cast<std::uint8_t>(in * lane);
    p.lanes_out[lane] = static_cast<std::uint8_t>(out_inverse * lane);
  }
  const auto lanes_of = [&](index_t y) { return in_each_byte(p.lanes_out[y & lane_mask]); };

  // Tiles, and the order in which they are read: pieces of some source rows in turn.
  const auto [k, j, in_unit_row] = detail::choose_rows(a, pre, shape, most_row_bits);
  const bool moves_rows = detail::bits_kept(a) >= std::max(k, detail::least_row_moved) && j <= k;
  const bool is_whole = moves_rows || shape.is_square;
  const auto tile = detail::full_tile_basis(pre, k, j, is_whole ? 0 : n, shape);
  p.row_bits = k;
  p.moves_rows = moves_rows;
  p.lg_tile = tile.dimension() - line_bits;
  p.lg_piece = std::min(k, shape.piece) - line_bits;
  subspace read;
  const unsigned in_turn = std::min(k + shape.interleaved, tile.dimension());
  for (unsigned i = 0; i < line_bits + p.lg_piece; ++i) read.add(tile.added()[i]);
  for (unsigned i = k; i < in_turn; ++i) read.add(tile.added()[i]);
  for (unsigned i = 0; i < tile.dimension(); ++i) read.add(tile.added()[i]);
  for (unsigned i = line_bits + p.lg_piece; i < read.dimension(); ++i)
    p.gather.append(read.added()[i]);

  // Units: register tiles that fill target rows together, and more of small ones.
  short_list<index_t> steps;
  for (unsigned i = line_bits; i < in_unit_row; ++i)
    if (covered.add(*pre.of_bit[i])) steps.push_back(*pre.of_bit[i]);
  p.lg_unit = r + steps.size();
  const unsigned full = std::min(p.lg_tile, lg_step_lines);
  unsigned unit_row = in_unit_row, run_end = in_unit_row;
  bool run_goes_on = true;
  for (subspace inside = tile; run_end < page_bits && pre.of_bit[run_end]; ++run_end) {
    if (inside.add(*pre.of_bit[run_end])) break;
    if (!covered.add(*pre.of_bit[run_end])) {
      if (run_end != unit_row) {
        run_goes_on = false;
        break;
      }
      ++unit_row;
    } else {
      steps.push_back(*pre.of_bit[run_end]);
      if (p.lg_unit < full && run_end == unit_row) {
        ++p.lg_unit;
        ++unit_row;
      } else {
        ++p.lg_run_units;
      }
    }
  }
  for (unsigned i = line_bits; i < tile.dimension(); ++i)
    if (covered.add(tile.added()[i])) {
      steps.push_back(tile.added()[i]);
      if (p.lg_unit < full) ++p.lg_unit;
    }
  const unsigned unit_steps = p.lg_unit - r;

  p.is_paired = shape.pairs && r >= lg_step_lines && unit_steps != 0 && a * steps[0] == line_bytes;

  // Lines of a unit in the order of their targets: rows first.
  subspace rows;
  for (unsigned i = line_bits; i < unit_row; ++i) rows.add(bit(i));
  p.lg_row_lines = rows.dimension();
  const auto add_row = [&](index_t y) { rows.add(y & ~low_bits(unit_row)); };
  for (unsigned t = 0; t < r; ++t) add_row(a * to_lines[t]);
  for (unsigned i = 0; i < unit_steps; ++i) add_row(a * steps[i]);
  const auto in_unit = [&](index_t y) { return rows.sum_of(y & ~lane_mask) << line_bits; };
  for (unsigned i = 0; i < bit(p.lg_unit); ++i) p.row_line[i] = rows.added().sum(i);

  // Runs: target rows that join, in a tile or in tiles that are visited one after another.
  short_list<index_t> run_tiles;
  subspace filled = covered;
  if (run_goes_on && !is_whole)
    for (; run_end < page_bits && pre.of_bit[run_end] && filled.add(*pre.of_bit[run_end]);
         ++run_end)
      run_tiles.push_back(*pre.of_bit[run_end]);
  p.lg_run_tiles = run_tiles.size();
  subspace places;
  for (unsigned i = line_bits; i < run_end; ++i) places.add(bit(i));
  for (unsigned i = p.lg_row_lines; i < rows.dimension(); ++i)
    places.add(rows.added()[i] & ~low_bits(run_end));
  for (unsigned i = unit_steps + p.lg_run_units; i < steps.size(); ++i)
    places.add(a * steps[i] & ~low_bits(run_end));
  const auto slot_of = [&](index_t y) {
    return places.sum_of(y & ~lane_mask) >> (run_end - line_bits);
  };

  const auto in_tile = [&](index_t x) { return read.sum_of(x & ~lane_mask); };
  for (unsigned i = 0; i < bit(r); ++i) {
    const index_t from = line_of.sum(i), to = a * to_lines.sum(i);
    p.source_line[i] = from & ~lane_mask;
    p.target_line[i] = to & ~lane_mask;
    p.buffer_line[i] = in_tile(from);
    p.unit_line[i] = in_unit(to);
    p.twist_in[i] = in_each_byte(from & lane_mask);
    p.twist_out[i] = lanes_of(to);
  }
  for (unsigned i = 0; i < steps.size(); ++i) {
    const index_t x = steps[i], y = a * x;
    const lane_word twist = in_each_byte(x & lane_mask);
    const line_step direct{x & ~lane_mask, y & ~lane_mask, twist, lanes_of(y), slot_of(y)};
    const line_step staged{in_tile(x), i < unit_steps ? in_unit(y) : 0, twist, lanes_of(y),
                           slot_of(y)};
    p.permutes_in |= twist != 0;
    if (p.lg_group < lg_step_lines && i < unit_steps) {
      p.double_group(direct, staged);
    } else {
      p.inner.append(direct);
      p.staged.append(staged);
    }
  }

  // The flag: the tiles of a run, the rest of a source page, that of a target page, and so on.
  const auto beyond = [&](index_t v, bool joins) {
    if (!covered.add(v)) return;
    const index_t x = v & ~low_bits(k), y = a * x;
    p.outer.append({x, y & ~lane_mask, 0, lanes_of(y), joins ? slot_of(y) : 0});
  };
  for (index_t v : run_tiles) beyond(v, true);
  for (unsigned i = k; i < std::min(n, page_bits); ++i) beyond(bit(i), false);
  for (unsigned i = j; i < std::max(n, a.rows()); ++i) {
    if (i >= page_bits && i < n) beyond(bit(i), false);
    if (i < a.rows() && pre.of_bit[i]) beyond(*pre.of_bit[i], false);
  }
  p.lg_tiles = p.outer.count;
  for (unsigned i = 0; i < 64; ++i) {
    p.permutes_in |= p.lanes_in[i] != i || p.twist_in[i] != 0;
    p.permutes_out |= p.lanes_out[i] != i || p.twist_out[i] != 0;
  }
  return p;
}

}  // namespace bmmc::local
