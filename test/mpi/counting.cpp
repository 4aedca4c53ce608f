// SPDX-License-Identifier: BSL-1.0

// Replaces the allocator and some functions of MPI by ones that counted.

#include "counting.hpp"

#include <cstdlib>
#include <new>

#include <bmmc/comm/mpi.hpp>

counts counted;

namespace {
void tally(int elements, MPI_Datatype type, int target) {
  int me = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (target == me || target == MPI_PROC_NULL) return;
  MPI_Type_size(type, &size);
  ++counted.messages;
  const int distance = target ^ me;
  if ((distance & (distance - 1)) != 0) ++counted.far_messages;
  if (distance == 1) ++counted.in_pair_messages;
  counted.bytes += static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(size);
}
}  // namespace

void* operator new(std::size_t size) {
  ++counted.allocations;
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
  ++counted.allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

extern "C" int MPI_Sendrecv(void const* out, int out_count, MPI_Datatype out_type, int target,
                            int out_tag, void* in, int in_count, MPI_Datatype in_type, int source,
                            int in_tag, MPI_Comm c, MPI_Status* status) {
  tally(out_count, out_type, target);
  return PMPI_Sendrecv(out, out_count, out_type, target, out_tag, in, in_count, in_type, source,
                       in_tag, c, status);
}
extern "C" int MPI_Sendrecv_replace(void* data, int elements, MPI_Datatype type, int target,
                                    int out_tag, int source, int in_tag, MPI_Comm c,
                                    MPI_Status* status) {
  tally(elements, type, target);
  return PMPI_Sendrecv_replace(data, elements, type, target, out_tag, source, in_tag, c, status);
}
extern "C" int MPI_Isend(void const* data, int elements, MPI_Datatype type, int target, int tag,
                         MPI_Comm c, MPI_Request* request) {
  tally(elements, type, target);
  return PMPI_Isend(data, elements, type, target, tag, c, request);
}
extern "C" int MPI_Send_init(void const* data, int elements, MPI_Datatype type, int target, int tag,
                             MPI_Comm c, MPI_Request* request) {
  tally(elements, type, target);
  return PMPI_Send_init(data, elements, type, target, tag, c, request);
}
extern "C" int MPI_Allreduce(void const* in, void* out, int elements, MPI_Datatype type, MPI_Op op,
                             MPI_Comm c) {
  ++counted.reductions;
  return PMPI_Allreduce(in, out, elements, type, op, c);
}
