// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <bmmc/local/make_line_plan.hpp>
#include <bmmc/local/pair_plan.hpp>

namespace bmmc::local {

/// Builds the tables for an involution of bytes, or nothing where there are no whole lines. The
/// shape is a square one.
[[nodiscard]] constexpr std::optional<pair_plan> make_pair_plan(bit_matrix<> const& f,
                                                                tile_shape const& shape) {
  const auto lines = make_line_plan(f, shape);
  if (!lines) return std::nullopt;
  pair_plan p;
  p.lines = *lines;
  // A basis of the space: from tile to tile, inside a tile, inside a group, the lanes.
  bit_matrix<> basis(f.cols(), f.cols());
  unsigned count = 0;
  const auto add = [&](index_t v) { basis.column[count++] = v; };
  for (unsigned j = 0; j < lines->outer.count; ++j) add(lines->outer.at(bit(j)).source);
  for (unsigned j = 0; j < lines->inner.count; ++j) add(lines->inner.at(bit(j)).source);
  for (unsigned j = 0; j < lines->lg_group; ++j) add(lines->source_line[bit(j)]);
  for (unsigned j = 0; j < line_bits; ++j) add(bit(j));
  p.count_of = inverse(basis);
  for (unsigned j = 0; j < lines->outer.count; ++j) {
    const line_step tile = lines->outer.at(bit(j));
    p.tiles.append({tile, p.partner_of(tile), p.number_of(tile.target)});
  }
  return p;
}

}  // namespace bmmc::local
