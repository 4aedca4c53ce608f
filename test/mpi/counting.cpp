// SPDX-License-Identifier: BSL-1.0

// Replaces the allocator and some functions of MPI by ones that counted.

#include "counting.hpp"

#include <cstdlib>
#include <new>

#include <bmmc/comm/mpi.hpp>

counts counted;

message_log sent_messages, received_messages;

namespace {
/// Who this process is and how many bytes a message has; nobody counts what it sends to itself.
bool is_far(int other, int& me) {
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  return other != me && other != MPI_PROC_NULL;
}
std::uint64_t bytes_of(int elements, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(size);
}
void write_down(message_log& log, int other, std::uint64_t bytes) {
  if (log.size < log.messages.size()) log.messages[log.size++] = {other, bytes};
}
void tally(int elements, MPI_Datatype type, int target) {
  int me = 0;
  if (!is_far(target, me)) return;
  const std::uint64_t bytes = bytes_of(elements, type);
  ++counted.messages;
  const int distance = target ^ me;
  if ((distance & (distance - 1)) != 0) ++counted.far_messages;
  if (distance == 1) ++counted.in_pair_messages;
  counted.bytes += bytes;
  write_down(sent_messages, target, bytes);
}
void tally_received(int elements, MPI_Datatype type, int source) {
  int me = 0;
  if (is_far(source, me)) write_down(received_messages, source, bytes_of(elements, type));
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
  tally_received(in_count, in_type, source);
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
extern "C" int MPI_Irecv(void* data, int elements, MPI_Datatype type, int source, int tag,
                         MPI_Comm c, MPI_Request* request) {
  tally_received(elements, type, source);
  return PMPI_Irecv(data, elements, type, source, tag, c, request);
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
extern "C" int MPI_Barrier(MPI_Comm c) {
  ++counted.barriers;
  return PMPI_Barrier(c);
}
extern "C" int MPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm* made) {
  ++counted.communicators;
  return PMPI_Comm_split(c, color, key, made);
}
