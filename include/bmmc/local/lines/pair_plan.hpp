// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local {

/// A tile and the one that it changes places with, whose number is partner_count.
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

/// In the caches register tiles that change places do so in groups of 2^lg_least_group lines at
/// least.
inline constexpr unsigned lg_least_group = 3;

/// The tables for an involution x -> f x + c in place. Since f = f^-1, f maps S(k, k) onto itself,
/// and so a tile onto a tile; since all is linear, the partner is one more walk.
struct pair_plan {
  line_plan lines{};
  bool is_direct = false;  // tiles are register tiles, which change places where they lie; else
                           // larger ones do, by way of buffers; where lines.collects, both are read
                           // before either is written, row by row, into the caches
  walk<pair_step> tiles{};
  bit_matrix<> count_of{};  // offset of a byte -> number of its tile (in the low bits)
  unsigned lg_share = 0;    // 64 shares of 2^lg_share tiles each, in order
  bool has_rows = false;    // whether the first step leads to the other lines of 128 bytes
  index_t second_row = 0;   // from a register tile to those two of S(7, 7), if there are four

  /// What is fetched of the partner at `offset` with every second pair, the even ones: both lines
  /// of 128 bytes. Of the four register tiles of S(7, 7), the even ones are 0 and 2, and their
  /// partners have numbers 0 and 1, which are the two halves of the same 128 bytes: 3 comes in
  /// place of 1. Where a tile stays, 2 is fetched in place of 0, and 0 in place of 2.
  [[nodiscard]] static constexpr index_t fetched_partner(index_t offset, index_t count,
                                                         index_t partner_count,
                                                         index_t second_row) noexcept {
    return count % 4 == 2 || count == partner_count ? offset ^ second_row : offset;
  }
  /// Whether a pair has been moved where its other tile came. Inside of a share of tiles the lower
  /// number decides; a share comes first with about half of the others, since else what the last
  /// thread gets would have been moved by the first ones.
  [[nodiscard]] static constexpr bool comes_second(index_t count, index_t partner,
                                                   unsigned lg_share) noexcept {
    const index_t one = count >> lg_share, other = partner >> lg_share, differ = one ^ other;
    if (differ == 0) return partner < count;
    constexpr index_t parities = 0x6996966996696996;  // bit k: of the bits of k
    const bool is_odd = (parities >> (one & other) & 1) != 0;
    return ((one & differ & (~differ + 1)) != 0) != is_odd;
  }

  [[nodiscard]] constexpr index_t number_of(index_t offset) const noexcept {
    return (count_of * offset) & low_bits(lines.outer.count);
  }
  [[nodiscard]] constexpr line_step partner_of(line_step const& tile) const noexcept {
    return lines.outer.at(number_of(tile.target));
  }
  /// Where the walk starts if that of the line plan starts here.
  [[nodiscard]] constexpr pair_step start(line_step const& at) const noexcept {
    line_step partner = partner_of(at);
    partner.target ^= at.target;
    partner.lanes ^= at.lanes;
    return {at, partner, number_of(at.target)};
  }
};

}  // namespace bmmc::local
