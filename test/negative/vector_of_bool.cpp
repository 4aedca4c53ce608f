// EXPECT: consecutive memory
// SPDX-License-Identifier: BSL-1.0

// A chunk whose elements have no addresses.

#include <bmmc.hpp>
#include <vector>

#ifdef BROKEN
using chunk_type = std::vector<bool>;
#else
using chunk_type = std::vector<char>;
#endif

void test(MPI_Comm world, chunk_type& chunk) {
  bmmc::permute(world, chunk, bmmc::bit_reversal<3>());
}
