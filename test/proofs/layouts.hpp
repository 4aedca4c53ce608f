// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/plan/plan.hpp>
#include <bmmc/plan/relabel.hpp>

#include "cases.hpp"

namespace proofs {

/// A layout as the library has it, and where it puts each index by its definition: process number
/// above offset.
struct known_layout {
  bmmc::layout::affine<> made{};
  std::array<number, 16> place{};
};

namespace detail {

/// The address of x where the bits that `named` lists are the process number, lowest first.
[[nodiscard]] inline number dealt(std::vector<unsigned> const& named, unsigned n, number x) {
  number address = 0;
  unsigned to = 0;
  for (unsigned j = 0; j < n; ++j)
    if (std::find(named.begin(), named.end(), j) == named.end()) address += (x >> j & 1) << to++;
  for (const unsigned j : named) address += (x >> j & 1) << to++;
  return address;
}

/// All lists of p different bits below n.
[[nodiscard]] inline std::vector<std::vector<unsigned>> lists(unsigned n, unsigned p) {
  if (p == 0) return {{}};
  std::vector<std::vector<unsigned>> all;
  for (auto const& shorter : lists(n, p - 1))
    for (unsigned j = 0; j < n; ++j) {
      if (std::find(shorter.begin(), shorter.end(), j) != shorter.end()) continue;
      all.push_back(shorter);
      all.back().push_back(j);
    }
  return all;
}

}  // namespace detail

/// Every layout that has a name, each with process numbers as they are and in Gray code.
[[nodiscard]] inline std::vector<known_layout> known_layouts(unsigned n, unsigned p) {
  namespace layout = bmmc::layout;
  std::vector<known_layout> all;
  const auto add = [&](auto const& l, std::vector<unsigned> const& named) {
    known_layout plain{layout::affine<>(l.physical(n, p)), {}};
    known_layout coded{layout::affine<>(layout::gray<layout::affine<>>{plain.made}.physical(n, p)),
                       {}};
    for (number x = 0; x < number{1} << n; ++x) {
      const number at = detail::dealt(named, n, x), proc = at >> (n - p);
      plain.place[x] = at;
      coded.place[x] = at ^ (proc / 2) << (n - p);  // the Gray code of k is k ^ k/2
    }
    all.push_back(plain);
    all.push_back(coded);
  };
  std::vector<unsigned> low, high, middle;
  for (unsigned k = 0; k < p; ++k) low.push_back(k), high.push_back(n - p + k);
  add(layout::processor_major{}, high);
  add(layout::processor_minor{}, low);
  for (unsigned f = 0; f <= n - p; ++f) {
    middle.clear();
    for (unsigned k = 0; k < p; ++k) middle.push_back(f + k);
    add(layout::banded(f), middle);
  }
  for (auto const& named : detail::lists(n, p))
    add(layout::process_bits(std::span<unsigned const>(named)), named);
  return all;
}

/// Layouts are bijections, and a plan between two of them is that of one map from address to
/// address. So plans of all affine maps, which check_plans looks at, are plans for all layouts.
inline void check_layouts() {
  number layouts = 0, pairs = 0, products = 0;
  for (unsigned n = 0; n <= 4; ++n)
    for (unsigned p = 0; p <= n; ++p) {
      current = made_of(n, {1, 2, 4, 8}, 0);
      current_procs = p;
      for (auto const& l : known_layouts(n, p)) {
        const auto physical = l.made.physical(n, p);
        std::array<number, 16> seen{};
        for (number x = 0; x < current.size(); ++x) {
          require(physical(x) == l.place[x], "a layout puts each index where its definition says");
          require(seen[l.place[x]]++ == 0, "a layout puts one index in each place");
        }
        ++layouts;
      }
    }
  for (unsigned n = 0; n <= 3; ++n)
    for (unsigned p = 0; p <= n; ++p) {
      const auto known = known_layouts(n, p);
      number turn = 0;
      each_affine(n, [&](affine const& map) {
        current = map;
        current_procs = p;
        auto const& source = known[turn++ % known.size()];
        for (auto const& target : known) {
          const bmmc::plan plan = make_plan(
              to_library(map), bmmc::layout::between{source.made, target.made}, number{1} << p);
          for (number x = 0; x < map.size(); ++x)
            require(plan.physical()(source.place[x]) == target.place[map.to[x]],
                    "the map from address to address is that of the indices");
          ++pairs;
        }
      });
    }
  std::vector<affine> all;
  for (unsigned n = 0; n <= 3; ++n) {
    all.clear();
    each_affine(n, [&](affine const& map) { all.push_back(map); });
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = n == 3 ? i % 8 : 0; j < all.size(); j += n == 3 ? 8 : 1) {
        current = all[i];
        const auto both = compose(to_library(all[i]), to_library(all[j]));
        for (number x = 0; x < all[j].size(); ++x)
          require(both(x) == all[i].to[all[j].to[x]], "compose(f, g) is f after g");
        ++products;
      }
  }
  report("layouts: bijections, as they are defined", layouts);
  report("permutations between two layouts: one map from address to address", pairs);
  report("products of two permutations", products);
}

/// Processes may take new numbers: a permutation of them, with which as much stays as can.
inline void check_numbers() {
  number plans = 0;
  for (unsigned n = 0; n <= 4; ++n)
    each_affine(n, [&](affine const& map) {
      for (unsigned p = 0; p <= n; ++p, ++plans) {
        current = map;
        current_procs = p;
        const bmmc::plan plan(to_library(map), p);
        const auto number_of = process_numbers(plan);
        std::array<number, 16> taken{};
        for (number k = 0; k < plan.procs(); ++k) {
          require(taken[number_of(k)]++ == 0, "each number is taken once");
          number stays = 0;
          for (number x = k * plan.chunk_elements(); x < (k + 1) * plan.chunk_elements(); ++x)
            stays += map.to[x] / plan.chunk_elements() == number_of(k) ? 1 : 0;
          require(stays == plan.message_elements(), "one message's worth stays with its process");
        }
      }
    });
  report("new numbers for processes: a permutation, and a message's worth stays", plans);
}

}  // namespace proofs
