// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <bmmc/study/mesh/machine.hpp>

namespace bmmc::mesh {

/// The two bits of an element's index decide: the elements with bit `low` set and bit `high` clear
/// exchange with those that have it the other way round. R = 3.
/// Source  Orcutt 1974, tables 3.1 and 4.1. Our copy of table 3.1 has the distance 2^(k-1); its
///         program has 2^k - 1.
inline void swap_bits(machine& m, unsigned low, unsigned high) {
  m.everywhere(
      [=](index_t i, registers& r) { r.mask1 = (i & bit(low)) != 0 && (i & bit(high)) == 0; });
  m.exchange_pairs(bit(high) - bit(low));
}

/// Perfect shuffle, as a program for that permutation alone. R = 3 (n - 1), L = 6 (sqrt(N) - 1).
/// Source  Orcutt 1974, section III.
inline void perfect_shuffle(machine& m) {
  for (unsigned k = 1; k < m.bits(); ++k) swap_bits(m, 0, k);
}

/// Bit reversal. R = 3 n / 2, L = 6 sqrt(N) - 9.
/// Source  Orcutt 1974, section IV; its own lengths do not sum to its (11/2) sqrt(N) - 9.
inline void bit_reversal(machine& m) {
  for (unsigned k = 0; k < m.bits() / 2; ++k) swap_bits(m, k, m.bits() - 1 - k);
}

/// Two data at the ends of a pair that must both go to the side of the 0 or both to that of the 1.
struct conflict {
  unsigned bit = 0;  // the step, from 0 on
  index_t low = 0;   // the pair is elements low and low + 2^bit
  friend constexpr bool operator==(conflict const&, conflict const&) = default;
};

/// The general algorithm: in step k the pairs 2^k apart are exchanged where that brings bit k of
/// both tags to its place. Stops at the first step in which a pair cannot be served, before any
/// exchange of that step; names the lowest such pair.
/// R = 4 n, L = 8 (sqrt(N) - 1) without conflict; in step k with one, R = 4 k + 1.
/// Source  Orcutt 1974, section V.
[[nodiscard]] inline std::optional<conflict> general(machine& m) {
  for (unsigned k = 0; k < m.bits(); ++k) {
    const auto has_one = [k](word const& w) { return (w.tag & bit(k)) != 0; };
    const auto is_low = [k](index_t i) { return (i & bit(k)) == 0; };
    m.enable([](index_t, registers const&) { return true; });
    m.route(&registers::x, &registers::temp, -static_cast<std::int64_t>(bit(k)));
    const auto clashes = [&](index_t i, registers const& r) {
      return is_low(i) && has_one(r.x) == has_one(r.temp);
    };
    if (m.any(clashes)) {
      index_t low = 0;
      while (!clashes(low, m[low])) ++low;
      return conflict{k, low};
    }
    m.everywhere(
        [&](index_t i, registers& r) { r.mask1 = is_low(i) && has_one(r.x) && !has_one(r.temp); });
    m.exchange_pairs(bit(k));
  }
  return std::nullopt;
}

/// The universal algorithm: a bitonic sort of the tags, in groups of elements that have the same
/// `first` low bits; with first = 0 in the whole machine.
/// R = 2 m^2 + 2 m for m = n - first; for m = n, L = 2 n sqrt(N) - 6 n + 16 sqrt(N) - 16.
/// Source  Orcutt 1974, section VII, whose comparison as printed sorts downwards.
inline void universal(machine& m, unsigned first = 0) {
  for (unsigned j = first; j < m.bits(); ++j)
    for (unsigned k = j + 1; k-- > first;) {
      m.enable([](index_t, registers const&) { return true; });
      m.route(&registers::x, &registers::temp, -static_cast<std::int64_t>(bit(k)));
      m.everywhere([=, n = m.bits()](index_t i, registers& r) {
        const bool downwards = j + 1 < n && (i & bit(j + 1)) != 0;
        r.mask1 = (i & bit(k)) == 0 && (r.x.tag > r.temp.tag) != downwards;
      });
      m.exchange_pairs(bit(k));
    }
}

/// The general algorithm up to its first conflict, in step k, then the universal one in the 2^k
/// groups that it has made. R = 4 k + 1 + 2 (n-k)^2 + 2 (n-k), or 4 n without conflict: at k = 0
/// that is one route, which finds the conflict, more than the universal algorithm alone.
/// Source  Orcutt 1974, section VII.
inline std::optional<conflict> composite(machine& m) {
  const auto found = general(m);
  if (found) universal(m, found->bit);
  return found;
}

/// The straightforward method: all data go around the ring, and each element keeps the one that is
/// meant for it. R = L = N - 1.
inline void straightforward(machine& m) {
  m.everywhere([](index_t i, registers& r) {
    r.temp = r.x;
    r.mask1 = r.x.tag != i;  // still waits
  });
  for (index_t step = 1; step < m.size(); ++step) {
    m.enable([](index_t, registers const&) { return true; });
    m.route(&registers::temp, &registers::temp, 1);
    m.enable([](index_t i, registers const& r) { return r.mask1 && r.temp.tag == i; });
    m.where_enabled([](index_t, registers& r) {
      r.x = r.temp;
      r.mask1 = false;
    });
  }
}

}  // namespace bmmc::mesh
