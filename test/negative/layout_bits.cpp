// EXPECT: bmmc::detail::refuse\(\{"a layout of "
// SPDX-License-Identifier: BSL-1.0

// A layout of 4 bits cannot place the elements of a permutation of 5.

#include <bmmc/planning.hpp>

#ifdef BROKEN
constexpr bmmc::layout::affine places(bmmc::shuffle<4>());
#else
constexpr bmmc::layout::affine places(bmmc::shuffle<5>());
#endif
constexpr bmmc::plan made = make_plan(bmmc::bit_reversal<5>(), places, 4);
static_assert(made.procs() == 4);
