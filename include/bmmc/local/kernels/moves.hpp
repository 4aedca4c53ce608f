// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/kernels/instructions.hpp>
#include <bmmc/local/lines/line_job.hpp>
#include <bmmc/local/lines/pair_plan.hpp>

namespace bmmc::local {

/// Moves runs of tiles [first, last) of a line plan for elements of which 2^LgUnit bytes stay
/// together, at most a line. The set must be available and not `portable`.
template <unsigned LgUnit>
void move_lines(instructions set, line_plan const& p, line_job const& job, index_t first,
                index_t last);
/// The same for pairs of tiles that change places.
template <unsigned LgUnit>
void exchange_tiles(instructions set, pair_plan const& p, line_job const& job, index_t first,
                    index_t last);

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has them, once for a program
#include <bmmc/local/kernels/kernels.hpp>
#endif
