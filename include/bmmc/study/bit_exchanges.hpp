// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

#include <bmmc/gf2/exchange.hpp>
#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/catalogue/gates.hpp>

namespace bmmc {

/// Exchanges two bits of an index: an elementary bit exchange. On a hypercube it sends half of the
/// data over two channels, or over one where one of the two bits is local.
/// Source  Edelman, Heller, Johnsson 1994, definition 5.2.
struct bit_exchange {
  unsigned first = 0, second = 0;
  friend constexpr bool operator==(bit_exchange const&, bit_exchange const&) = default;
};
/// Exchanges of two index bits each, performed from the first to the last.
using bit_exchange_list = short_list<bit_exchange>;

/// The permutation of n bits that bit exchanges make, the first in the list first.
/// Throws bad_value for a bit beyond n.
[[nodiscard]] constexpr permutation<> compose_exchanges(unsigned n, bit_exchange_list const& list) {
  auto p = identity_permutation(n);
  for (bit_exchange const& e : list) p = compose(swap_bits(n, e.first, e.second), p);
  return p;
}

/// How often each of n bits takes part in a list of exchanges.
[[nodiscard]] constexpr std::array<unsigned, 64> uses(bit_exchange_list const& list) noexcept {
  std::array<unsigned, 64> count{};
  for (bit_exchange const& e : list) ++count[e.first], ++count[e.second];
  return count;
}

/// Two lists of bit exchanges; within each no bit stands twice, so each is done at once and is a
/// symmetric matrix that undoes itself.
struct two_bit_exchanges {
  bit_exchange_list first{}, second{};
};

namespace detail {
/// Where bit j goes under a bit permutation.
[[nodiscard]] constexpr unsigned target_bit(permutation<> const& p, unsigned j) noexcept {
  return lowest_one(p.matrix().column[j]);
}
}  // namespace detail

/// Any permutation of index bits as two bit exchanges, `first` done first: each cycle of bits is a
/// rotation, and a rotation is two reflections.
/// Cost    O(n). Throws bad_value where p is not a pure bit permutation.
/// Source  Edelman, Heller, Johnsson 1994, lemmas 5.2 (the shuffle) and 5.3.
[[nodiscard]] constexpr two_bit_exchanges reflections(permutation<> const& p) {
  if (!is_bit_permutation(p) || p.complement() != 0)
    throw bad_value("only a permutation of index bits is a product of two bit exchanges");
  two_bit_exchanges found;
  index_t seen = 0;
  for (unsigned start = 0; start < p.bits(); ++start) {
    if ((seen & bit(start)) != 0) continue;
    dimension_order cycle;  // cycle[i] goes to cycle[i + 1]
    for (unsigned j = start; (seen & bit(j)) == 0; j = detail::target_bit(p, j)) {
      seen |= bit(j);
      cycle.push_back(j);
    }
    const unsigned length = cycle.size();
    const auto reflect = [&](bit_exchange_list& list, unsigned sum) {  // i to sum - i
      for (unsigned i = 0; i < length; ++i)
        if (const unsigned j = (sum + length - i) % length; i < j)
          list.push_back({cycle[i], cycle[j]});
    };
    reflect(found.first, 0);
    reflect(found.second, 1);
  }
  return found;
}

/// Elementary bit exchanges that make a symmetric bit permutation (one that is its own inverse), in
/// any order. Throws bad_value where p is none.
/// Source  Edelman, Heller, Johnsson 1994, lemma 5.1.
[[nodiscard]] constexpr bit_exchange_list independent_exchanges(permutation<> const& p) {
  if (!is_bit_permutation(p) || !is_identity(compose(p, p)) || p.complement() != 0)
    throw bad_value("only a symmetric permutation of index bits is a set of bit exchanges");
  bit_exchange_list found;
  for (unsigned j = 0; j < p.bits(); ++j)
    if (const unsigned target = detail::target_bit(p, j); j < target) found.push_back({j, target});
  return found;
}

}  // namespace bmmc
