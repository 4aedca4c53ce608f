// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>

#include <bmmc/local/lines/make_line_plan.hpp>
#include <bmmc/local/lines/pair_plan.hpp>

namespace bmmc::local {

namespace detail {

/// Puts the steps from register tile to register tile in an order that fills S(7, 7), S(8, 8) and
/// so on, one after the other: rows of both tiles of a pair get longer at the same pace, so that at
/// each level of the caches, and of the tables of pages, lines near to each other come soon. Small
/// register tiles are put together to groups of 2^wanted lines first, if there are so many. f maps
/// a group onto a group: of e_i the sum e_i + f e_i, which f leaves alone, is added first.
constexpr void order_by_levels(line_plan& p, bit_matrix<> const& f, unsigned wanted) {
  constexpr index_t lane_mask = low_bits(line_bits);
  subspace covered;
  for (unsigned j = 0; j < line_bits; ++j) covered.add(bit(j));
  for (unsigned t = 0; t < p.lg_lines; ++t) covered.add(p.source_line[bit(t)]);
  p.outer = {};
  if (f.cols() < line_bits + wanted) wanted = 0;
  const auto add = [&](index_t v) {
    if (!covered.add(v)) return;
    const index_t x = v & ~lane_mask, y = f * x;
    const line_step step{x, y & ~lane_mask, 0, in_each_byte(p.lanes_out[y & lane_mask]), 0};
    p.out_lanes = translated(p.out_lanes, step.lanes);
    if (p.lg_group < wanted)
      p.double_group(step, {});
    else
      p.outer.append(step);
  };
  for (unsigned i = line_bits; i < f.cols(); ++i) {
    if (p.lg_group < wanted) add(bit(i) ^ f.column[i]);
    add(bit(i));
    add(f.column[i]);
  }
  p.fold_lookups();
  p.lg_tile = p.lg_group;
  p.lg_tiles = p.outer.count;
}

/// The plan for tiles of a square shape.
[[nodiscard]] constexpr pair_plan with_partners(line_plan const& lines) {
  pair_plan p;
  p.lines = lines;
  // A basis of the space: from tile to tile, inside a tile, inside a group, the lanes.
  const unsigned n = lines.outer.count + lines.inner.count + lines.lg_group + line_bits;
  bit_matrix<> basis(n, n);
  unsigned count = 0;
  const auto add = [&](index_t v) { basis.column[count++] = v; };
  for (unsigned j = 0; j < lines.outer.count; ++j) add(lines.outer.at(bit(j)).source);
  for (unsigned j = 0; j < lines.inner.count; ++j) add(lines.inner.at(bit(j)).source);
  for (unsigned j = 0; j < lines.lg_group; ++j) add(lines.source_line[bit(j)]);
  for (unsigned j = 0; j < line_bits; ++j) add(bit(j));
  p.count_of = inverse(basis);
  for (unsigned j = 0; j < lines.outer.count; ++j) {
    const line_step tile = lines.outer.at(bit(j));
    p.tiles.append({tile, p.partner_of(tile), p.number_of(tile.target)});
  }
  p.lg_share = p.tiles.count > 6 ? p.tiles.count - 6 : 0;
  return p;
}

}  // namespace detail

/// The lines of a register tile of an involution of bytes, and those of them that share a set of
/// the first level, as powers of two: what lg_tile_lines_alike says of its plan, without making
/// one.
struct register_lines {
  unsigned lg_count, lg_alike;

  constexpr explicit register_lines(bit_matrix<> const& f) {
    subspace lines, places;
    for (unsigned j = 0; j < std::min(line_bits, f.cols()); ++j) {
      const index_t line = f.column[j] >> line_bits;
      lines.add(line);
      places.add(line & low_bits(page_bits - line_bits));
    }
    lg_count = lines.dimension();
    lg_alike = lg_count - places.dimension();
  }
};

/// Builds the tables for an involution of bytes whose register tiles change places where they lie,
/// small ones in groups of 2^lg_group lines; or nothing where there are no whole lines.
[[nodiscard]] constexpr std::optional<pair_plan> make_direct_plan(bit_matrix<> const& f,
                                                                  unsigned lg_group = 0) {
  tile_shape shape;
  shape.is_square = true;
  shape.source_row = shape.target_row = line_bits;
  auto lines = make_line_plan(f, shape);
  if (!lines) return std::nullopt;
  detail::order_by_levels(*lines, f, lg_group);
  pair_plan p = detail::with_partners(*lines);
  p.is_direct = true;
  p.has_rows = p.tiles.count != 0 && p.tiles.at(1).tile.source == line_bytes;
  if (p.has_rows && p.tiles.count > 1 && p.tiles.at(1).partner.source == p.tiles.at(2).tile.source)
    p.second_row = p.tiles.at(2).tile.source;
  return p;
}

/// The same for tiles that change places by way of buffers. The shape is a square one.
[[nodiscard]] constexpr std::optional<pair_plan> make_pair_plan(bit_matrix<> const& f,
                                                                tile_shape const& shape) {
  const auto lines = make_line_plan(f, shape);
  if (!lines) return std::nullopt;
  return detail::with_partners(*lines);
}

}  // namespace bmmc::local
