// EXPECT: compose needs two permutations of the same number of bits
// SPDX-License-Identifier: BSL-1.0

// Permutations of different numbers of bits have no composition.

#include <bmmc/index/catalogue.hpp>

#ifdef BROKEN
constexpr auto p = compose(bmmc::shuffle<4>(), bmmc::shuffle<5>());
#else
constexpr auto p = compose(bmmc::shuffle<5>(), bmmc::shuffle<5>());
#endif
static_assert(p.bits() == 5);
