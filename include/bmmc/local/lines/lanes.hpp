// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::local {

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

/// Lookups of lanes that a transposition of 2^r lines does as well, for elements of 4 bytes and
/// more. Stages 0 and r - 1 each make two lines from words of two lines; any words will do, so
/// stage 0 looks up what is read, and stage r - 1 what is stored. A word of a line has a number
/// below 16, those of the second line of two have 16 added.
struct word_lookups {
  std::array<std::uint8_t, 16> in{}, out{};           // word -> word it comes from
  std::array<lane_word, 16> twist_in{}, twist_out{};  // added to them, by line

  /// The word that holds a lane.
  [[nodiscard]] static constexpr lane_word number(lane_word lanes) noexcept {
    return lanes / 4 % 16;
  }
  /// Word number w of what is stored, before stage r - 1: words whose bit 4 - r is set are in the
  /// second line.
  [[nodiscard]] static constexpr lane_word before_last(lane_word w, unsigned r) noexcept {
    const lane_word moved = w & (16U >> r);
    return (w ^ moved) | moved << r;
  }
};

}  // namespace bmmc::local
