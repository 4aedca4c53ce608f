// SPDX-License-Identifier: BSL-1.0
#pragma once

// The kernels of local passes, compiled once: a part of bmmc/planning_compiled.hpp.

#include <bmmc/local/axes/axes_boxes_once.hpp>
#include <bmmc/local/boxes/box_moves.hpp>
#include <bmmc/local/kernels/kernels.hpp>

namespace bmmc::local {

#define BMMC_KERNELS(lg_unit)                                                                     \
  template void move_lines<lg_unit>(instructions, line_plan const&, line_job const&, index_t,     \
                                    index_t);                                                     \
  template void exchange_tiles<lg_unit>(instructions, pair_plan const&, line_job const&, index_t, \
                                        index_t);
BMMC_KERNELS(0)
BMMC_KERNELS(1)
BMMC_KERNELS(2)
BMMC_KERNELS(3)
BMMC_KERNELS(4)
BMMC_KERNELS(5)
BMMC_KERNELS(6)
#undef BMMC_KERNELS
/// The moves of pieces, compiled once as the kernels are,
template box_moves box_moves_of<void>(instructions, index_t);
/// and the walk over boxes.
template void move_boxes<void>(axes_plan const&, unsigned char const*, unsigned char*,
                               unsigned char*, box_moves const&, index_t, index_t);

}  // namespace bmmc::local
