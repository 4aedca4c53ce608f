// EXPECT: detail::refuse\(\{"source bit "
// SPDX-License-Identifier: BSL-1.0

// Two source bits cannot go to one target bit.

#include <bmmc/index/catalogue/bits.hpp>

#ifdef BROKEN
constexpr auto p = bmmc::bit_permutation(std::array{0U, 2U, 2U});
#else
constexpr auto p = bmmc::bit_permutation(std::array{0U, 2U, 1U});
#endif
static_assert(p(2) == 4);
