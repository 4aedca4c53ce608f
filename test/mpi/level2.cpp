// SPDX-License-Identifier: BSL-1.0

// At assertion level 2 a bad span in a repeated call is everybody's exception.

#define BMMC_ASSERTION_LEVEL 2
#include "mpi/cases.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

TEST_CASE("level 2: a bad span on one process throws on all", "[mpi]") {
  const unsigned n = cases::proc_bits() + 3;
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n));
  std::vector<int> chunk(8, 4);
  CHECK_COMPLAINS(bmmc::bad_value, permute(std::span(chunk).first(cases::proc() == 0 ? 7 : 8)),
                  "process 0: the chunk must hold 8 elements, not 7");
  CHECK(chunk == std::vector<int>(8, 4));
  permute(chunk);
  CHECK(chunk == std::vector<int>(8, 4));
}
