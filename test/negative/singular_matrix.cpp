// EXPECT: detail::refuse<singular_matrix>\(\{"a matrix of rank
// SPDX-License-Identifier: BSL-1.0

// A singular matrix in a constant expression is no permutation.

#include <bmmc/index/permutation.hpp>

#ifdef BROKEN
constexpr bmmc::permutation<2> p(bmmc::bit_matrix<2>{{0b11, 0b11}});
#else
constexpr bmmc::permutation<2> p(bmmc::bit_matrix<2>{{0b11, 0b10}});
#endif
static_assert(p(1) == 3);
