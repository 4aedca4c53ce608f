// EXPECT: detail::refuse\(\{"an array of 2\^"
// SPDX-License-Identifier: BSL-1.0

// An array cannot be reshaped into one with more elements.

#include <bmmc/reshape/reshape.hpp>

#ifdef BROKEN
constexpr unsigned more = 1;
#else
constexpr unsigned more = 0;
#endif
constexpr auto change = reshape(bmmc::array_layout{bmmc::axis::blocks(5, 4)},
                                bmmc::array_layout{bmmc::axis::cyclic(5 + more, 4)});
static_assert(change.communicating == 3);
