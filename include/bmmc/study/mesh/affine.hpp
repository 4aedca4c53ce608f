// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/index/exchanges.hpp>
#include <bmmc/study/mesh/conflict.hpp>
#include <bmmc/study/mesh/programs.hpp>

namespace bmmc::mesh {

/// One exchange of an affine program, decided by an element's own index alone: either bit `target`
/// of every datum's place is complemented where the place has an odd number of the bits `controls`
/// (or an even one, with `flip`), or bits `target` and `other` of the place are exchanged.
struct affine_step {
  unsigned target = 0;
  std::optional<unsigned> other{};
  index_t controls = 0;
  bool flip = false;

  [[nodiscard]] constexpr index_t distance() const noexcept {
    if (!other) return bit(target);
    return *other > target ? bit(*other) - bit(target) : bit(target) - bit(*other);
  }
  friend constexpr bool operator==(affine_step const&, affine_step const&) = default;
};
/// Steps of a mesh machine that together perform an affine permutation.
using affine_program = std::vector<affine_step>;

/// Runs the steps: three routes each, one of them for the mask.
inline void run(machine& m, affine_program const& program) {
  for (affine_step const& step : program) {
    if (step.other) {
      swap_bits(m, std::min(step.target, *step.other), std::max(step.target, *step.other));
      continue;
    }
    m.everywhere([&](index_t i, registers& r) {
      const bool odd = std::popcount(i & step.controls) % 2 != 0;
      r.mask1 = (i & bit(step.target)) == 0 && odd != step.flip;
    });
    m.exchange_pairs(step.distance());
  }
}

namespace detail {

/// Unit routes of one route of every step.
[[nodiscard]] inline index_t length(unsigned n, affine_program const& program) {
  index_t sum = 0;
  for (affine_step const& step : program)
    sum += shortest_routes(n, static_cast<std::int64_t>(step.distance())).length();
  return sum;
}
[[nodiscard]] inline bool is_better(unsigned n, affine_program const& a, affine_program const& b) {
  return a.size() != b.size() ? a.size() < b.size() : length(n, a) < length(n, b);
}

/// n conditional exchanges, bit 0 first, for a permutation whose leading minors are all
/// nonsingular; those that do nothing are left out.
[[nodiscard]] inline affine_program conditional_exchanges(permutation<> const& p) {
  affine_program program;
  const exchange_list exchanges = *exchange_factors(p);
  for (conditional_exchange const& e : exchanges)
    if (!e.is_identity()) program.push_back({e.dimension, {}, e.row & ~bit(e.dimension), e.flip});
  return program;
}

/// Exchanges of two bits that take bit j to bit target_of[j], one fewer than each cycle is long.
/// Tried are one bit of the cycle with all others, and neighbours in the cycle; the shortest wins.
[[nodiscard]] inline affine_program bit_exchanges(unsigned n,
                                                  std::array<unsigned, 64> const& target_of) {
  affine_program program;
  index_t seen = 0;
  for (unsigned start = 0; start < n; ++start) {
    std::vector<unsigned> cycle;
    for (unsigned j = start; (seen & bit(j)) == 0; j = target_of[j]) {
      seen |= bit(j);
      cycle.push_back(j);
    }
    if (cycle.size() < 2) continue;
    affine_program best;
    const auto size = static_cast<unsigned>(cycle.size());
    for (unsigned turn = 0; turn < size; ++turn) {
      affine_program hub, chain;
      const auto at = [&](unsigned k) { return cycle[(turn + k) % size]; };
      for (unsigned k = 1; k < size; ++k) {
        hub.push_back({at(0), at(k)});
        chain.push_back({at(size - 1 - k), at(size - k)});
      }
      if (best.empty() || is_better(n, hub, best)) best = hub;
      if (is_better(n, chain, best)) best = chain;
    }
    program.insert(program.end(), best.begin(), best.end());
  }
  return program;
}

/// Where the bits of a permutation matrix go.
[[nodiscard]] inline std::array<unsigned, 64> targets_of(bit_matrix<> const& permuting) {
  std::array<unsigned, 64> target{};
  for (unsigned j = 0; j < permuting.cols(); ++j)
    target[j] = bmmc::detail::lowest_one(permuting.column[j]);
  return target;
}

/// A = P (L U): exchanges first, then the bits of the place change places.
template <class F>
[[nodiscard]] affine_program exchanges_then_bits(permutation<> const& p, F prefers) {
  const auto f = plu(p.matrix(), prefers);
  const permutation<> to_pivots(transposed(f.permuting));
  auto program = conditional_exchanges(compose(to_pivots, p));
  const auto after = bit_exchanges(p.bits(), targets_of(f.permuting));
  program.insert(program.end(), after.begin(), after.end());
  return program;
}
/// A = (L U) P: first the bits change places.
template <class F>
[[nodiscard]] affine_program bits_then_exchanges(permutation<> const& p, F prefers) {
  const auto f = lup(p.matrix(), prefers);
  auto program = bit_exchanges(p.bits(), targets_of(f.permuting));
  const permutation<> from_pivots(transposed(f.permuting));
  const auto after = conditional_exchanges(compose(p, from_pivots));
  program.insert(program.end(), after.begin(), after.end());
  return program;
}

}  // namespace detail

/// Six programs of conditional exchanges and exchanges of two bits for an affine permutation, from
/// factorings A = P L U and A = L U P with different pivots. At most n conditional exchanges each,
/// and none but those where all leading minors are nonsingular (the general algorithm's condition);
/// at most n - 1 exchanges of bits. Source  Edelman, Heller and Johnsson 1994 (P L U and L U P);
/// Orcutt 1974, tables 3.1 and 4.1.
[[nodiscard]] inline std::array<affine_program, 6> affine_programs(permutation<> const& p) {
  const auto nearest = [](unsigned k, unsigned a, unsigned b) {
    const auto from = [k](unsigned i) { return i > k ? i - k : k - i; };
    return from(a) != from(b) ? from(a) < from(b) : a < b;
  };
  const auto lowest = [](unsigned, unsigned a, unsigned b) { return a < b; };
  const auto highest = [](unsigned k, unsigned a, unsigned b) {
    return b != k && (a == k || a > b);  // but the row that stands there stays, if it can
  };
  return {detail::exchanges_then_bits(p, nearest), detail::exchanges_then_bits(p, lowest),
          detail::exchanges_then_bits(p, highest), detail::bits_then_exchanges(p, nearest),
          detail::bits_then_exchanges(p, lowest),  detail::bits_then_exchanges(p, highest)};
}

/// The best of them: the fewest steps, and of those the shortest.
/// R = 3 for each step that is needed (2 with masks at hand): masks depend on the element's own
/// index, so no tag is compared and none need travel.
[[nodiscard]] inline affine_program make_affine_program(permutation<> const& p) {
  auto all = affine_programs(p);
  return *std::min_element(all.begin(), all.end(), [&](auto const& a, auto const& b) {
    return detail::is_better(p.bits(), a, b);
  });
}

}  // namespace bmmc::mesh
