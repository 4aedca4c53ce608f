// EXPECT: \{"2\^", n, " elements cannot be spread
// SPDX-License-Identifier: BSL-1.0

// Each process needs at least one element.

#include <bmmc/plan/plan.hpp>

#ifdef BROKEN
constexpr bmmc::index_t procs = 8;
#else
constexpr bmmc::index_t procs = 4;
#endif
constexpr bmmc::plan made =
    make_plan(bmmc::permutation<2>{}, bmmc::layout::processor_major{}, procs);
static_assert(made.is_local());
