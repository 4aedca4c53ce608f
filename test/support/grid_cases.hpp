// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/layout/grid.hpp>

#include "support/grid_oracle.hpp"

/// The library's words for what the oracle describes.
namespace cases {

inline bmmc::grid_layout layout_of(oracle::array const& a) {
  using bmmc::grid_axis;
  std::vector<grid_axis> axes;
  for (oracle::split const& s : a.axes) {
    const auto axis =
        s.how == oracle::split::blocks        ? grid_axis::blocks(s.extent, s.procs)
        : s.how == oracle::split::full_blocks ? grid_axis::full_blocks(s.extent, s.procs)
        : s.how == oracle::split::cyclic      ? grid_axis::cyclic(s.extent, s.procs)
                                              : grid_axis::block_cyclic(s.extent, s.procs, s.block);
    axes.push_back(axis.beginning_on(s.begins));
  }
  return bmmc::grid_layout(std::span<grid_axis const>(axes)).on_grid(bmmc::axis_order(a.numbered));
}

inline oracle::array permuted(oracle::array a, oracle::positions const& extents,
                              std::vector<unsigned> const& axes) {
  for (std::size_t k = 0; k < axes.size(); ++k) a.axes[k].extent = extents[axes[k]];
  return a;
}

}  // namespace cases
