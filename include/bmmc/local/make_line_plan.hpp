// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/line_plan.hpp>

namespace bmmc::local {

namespace detail {

/// preimage[j] = A^-1 e_j where it exists.
struct preimages {
  std::array<std::optional<index_t>, 64> of_bit{};
  constexpr explicit preimages(bit_matrix<> const& a) {
    for (unsigned i = 0; i < a.rows(); ++i) of_bit[i] = solve(a, bit(i));
  }
};

/// Whether the target consists of whole lines.
[[nodiscard]] constexpr bool fills_lines(preimages const& pre, unsigned rows) {
  if (rows < line_bits) return false;
  return std::all_of(pre.of_bit.begin(), pre.of_bit.begin() + line_bits,
                     [](auto const& x) { return x.has_value(); });
}

[[nodiscard]] constexpr unsigned tile_dimension(preimages const& pre, unsigned k) {
  subspace s;
  for (unsigned j = 0; j < k; ++j) {
    s.add(bit(j));
    if (pre.of_bit[j]) s.add(*pre.of_bit[j]);
  }
  return s.dimension();
}

/// Rows as long as they stay rows on both sides, if that is long enough, or as the buffer allows.
[[nodiscard]] constexpr unsigned choose_row_bits(bit_matrix<> const& a, preimages const& pre,
                                                 unsigned most) {
  unsigned bits = 0;  // of rows that the map fills
  while (bits < std::min({a.rows(), a.cols(), most}) && pre.of_bit[bits]) ++bits;
  unsigned k = 0;
  while (k < std::min(bits, small_buffer_bits) && a.column[k] == bit(k)) ++k;
  if (k >= enough_row_bits) return k;
  k = line_bits;
  while (k < std::min(bits, small_buffer_bits) && tile_dimension(pre, k + 1) == k + 1) ++k;
  if (k >= enough_row_bits) return k;
  while (k < bits &&
         tile_dimension(pre, k + 1) <= (k + 1 <= enough_row_bits ? buffer_bits : small_buffer_bits))
    ++k;
  return k;
}

/// Rows of 2^k bytes that make up a tile: a basis of the tile beyond its first row.
struct row_list {
  unsigned k;
  subspace span{};
  short_list<index_t> rows{};

  constexpr explicit row_list(unsigned row_bits) : k(row_bits) {
    for (unsigned j = 0; j < k; ++j) span.add(bit(j));
  }
  constexpr void add(index_t v) {
    if (span.add(v)) rows.push_back(v & ~low_bits(k));
  }
  /// Where the line of v, a vector of the tile, lies when the rows lie one after another.
  [[nodiscard]] constexpr index_t position(index_t v) const {
    bit_matrix<> a{64, rows.size()};
    for (unsigned j = 0; j < rows.size(); ++j) a.column[j] = rows[j];
    return *solve(a, v & ~low_bits(k)) << k | (v & low_bits(k) & ~low_bits(line_bits));
  }
};

/// Numbers rows of 2^k bytes so that 2^run_bits neighbours have neighbouring numbers.
struct row_numbers {
  unsigned k, run_bits;
  subspace span{};
  short_list<index_t> rows{};  // of 2^(k + run_bits) bytes

  [[nodiscard]] constexpr index_t joined(index_t y) const { return y & ~low_bits(k + run_bits); }
  constexpr void add(index_t y) {
    if (span.add(joined(y))) rows.push_back(joined(y));
  }
  [[nodiscard]] constexpr index_t operator()(index_t y) const {
    bit_matrix<> a{64, rows.size()};
    for (unsigned j = 0; j < rows.size(); ++j) a.column[j] = rows[j];
    return *solve(a, joined(y)) << run_bits | ((y >> k) & low_bits(run_bits));
  }
};

}  // namespace detail

/// Builds the tables for a map of bytes, as on_bytes gives it; or nothing where the target does not
/// consist of whole lines. One step of the walk moves register tiles of 2^lg_step lines together,
/// or a larger one; lg_step is at most lg_step_lines. Rows have at most 2^most_row_bits bytes:
/// nothing where that is less than a line.
[[nodiscard]] constexpr std::optional<line_plan> make_line_plan(bit_matrix<> const& a,
                                                                unsigned lg_step = lg_step_lines,
                                                                unsigned most_row_bits = 64) {
  constexpr index_t lane_mask = low_bits(line_bits);
  const unsigned n = a.cols();
  if (n < line_bits || most_row_bits < line_bits) return std::nullopt;
  const detail::preimages pre(a);
  if (!detail::fills_lines(pre, a.rows())) return std::nullopt;

  // Lanes split into M, which a register tile sends to different lines, and K, which it does not.
  // Taking high lanes first makes the lane permutations of plain transpositions identities.
  short_list<index_t> to_lines, in_line, line_of;
  subspace lanes;
  for (unsigned j = line_bits; j-- > 0;) {
    if (lanes.add(a.column[j] >> line_bits)) to_lines.push_back(bit(j));
  }
  const unsigned r = to_lines.size();
  bit_matrix<> high{64, r};
  for (unsigned t = 0; t < r; ++t) high.column[t] = (a * to_lines[t]) >> line_bits;
  for (unsigned j = 0; j < line_bits; ++j) {
    if (std::find(to_lines.begin(), to_lines.end(), bit(j)) != to_lines.end()) continue;
    in_line.push_back(bit(j) ^ to_lines.sum(*solve(high, a.column[j] >> line_bits)));
  }
  subspace tile;
  for (unsigned j = 0; j < line_bits; ++j) tile.add(bit(j));
  for (unsigned j = line_bits; j-- > 0;)
    if (tile.add(*pre.of_bit[j])) line_of.push_back(*pre.of_bit[j]);

  // Between the lane permutations a lane number is (bits of K below, r line bits above): bit t of
  // a line number changes places with lane bit 5 - t.
  line_plan p;
  p.lg_lines = p.lg_group = r;
  bit_matrix<line_bits> in{}, out{};
  for (unsigned j = 0; j < line_bits - r; ++j) {
    in.column[j] = in_line[j];
    out.column[j] = a * in_line[j];
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

  // Tiles: rows of 2^k bytes.
  const unsigned k = detail::choose_row_bits(a, pre, most_row_bits);
  detail::row_list source_rows(k), target_rows(k);
  for (unsigned j = 0; j < k; ++j) {
    if (pre.of_bit[j]) source_rows.add(*pre.of_bit[j]);
    target_rows.add(a.column[j]);
    if (j + 1 == line_bits) p.lg_band = k + target_rows.rows.size();
  }
  p.row_bits = k;
  p.moves_rows = true;
  for (unsigned j = 0; j < k; ++j) p.moves_rows &= a.column[j] == bit(j);
  p.lg_buffer = k + source_rows.rows.size();
  p.scattered = p.lg_buffer > k;
  for (unsigned i = 0; i < bit(r); ++i) {
    const index_t from = line_of.sum(i), to = a * to_lines.sum(i);
    p.source_line[i] = from & ~lane_mask;
    p.buffer_line[i] = source_rows.position(from);
    p.twist_in[i] = in_each_byte(from & lane_mask);
    p.target_line[i] = to & ~lane_mask;
    p.staged_line[i] = target_rows.position(to);
    p.twist_out[i] = lanes_of(to);
  }

  // The flag. Inside a tile neighbouring lines of the target come first, so that its rows are
  // written in one go; its source rows are in the buffer by then.
  const auto inside = [&](index_t v) {
    if (!tile.add(v)) return;
    const index_t x = v & ~lane_mask, y = a * x;
    const line_step step{x, y & ~lane_mask, source_rows.position(x), target_rows.position(y),
                         lanes_of(y)};
    if (p.lg_group < lg_step)
      p.double_group(step);
    else
      p.tiles.append(step);
  };
  if (p.scattered)
    for (unsigned j = line_bits; j < k; ++j)
      if (pre.of_bit[j]) inside(*pre.of_bit[j]);
  for (unsigned j = line_bits; j < k; ++j) inside(bit(j));
  p.lg_subtiles = p.tiles.count;
  p.lg_piece = std::min(k - line_bits, r < 5 ? 2U : 1U);  // found by measuring
  for (unsigned j = line_bits + p.lg_piece; j < k; ++j) p.gather.append(bit(j));
  for (index_t row : source_rows.rows) p.gather.append(row);
  const auto beyond = [&](index_t v) -> index_t {  // the image of what was added, or 0
    if (!tile.add(v)) return 0;
    const index_t x = v & ~low_bits(k), y = a * x;
    p.moves_rows &= (y & low_bits(k)) == 0;
    p.gather.append(x);
    p.tiles.append({x, y & ~lane_mask, 0, y & low_bits(k) & ~lane_mask, lanes_of(y)});
    return y;
  };
  short_list<index_t> run;
  const unsigned joined = std::min({k + most_run_bits, joined_row_bits, a.rows()});
  for (; k + p.run_bits < joined; ++p.run_bits) {
    if (!pre.of_bit[k + p.run_bits]) break;
    if (const index_t y = beyond(*pre.of_bit[k + p.run_bits])) run.push_back(y & ~low_bits(k));
  }
  p.lg_run = run.size();
  detail::row_numbers number{k, p.run_bits};
  for (auto const* rows : {&target_rows.rows, &run})
    for (index_t row : *rows) number.add(row);
  for (index_t row : target_rows.rows) p.row_walk.append({row, number(row)});
  for (index_t row : run) p.run_walk.append(number(row));
  for (index_t row : number.rows) p.joined_walk.append(row);
  for (unsigned j = k; j < std::max(n, a.rows()); ++j) {
    if (j < n) beyond(bit(j));
    if (j < a.rows() && pre.of_bit[j]) beyond(*pre.of_bit[j]);
  }
  p.lg_tiles = p.tiles.count - p.lg_subtiles;
  p.lg_band = std::max(p.lg_band, p.lg_group + line_bits);
  for (unsigned i = 0; i < 64; ++i) {
    p.permutes_in |= p.lanes_in[i] != i || p.twist_in[i] != 0;
    p.permutes_out |= p.lanes_out[i] != i || p.twist_out[i] != 0;
  }
  return p;
}

}  // namespace bmmc::local
