// EXPECT: detail::refuse\(\{"an axis of 2\^"
// SPDX-License-Identifier: BSL-1.0

// Eight positions along an axis have no sixteen blocks.

#include <bmmc/reshape/axis.hpp>

#ifdef BROKEN
constexpr auto a = bmmc::axis::blocks(3, 16);
#else
constexpr auto a = bmmc::axis::blocks(4, 8);
#endif
static_assert(a.bits > 2);
