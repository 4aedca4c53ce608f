// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/make_line_plan.hpp>

namespace bmmc::local {

/// A register tile and the one that it changes places with, whose number is partner_count.
struct pair_step {
  line_step tile{}, partner{};
  index_t partner_count = 0;

  constexpr pair_step& operator^=(pair_step const& s) noexcept {
    tile ^= s.tile;
    partner ^= s.partner;
    partner_count ^= s.partner_count;
    return *this;
  }
};

/// The tables for an involution x -> f x + c in place. Since f = f^-1, f maps S = L + f^-1 L onto
/// itself, and so a tile onto a tile; since all is linear, the partner is one more walk.
struct pair_plan {
  line_plan lines{};
  walk<pair_step> tiles{};
  bit_matrix<> count_of{};  // offset of a byte -> number of its tile (in the low bits)

  [[nodiscard]] constexpr index_t number_of(index_t offset) const noexcept {
    return (count_of * offset) & low_bits(tiles.count);
  }
  [[nodiscard]] constexpr line_step partner_of(line_step const& tile) const noexcept {
    return lines.tiles.at(number_of(tile.target));
  }
  /// Where the walk starts if that of the line plan starts here.
  [[nodiscard]] constexpr pair_step start(line_step const& at) const noexcept {
    line_step partner = partner_of(at);
    partner.target ^= at.target;
    partner.lanes ^= at.lanes;
    return {at, partner, number_of(at.target)};
  }
};

/// Builds the tables for an involution of bytes, or nothing where there are no whole lines.
[[nodiscard]] constexpr std::optional<pair_plan> make_pair_plan(bit_matrix<> const& f) {
  const auto lines = make_line_plan(f, 0);  // f S = S, for S alone
  if (!lines) return std::nullopt;
  pair_plan p;
  p.lines = *lines;
  // A basis of the space: the steps of the walk, what spans S beyond the lanes, the lanes.
  const unsigned n = f.cols(), steps = lines->tiles.count, r = lines->lg_lines;
  bit_matrix<> basis(n, n);
  for (unsigned j = 0; j < steps; ++j) basis.column[j] = lines->tiles.at(bit(j)).source;
  for (unsigned t = 0; t < r; ++t) basis.column[steps + t] = lines->source_line[bit(t)];
  for (unsigned j = 0; j < line_bits; ++j) basis.column[steps + r + j] = bit(j);
  p.tiles.count = steps;  // number_of needs it
  p.count_of = inverse(basis);
  walk<pair_step> tiles;
  for (unsigned j = 0; j < steps; ++j) {
    const line_step tile = lines->tiles.at(bit(j));
    tiles.append({tile, p.partner_of(tile), p.number_of(tile.target)});
  }
  p.tiles = tiles;
  return p;
}

}  // namespace bmmc::local
