// SPDX-License-Identifier: BSL-1.0
#pragma once

// The part of bmmc/compiled.hpp that needs no MPI, for programs that include bmmc/planning.hpp
// alone.
#ifndef BMMC_COMPILED
#define BMMC_COMPILED
#endif

#include <bmmc/error_once.hpp>
#include <bmmc/index/controlled_circuit_once.hpp>
#include <bmmc/index/detect_once.hpp>
#include <bmmc/local/axes_boxes_once.hpp>
#include <bmmc/local/box_moves.hpp>
#include <bmmc/local/kernels.hpp>
#include <bmmc/local/make_axes_plan_once.hpp>
#include <bmmc/local/make_tables.hpp>
#include <bmmc/local/pass_once.hpp>
#include <bmmc/local/permute_once.hpp>
#include <bmmc/local/shape_text_once.hpp>
#include <bmmc/local/square_swaps_once.hpp>
#include <bmmc/local/tuning_once.hpp>
#include <bmmc/plan/circuit_plan_once.hpp>
#include <bmmc/plan/coset_plan_once.hpp>
#include <bmmc/plan/explain_once.hpp>
#include <bmmc/plan/grid_plan_once.hpp>
#include <bmmc/plan/grid_route_once.hpp>
#include <bmmc/plan/plan_once.hpp>
#include <bmmc/plan/route_tables_once.hpp>
#include <bmmc/reshape/reshape_once.hpp>

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
/// The moves of pieces and the walk over boxes, compiled once as the kernels are.
template box_moves box_moves_of<void>(instructions, index_t);
template void move_boxes<void>(axes_plan const&, unsigned char const*, unsigned char*,
                               unsigned char*, box_moves const&, index_t, index_t);

}  // namespace bmmc::local
