// EXPECT: detail::refuse\(\{"bit "
// SPDX-License-Identifier: BSL-1.0

// A bit that controls itself would always become 0: a singular map.

#include <bmmc/index/catalogue/gates.hpp>

#ifdef BROKEN
constexpr auto p = bmmc::cnot<4>(2, 2);
#else
constexpr auto p = bmmc::cnot<4>(2, 1);
#endif
static_assert(p(4) == 6);
