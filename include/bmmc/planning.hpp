// SPDX-License-Identifier: BSL-1.0
#pragma once

// What needs no MPI to move data: algebra, permutations, layouts, plans and the local kernels.
// Plans of files are in bmmc/file/plan.hpp; machine models, schedules and factorings for study in
// bmmc/study.hpp.

#include <bmmc/version.hpp>

#include <bmmc/error.hpp>
#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/exchange.hpp>
#include <bmmc/gf2/exchange_factors.hpp>
#include <bmmc/gf2/lu.hpp>
#include <bmmc/gf2/print.hpp>
#include <bmmc/index/bijection.hpp>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/circuit.hpp>
#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/index/detect.hpp>
#include <bmmc/index/digit_algebra.hpp>
#include <bmmc/index/exchanges.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/index/permutation.hpp>
#include <bmmc/index/print.hpp>
#include <bmmc/index/stride.hpp>
#include <bmmc/layout/blocks.hpp>
#include <bmmc/layout/grid.hpp>
#include <bmmc/layout/layout.hpp>
#include <bmmc/layout/policies.hpp>
#include <bmmc/local/axes_in_place.hpp>
#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/coset_pass.hpp>
#include <bmmc/local/coset_sequence.hpp>
#include <bmmc/local/explain_in_place.hpp>
#include <bmmc/local/fold.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/measured_shape.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/local/reference.hpp>
#include <bmmc/local/spread.hpp>
#include <bmmc/local/tuning/shape_text.hpp>
#include <bmmc/memory.hpp>
#include <bmmc/plan/circuit_plan.hpp>
#include <bmmc/plan/coset_plan.hpp>
#include <bmmc/plan/digit_route.hpp>
#include <bmmc/plan/dimensions.hpp>
#include <bmmc/plan/explain.hpp>
#include <bmmc/plan/grid_boxes.hpp>
#include <bmmc/plan/grid_plan.hpp>
#include <bmmc/plan/grid_route.hpp>
#include <bmmc/plan/locality.hpp>
#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/nodes.hpp>
#include <bmmc/plan/plan.hpp>
#include <bmmc/plan/radix.hpp>
#include <bmmc/plan/relabel.hpp>
#include <bmmc/plan/relabel_grid.hpp>
#include <bmmc/plan/route.hpp>
#include <bmmc/reshape/array_layout.hpp>
#include <bmmc/reshape/as_grid.hpp>
#include <bmmc/reshape/axis.hpp>
#include <bmmc/reshape/reshape.hpp>
#include <bmmc/reshape/scalapack.hpp>
