// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>

#include <bmmc/execution/map/one_call.hpp>

namespace bmmc::detail {

BMMC_ONCE std::size_t map_bytes(affine_map const& map, int procs, std::size_t size) {
  const double elements = std::ldexp(1.0, static_cast<int>(map.matrix.rows())) +
                          std::ldexp(1.0, static_cast<int>(map.matrix.cols()));
  return static_cast<std::size_t>(
      std::min(std::ldexp(1.0, 63), elements * static_cast<double>(size) / procs));
}

}  // namespace bmmc::detail
