// SPDX-License-Identifier: BSL-1.0

#include "faults/interposed.hpp"

#include <unistd.h>
#include <csignal>
#include <string_view>
#include <vector>

#include <bmmc/comm/mpi.hpp>

namespace faults {
namespace {

kind armed = kind::none;
std::size_t armed_routine = 0;
int armed_position = 0;
counts seen{};

consteval std::size_t number(std::string_view name) {
  std::size_t i = 0;
  while (routines[i] != name) ++i;
  return i;
}

/// Whether this call is the one that goes wrong. Those that end the process do so here.
bool strikes(std::size_t routine) {
  const int position = seen[routine]++;
  if (armed == kind::none || routine != armed_routine || position != armed_position) return false;
  switch (armed) {
    case kind::late:
      ::usleep(30000);
      break;
    case kind::exited:
      ::_exit(0);
    case kind::killed:
      ::raise(SIGKILL);
      break;
    case kind::stopped:
      ::raise(SIGSTOP);
      break;
    default:
      break;
  }
  return true;
}

/// A call, or what it is instead.
template <class Call>
int called(std::size_t routine, Call call) {
  if (!strikes(routine)) return call();
  if (armed == kind::not_done) return MPI_ERR_OTHER;
  const int code = call();
  return armed == kind::done ? MPI_ERR_OTHER : code;
}

/// A message, as bytes where another length is sent.
struct message {
  void const* data;
  int count;
  MPI_Datatype type;
};
/// Calls that send a message.
template <class Call>
int sending(std::size_t routine, message m, Call call) {
  if (routine == armed_routine && seen[routine] == armed_position) {
    static std::vector<char> other;
    int bytes = 0;
    PMPI_Type_size(m.type, &bytes);
    bytes *= m.count;
    if (armed == kind::cut) m = {m.data, bytes / 2, MPI_BYTE};
    if (armed == kind::swollen) {
      other.assign(2 * static_cast<std::size_t>(bytes), 'x');
      m = {other.data(), 2 * bytes, MPI_BYTE};
    }
  }
  return called(routine, [&] { return call(m); });
}

}  // namespace

void arm(kind k, std::size_t routine, int position) {
  seen = {};
  armed_routine = routine;
  armed_position = position;
  armed = k;
}
counts disarm() {
  armed = kind::none;
  return seen;
}

}  // namespace faults

using faults::called;
using faults::number;
using faults::sending;

extern "C" {
int MPI_Allgather(void const* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm c) {
  return called(number("MPI_Allgather"),
                [&] { return PMPI_Allgather(out, out_count, out_type, in, in_count, in_type, c); });
}
int MPI_Allreduce(void const* out, void* in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm c) {
  return called(number("MPI_Allreduce"),
                [&] { return PMPI_Allreduce(out, in, count, type, op, c); });
}
int MPI_Alltoall(void const* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                 MPI_Datatype in_type, MPI_Comm c) {
  return called(number("MPI_Alltoall"),
                [&] { return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, c); });
}
int MPI_Alltoallv(void const* out, int const* out_counts, int const* out_first,
                  MPI_Datatype out_type, void* in, int const* in_counts, int const* in_first,
                  MPI_Datatype in_type, MPI_Comm c) {
  return called(number("MPI_Alltoallv"), [&] {
    return PMPI_Alltoallv(out, out_counts, out_first, out_type, in, in_counts, in_first, in_type,
                          c);
  });
}
int MPI_Barrier(MPI_Comm c) {
  return called(number("MPI_Barrier"), [&] { return PMPI_Barrier(c); });
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm c) {
  return called(number("MPI_Bcast"), [&] { return PMPI_Bcast(data, count, type, root, c); });
}
int MPI_Comm_dup(MPI_Comm c, MPI_Comm* made) {
  return called(number("MPI_Comm_dup"), [&] { return PMPI_Comm_dup(c, made); });
}
int MPI_Comm_set_attr(MPI_Comm c, int key, void* value) {
  return called(number("MPI_Comm_set_attr"), [&] { return PMPI_Comm_set_attr(c, key, value); });
}
int MPI_Comm_size(MPI_Comm c, int* size) {
  return called(number("MPI_Comm_size"), [&] { return PMPI_Comm_size(c, size); });
}
int MPI_Comm_split(MPI_Comm c, int color, int key, MPI_Comm* made) {
  return called(number("MPI_Comm_split"), [&] { return PMPI_Comm_split(c, color, key, made); });
}
int MPI_Comm_split_type(MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm* made) {
  return called(number("MPI_Comm_split_type"),
                [&] { return PMPI_Comm_split_type(c, type, key, info, made); });
}
int MPI_Get_count(MPI_Status const* status, MPI_Datatype type, int* count) {
  return called(number("MPI_Get_count"), [&] { return PMPI_Get_count(status, type, count); });
}
int MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm c,
              MPI_Request* request) {
  return called(number("MPI_Irecv"),
                [&] { return PMPI_Irecv(data, count, type, source, tag, c, request); });
}
int MPI_Isend(void const* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm c,
              MPI_Request* request) {
  return sending(number("MPI_Isend"), {data, count, type}, [&](faults::message m) {
    return PMPI_Isend(m.data, m.count, m.type, target, tag, c, request);
  });
}
int MPI_Recv_init(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm c,
                  MPI_Request* request) {
  return called(number("MPI_Recv_init"),
                [&] { return PMPI_Recv_init(data, count, type, source, tag, c, request); });
}
int MPI_Send_init(void const* data, int count, MPI_Datatype type, int target, int tag, MPI_Comm c,
                  MPI_Request* request) {
  // a structure at absolute addresses has no half: nothing is sent
  static const char nothing = 0;
  return sending(number("MPI_Send_init"), {data, count, type}, [&](faults::message m) {
    if (m.type != type && m.data == data) m = {&nothing, 0, MPI_BYTE};
    return PMPI_Send_init(m.data, m.count, m.type, target, tag, c, request);
  });
}
int MPI_Sendrecv(void const* out, int out_count, MPI_Datatype out_type, int target, int out_tag,
                 void* in, int in_count, MPI_Datatype in_type, int source, int in_tag, MPI_Comm c,
                 MPI_Status* status) {
  return sending(number("MPI_Sendrecv"), {out, out_count, out_type}, [&](faults::message m) {
    return PMPI_Sendrecv(m.data, m.count, m.type, target, out_tag, in, in_count, in_type, source,
                         in_tag, c, status);
  });
}
int MPI_Sendrecv_replace(void* data, int count, MPI_Datatype type, int target, int out_tag,
                         int source, int in_tag, MPI_Comm c, MPI_Status* status) {
  return called(number("MPI_Sendrecv_replace"), [&] {
    return PMPI_Sendrecv_replace(data, count, type, target, out_tag, source, in_tag, c, status);
  });
}
int MPI_Startall(int count, MPI_Request* requests) {
  return called(number("MPI_Startall"), [&] { return PMPI_Startall(count, requests); });
}
int MPI_Type_commit(MPI_Datatype* type) {
  return called(number("MPI_Type_commit"), [&] { return PMPI_Type_commit(type); });
}
int MPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  return called(number("MPI_Type_contiguous"),
                [&] { return PMPI_Type_contiguous(count, type, made); });
}
int MPI_Type_create_resized(MPI_Datatype type, MPI_Aint low, MPI_Aint extent, MPI_Datatype* made) {
  return called(number("MPI_Type_create_resized"),
                [&] { return PMPI_Type_create_resized(type, low, extent, made); });
}
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return called(number("MPI_Waitall"), [&] { return PMPI_Waitall(count, requests, statuses); });
}
int MPI_Comm_rank(MPI_Comm c, int* rank) {
  return called(number("MPI_Comm_rank"), [&] { return PMPI_Comm_rank(c, rank); });
}
int MPI_Comm_set_errhandler(MPI_Comm c, MPI_Errhandler handler) {
  return called(number("MPI_Comm_set_errhandler"), [&] { return PMPI_Comm_set_errhandler(c, handler); });
}
int MPI_Type_create_hindexed_block(int count, int length, MPI_Aint const* places, MPI_Datatype type,
                                   MPI_Datatype* made) {
  return called(number("MPI_Type_create_hindexed_block"), [&] { return PMPI_Type_create_hindexed_block(count, length, places, type, made); });
}
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype type,
                            MPI_Datatype* made) {
  return called(number("MPI_Type_create_hvector"), [&] { return PMPI_Type_create_hvector(count, length, stride, type, made); });
}
int MPI_Type_create_struct(int count, int const* lengths, MPI_Aint const* places,
                           MPI_Datatype const* types, MPI_Datatype* made) {
  return called(number("MPI_Type_create_struct"), [&] { return PMPI_Type_create_struct(count, lengths, places, types, made); });
}
int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  return called(number("MPI_Wait"), [&] { return PMPI_Wait(request, status); });
}
int MPI_File_open(MPI_Comm c, char const* name, int mode, MPI_Info info, MPI_File* file) {
  return called(number("MPI_File_open"), [&] { return PMPI_File_open(c, name, mode, info, file); });
}
int MPI_File_close(MPI_File* file) {
  return called(number("MPI_File_close"), [&] { return PMPI_File_close(file); });
}
int MPI_File_set_view(MPI_File file, MPI_Offset first, MPI_Datatype element, MPI_Datatype view,
                      char const* how, MPI_Info info) {
  return called(number("MPI_File_set_view"), [&] { return PMPI_File_set_view(file, first, element, view, how, info); });
}
int MPI_File_read_at_all(MPI_File file, MPI_Offset at, void* data, int count, MPI_Datatype type,
                         MPI_Status* status) {
  return called(number("MPI_File_read_at_all"), [&] { return PMPI_File_read_at_all(file, at, data, count, type, status); });
}
int MPI_File_write_at_all(MPI_File file, MPI_Offset at, void const* data, int count,
                          MPI_Datatype type, MPI_Status* status) {
  return called(number("MPI_File_write_at_all"), [&] { return PMPI_File_write_at_all(file, at, data, count, type, status); });
}
}
