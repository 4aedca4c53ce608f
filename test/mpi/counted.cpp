// SPDX-License-Identifier: BSL-1.0

// Preloaded into a test: ends it where a call of MPI counts further than the program has said.

#include <bmmc/comm/mpi.hpp>
#include <climits>
#include <cstdio>

namespace {
int most = INT_MAX;
void look_at(int count) {
  if (count <= most) return;
  std::fprintf(stderr, "wrong: a call of MPI counts to %d\n", count);
  PMPI_Abort(MPI_COMM_WORLD, 1);
}
}  // namespace

extern "C" {
void count_to(int given) { most = given; }
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  look_at(count);
  return PMPI_Type_contiguous(count, type, made);
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                            MPI_Datatype* made) {
  look_at(count);
  return PMPI_Type_create_hvector(count, length, stride, type, made);
}
int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
              MPI_Request* request) {
  look_at(count);
  return PMPI_Isend(data, count, type, to, tag, c, request);
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
              MPI_Request* request) {
  look_at(count);
  return PMPI_Irecv(data, count, type, from, tag, c, request);
}
int MPI_Send_init(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm c,
                  MPI_Request* request) {
  look_at(count);
  return PMPI_Send_init(data, count, type, to, tag, c, request);
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm c,
                  MPI_Request* request) {
  look_at(count);
  return PMPI_Recv_init(data, count, type, from, tag, c, request);
}
int MPI_Sendrecv(void const* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm c,
                 MPI_Status* status) {
  look_at(out_count);
  look_at(in_count);
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag,
                       c, status);
}
int MPI_Alltoallv(void const* out, int const* out_counts, int const* out_first,
                  MPI_Datatype out_type, void* in, int const* in_counts, int const* in_first,
                  MPI_Datatype in_type, MPI_Comm c) {
  int procs = 0;
  MPI_Comm_size(c, &procs);
  for (int k = 0; k < procs; ++k)
    for (int const* const counted : {out_counts, out_first, in_counts, in_first})
      look_at(counted[k]);
  return PMPI_Alltoallv(out, out_counts, out_first, out_type, in, in_counts, in_first, in_type, c);
}
}
