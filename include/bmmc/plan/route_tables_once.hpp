// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string>

#include <bmmc/plan/route_tables.hpp>

namespace bmmc::detail {

BMMC_ONCE table_route::side empty_side(layout::blocks const& layout) {
  table_route::side made;
  made.starts.assign(layout.procs() + 1, 0);
  return made;
}

BMMC_ONCE void add_up(std::vector<index_t>& starts) {
  for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
}

BMMC_ONCE table_route::side grouped_by_target(layout::blocks const& layout, index_t proc,
                                              std::span<index_t const> targets) {
  auto made = empty_side(layout);
  for (index_t i = 0; i < targets.size(); ++i) {
    if (targets[i] >= layout.elements())
      detail::refuse({"index ", layout.first(proc) + i, " is sent to ", targets[i],
                      ", but there are ", layout.elements(), " elements"});
    ++made.starts[layout.proc_of(targets[i]) + 1];
  }
  add_up(made.starts);
  made.offsets.resize(targets.size());
  auto next = made.starts;
  for (index_t i = 0; i < targets.size(); ++i) made.offsets[next[layout.proc_of(targets[i])]++] = i;
  return made;
}

BMMC_ONCE void sort_by_source(std::vector<sourced_offset>& pairs, index_t bound) {
  constexpr unsigned digit = 11;
  std::vector<sourced_offset> sorted(pairs.size());
  for (unsigned low = 0; low < 64 && (bound - 1) >> low != 0; low += digit) {
    std::array<index_t, bit(digit) + 1> start{};
    const auto group = [low](sourced_offset const& p) {
      return static_cast<std::size_t>((p.source >> low) & low_bits(digit));
    };
    for (auto const& p : pairs) ++start[group(p) + 1];
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    for (auto const& p : pairs) sorted[start[group(p)]++] = p;
    std::swap(pairs, sorted);
  }
}

}  // namespace bmmc::detail
