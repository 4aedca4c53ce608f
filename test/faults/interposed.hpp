// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>

/// Calls of MPI that go wrong: the program's own MPI_Send and so on count their calls, and one of
/// them fails as it is told. The test itself calls PMPI_Send and so on, which are not counted.
namespace faults {

enum class kind {
  none,
  not_done,  // the call returns an error, nothing has been done
  done,      // it returns an error, all has been done
  cut,       // half of the message is sent
  swollen,   // twice the message is sent, which MPI refuses where it arrives
  late,      // it comes 30 ms later
  exited,    // the process ends with status 0 instead
  killed,    // by SIGKILL
  stopped    // by SIGSTOP
};

constexpr std::array routines{
    "MPI_Allgather",
    "MPI_Allreduce",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Comm_dup",
    "MPI_Comm_rank",
    "MPI_Comm_set_attr",
    "MPI_Comm_set_errhandler",
    "MPI_Comm_size",
    "MPI_Comm_split",
    "MPI_Comm_split_type",
    "MPI_File_close",
    "MPI_File_open",
    "MPI_File_read_at_all",
    "MPI_File_set_view",
    "MPI_File_write_at_all",
    "MPI_Get_count",
    "MPI_Irecv",
    "MPI_Isend",
    "MPI_Recv_init",
    "MPI_Send_init",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
    "MPI_Startall",
    "MPI_Type_commit",
    "MPI_Type_contiguous",
    "MPI_Type_create_hindexed_block",
    "MPI_Type_create_hvector",
    "MPI_Type_create_resized",
    "MPI_Type_create_struct",
    "MPI_Wait",
    "MPI_Waitall"};
using counts = std::array<int, routines.size()>;

/// From now on calls are counted from 0; call number `position` of a routine goes wrong.
void arm(kind k, std::size_t routine, int position);
/// All calls are right again. Returns how many there were.
counts disarm();

}  // namespace faults
