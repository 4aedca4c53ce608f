// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/transport/pending.hpp>

namespace bmmc::transport {

BMMC_ONCE void cancel_receive(MPI_Request& request) noexcept {
  int is_done = 1;
  if (request == MPI_REQUEST_NULL) return;
  if (MPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  if (is_done == 0) MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

BMMC_ONCE given_up_on_exception::~given_up_on_exception() {
  if (std::uncaught_exceptions() == before_) return;
  for (MPI_Request& request : receives_) cancel_receive(request);
  constexpr double seconds = 1;
  for (const double start = MPI_Wtime(); !are_sent() && MPI_Wtime() - start < seconds;) {
  }
  for (MPI_Request& request : sends_)
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

BMMC_ONCE bool given_up_on_exception::are_sent() noexcept {
  int all = 1;
  for (MPI_Request& request : sends_) {
    int is_done = 1;
    if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS) all &= is_done;
  }
  return all != 0;
}

}  // namespace bmmc::transport
