// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/mpi.hpp>

#include "support/measure.hpp"

namespace measure {

[[nodiscard]] inline int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}
[[nodiscard]] inline int procs() {
  int count = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  return count;
}

/// Collective: seconds from where the first process starts to where the last one ends, on one
/// machine with one clock. With more processes than cores some start late: that counts as well.
[[nodiscard]] inline double seconds_on_all(auto const& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  double times[2] = {-now(), 0};
  work();
  times[1] = now();
  MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return times[0] + times[1];
}

}  // namespace measure
