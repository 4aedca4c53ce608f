// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/mpi.hpp>

#include "support/measure.hpp"

namespace measure {

/// Collective: seconds that the slowest process takes, when all start together.
[[nodiscard]] inline double seconds_on_all(auto const& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = now();
  work();
  double slowest = now() - start;
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

}  // namespace measure
