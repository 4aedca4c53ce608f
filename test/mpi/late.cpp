// SPDX-License-Identifier: BSL-1.0

// Preloaded into a test: every process waits for a random time before it talks to others, so that
// messages and barriers come in orders that a quiet machine never shows.

#include <bmmc/comm/mpi.hpp>
#include <chrono>
#include <random>
#include <thread>

namespace {
void wait_at_random() {
  static std::mt19937_64 random([] {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return static_cast<unsigned>(rank) + 1;
  }());
  if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
}
}  // namespace

extern "C" {
int MPI_Sendrecv(void const* out, int out_count, MPI_Datatype out_type, int target, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm c,
                 MPI_Status* status) {
  wait_at_random();
  return PMPI_Sendrecv(out, out_count, out_type, target, out_tag, in, in_count, in_type, source,
                       in_tag, c, status);
}
int MPI_Sendrecv_replace(void* data, int elements, MPI_Datatype type, int target, int out_tag,
                         int source, int in_tag, MPI_Comm c, MPI_Status* status) {
  wait_at_random();
  return PMPI_Sendrecv_replace(data, elements, type, target, out_tag, source, in_tag, c, status);
}
int MPI_Isend(void const* data, int elements, MPI_Datatype type, int target, int tag, MPI_Comm c,
              MPI_Request* request) {
  wait_at_random();
  return PMPI_Isend(data, elements, type, target, tag, c, request);
}
int MPI_Irecv(void* data, int elements, MPI_Datatype type, int source, int tag, MPI_Comm c,
              MPI_Request* request) {
  wait_at_random();
  return PMPI_Irecv(data, elements, type, source, tag, c, request);
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  wait_at_random();
  return PMPI_Waitall(count, requests, statuses);
}
int MPI_Startall(int count, MPI_Request* requests) {
  wait_at_random();
  return PMPI_Startall(count, requests);
}
int MPI_Alltoall(void const* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm c) {
  wait_at_random();
  return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, c);
}
int MPI_Alltoallv(void const* out, int const* out_counts, int const* out_first,
                  MPI_Datatype out_type, void* in, int const* in_counts, int const* in_first,
                  MPI_Datatype in_type, MPI_Comm c) {
  wait_at_random();
  return PMPI_Alltoallv(out, out_counts, out_first, out_type, in, in_counts, in_first, in_type, c);
}
int MPI_Barrier(MPI_Comm c) {
  wait_at_random();
  const int code = PMPI_Barrier(c);
  wait_at_random();
  return code;
}
}
