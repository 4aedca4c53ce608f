// SPDX-License-Identifier: BSL-1.0

// Preloaded into a test: as if two processes shared memory where more do, so that everything that
// looks for nodes finds several, and sends between them.

#include <bmmc/comm/mpi.hpp>

extern "C" int MPI_Comm_split_type(MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm* part) {
  MPI_Comm shared = MPI_COMM_NULL;
  const int code = PMPI_Comm_split_type(c, type, key, info, &shared);
  if (code != MPI_SUCCESS || type != MPI_COMM_TYPE_SHARED) {
    *part = shared;
    return code;
  }
  int rank = 0;
  PMPI_Comm_rank(shared, &rank);
  const int done = PMPI_Comm_split(shared, rank / 2, rank, part);
  PMPI_Comm_free(&shared);
  return done;
}
