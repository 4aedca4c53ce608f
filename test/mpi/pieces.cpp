// SPDX-License-Identifier: BSL-1.0

// Blocks of several pieces: more than 1 MiB in a message.

#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

TEMPLATE_TEST_CASE("messages of several MiB arrive whole", "[mpi]", bmmc::comm::sendrecv,
                   bmmc::comm::sendrecv_replace, bmmc::comm::alltoallv,
                   bmmc::comm::dimension_exchange, isend_irecv) {
  const unsigned n = cases::proc_bits() + 19;  // 8 MiB of complex<double>, 12 MiB of records
  CHECK(cases::fault<std::complex<double>, TestType>(bmmc::flip(n, n - 1), 0, 0) == "");
  CHECK(cases::fault<cases::record, TestType>(bmmc::shuffle(n), 0, 0) == "");
}
