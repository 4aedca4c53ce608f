// EXPECT: elements must be copyable
// SPDX-License-Identifier: BSL-1.0

// Elements that can only be moved have nothing that another process could read.

#include <bmmc.hpp>
#include <memory>
#include <vector>

#ifdef BROKEN
using element = std::unique_ptr<int>;
#else
using element = std::vector<int>;
#endif

void test(MPI_Comm world, std::vector<element>& chunk) {
  bmmc::permute(world, chunk, bmmc::bit_reversal<3>());
}
