// SPDX-License-Identifier: BSL-1.0

// Tests that fail on purpose, for mpi_selftest.py: the main of the MPI tests must tell of them.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <stdexcept>

#include "catch.hpp"

namespace {
int rank() {
  int r = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  return r;
}
void wait_for_all() { MPI_Barrier(MPI_COMM_WORLD); }
}  // namespace

TEST_CASE("all is well") {
  wait_for_all();
  CHECK(rank() >= 0);
}
TEST_CASE("one check fails on one process", "[.]") {
  INFO("told on process 1");
  CHECK(rank() != 1);
  wait_for_all();
}
TEST_CASE("one requirement fails on one process", "[.]") {
  REQUIRE(rank() != 1);
  wait_for_all();
}
TEST_CASE("one process throws", "[.]") {
  CHECK(rank() >= 0);
  if (rank() == 1) throw std::runtime_error("thrown on process 1");
  wait_for_all();
}
TEST_CASE("one process fails", "[.]") {
  if (rank() == 1) FAIL("given up on process 1");
  wait_for_all();
}
TEST_CASE("one process lacks an exception", "[.]") {
  REQUIRE_THROWS([] {
    if (rank() != 1) throw std::runtime_error("expected");
  }());
  wait_for_all();
}
