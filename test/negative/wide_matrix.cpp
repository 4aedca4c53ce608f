// EXPECT: Rows <= 64|65U <= 64
// SPDX-License-Identifier: BSL-1.0

// A column is one word, so a matrix has at most 64 rows and 64 columns.

#include <bmmc/gf2/bit_matrix.hpp>

#ifdef BROKEN
bmmc::bit_matrix<65> a;
#else
bmmc::bit_matrix<64> a;
#endif
