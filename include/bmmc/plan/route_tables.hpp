// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <bmmc/plan/route.hpp>

namespace bmmc::detail {

[[nodiscard]] table_route::side empty_side(layout::blocks const& layout);
/// From counts of group k at k + 1 to starts.
void add_up(std::vector<index_t>& starts);

/// Groups the offsets i of a process by the home of targets[i], ascending inside each group.
/// Throws bad_value for a target that is no index.
[[nodiscard]] table_route::side grouped_by_target(layout::blocks const& layout, index_t proc,
                                                  std::span<index_t const> targets);

struct sourced_offset {
  index_t source, offset;
};

/// Sorts by source < bound, stably: 11 bits a pass, from the lowest on.
/// Memory  as much again.
void sort_by_source(std::vector<sourced_offset>& pairs, index_t bound);

/// Groups the offsets i of a process by the home of source_of(i), ascending by source.
/// Memory  four words for each, while it works. Throws bad_value for a source that is no index.
template <class F>
[[nodiscard]] table_route::side sorted_by_source(layout::blocks const& layout, index_t proc,
                                                 F source_of) {
  auto made = empty_side(layout);
  std::vector<sourced_offset> pairs(layout.count(proc));
  for (index_t i = 0; i < pairs.size(); ++i) {
    const index_t x = source_of(i);
    if (x >= layout.elements())
      detail::refuse({"the inverse takes index ", layout.first(proc) + i, " to ", x,
                      ", but there are ", layout.elements(), " elements"});
    pairs[i] = {x, i};
    ++made.starts[layout.proc_of(x) + 1];
  }
  add_up(made.starts);
  if (!pairs.empty()) sort_by_source(pairs, layout.elements());
  made.offsets.reserve(pairs.size());
  for (auto const& [x, i] : pairs) made.offsets.push_back(i);
  return made;
}

/// A number that tells pairs of indices apart; sums of them tell sets of pairs apart, save by an
/// accident of 1 in 2^64.
[[nodiscard]] constexpr index_t pair_hash(index_t x, index_t y) noexcept {
  const auto mix = [](index_t z) {  // the finalizer of splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  return mix(mix(x + 0x9e3779b97f4a7c15U) + y);
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/route_tables_once.hpp>
#endif
