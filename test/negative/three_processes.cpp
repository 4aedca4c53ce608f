// EXPECT: detail::refuse\(\{"the number of processes must be a power of two
// SPDX-License-Identifier: BSL-1.0

// Three processes are no power of two.

#include <bmmc/plan/plan.hpp>

#ifdef BROKEN
constexpr bmmc::index_t procs = 3;
#else
constexpr bmmc::index_t procs = 4;
#endif
constexpr bmmc::plan made =
    make_plan(bmmc::permutation<5>{}, bmmc::layout::processor_major{}, procs);
static_assert(made.is_local());
