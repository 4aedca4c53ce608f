// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/axes/axes_plan.hpp>

namespace bmmc::local {

/// Prepares a movement of elements of so many bytes; unless `joins`, elements stay apart.
/// Cost    O(d^2) for d axes; no allocation.
/// Errors  bad_value where two elements could have one place in the target.
[[nodiscard]] axes_plan make_axes_plan(short_list<strided_axis> const& given, index_t element_bytes,
                                       box_shape const& shape, bool joins = true);

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/local/axes/make_axes_plan_once.hpp>
#endif
