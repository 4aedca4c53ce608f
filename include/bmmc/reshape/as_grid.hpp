// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <span>

#include <bmmc/layout/grid.hpp>
#include <bmmc/reshape/array_layout.hpp>

namespace bmmc {

/// The same description in terms of positions, so that an array of powers of two can become one on
/// any other grid. Throws bad_value for Gray codes, for an axis whose process bits do not stand
/// side by side, and for a grid that is not numbered axis by axis.
[[nodiscard]] constexpr grid_layout as_grid(array_layout const& a) {
  short_list<grid_axis> axes;
  short_list<unsigned> numbered;  // slowest first: as the process bits are met from the highest on
  index_t seen = 0;
  for (bmmc::axis const& each : a.axes()) {
    const auto block = detail::lowest_one(each.processes | bit(most_bits));
    if (each.code != axis_code::binary ||
        (each.processes != 0 && !std::has_single_bit((each.processes >> block) + 1)))
      throw bad_value(
          "only axes in plain binary code whose process bits stand side by side are "
          "blocks of positions");
    axes.push_back(
        each.processes == 0
            ? grid_axis::local(bit(each.bits))
            : grid_axis::block_cyclic(bit(each.bits), (each.processes >> block) + 1, bit(block)));
  }
  for (unsigned k = a.proc_bits(); k-- > 0;) {
    unsigned owner = axes.size() - 1;
    while (a.lowest_bit(owner) + a.axes()[owner].bits <= a.process_bit(k)) --owner;
    if ((seen & bit(owner)) != 0) continue;
    seen |= bit(owner);
    numbered.push_back(owner);
  }
  for (unsigned k = 0; k < axes.size(); ++k)
    if ((seen & bit(k)) == 0) numbered.push_back(k);
  return grid_layout(std::span(axes.data(), axes.size()))
      .on_grid(axis_order(std::span(numbered.data(), numbered.size())));
}

}  // namespace bmmc
