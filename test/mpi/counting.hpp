// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

/// What this process has done since it was set to zero: allocations by operator new, messages to
/// others and their bytes by MPI_Sendrecv, MPI_Sendrecv_replace and MPI_Isend, or prepared by
/// MPI_Send_init, those among them to processes
/// that are no neighbours in a hypercube or differ in bit 0 alone, and MPI_Allreduce calls.
struct counts {
  std::uint64_t allocations = 0, messages = 0, bytes = 0, far_messages = 0, in_pair_messages = 0,
                reductions = 0;
};
extern counts counted;
