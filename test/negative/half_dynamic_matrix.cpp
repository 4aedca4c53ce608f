// EXPECT: Rows <= 64|4294967295U <= 64
// SPDX-License-Identifier: BSL-1.0

// Both sizes of a matrix are in the type, or both in the object.

#include <bmmc/gf2/bit_matrix.hpp>

#ifdef BROKEN
bmmc::bit_matrix<bmmc::dynamic_bits, 3> a;
#else
bmmc::bit_matrix<2, 3> a;
#endif
