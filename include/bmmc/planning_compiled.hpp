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
#include <bmmc/local/axes/make_axes_plan_once.hpp>
#include <bmmc/local/axes/square_swaps_once.hpp>
#include <bmmc/local/compiled.hpp>
#include <bmmc/local/make_tables.hpp>
#include <bmmc/local/pass_once.hpp>
#include <bmmc/local/permute_once.hpp>
#include <bmmc/local/tuning/shape_text_once.hpp>
#include <bmmc/local/tuning/tuning_once.hpp>
#include <bmmc/plan/circuit_plan_once.hpp>
#include <bmmc/plan/coset_plan_once.hpp>
#include <bmmc/plan/explain_once.hpp>
#include <bmmc/plan/grid_plan_once.hpp>
#include <bmmc/plan/grid_route_once.hpp>
#include <bmmc/plan/plan_once.hpp>
#include <bmmc/plan/route_tables_once.hpp>
#include <bmmc/reshape/reshape_once.hpp>
