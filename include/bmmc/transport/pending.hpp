// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <span>

#include <bmmc/comm/mpi.hpp>

namespace bmmc::transport {

/// Returns when a receive has come or is cancelled, so that MPI writes nothing more. Requests that
/// are not under way stay as they are.
inline void cancel_receive(MPI_Request& request) noexcept {
  int is_done = 1;
  if (request == MPI_REQUEST_NULL) return;
  if (MPI_Request_get_status(request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
  if (is_done == 0) MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// The requests of a call. While an exception leaves it, its receives are cancelled: what MPI wrote
/// to the caller's arrays afterwards would overwrite other data. Sends cannot be taken back, and a
/// partner that works will receive them: they get a second, since their data may be gone
/// afterwards.
class given_up_on_exception {
 public:
  given_up_on_exception(std::span<MPI_Request> receives, std::span<MPI_Request> sends) noexcept
      : receives_(receives), sends_(sends) {}
  given_up_on_exception(given_up_on_exception const&) = delete;
  given_up_on_exception& operator=(given_up_on_exception const&) = delete;
  ~given_up_on_exception() {
    if (std::uncaught_exceptions() == before_) return;
    for (MPI_Request& request : receives_) cancel_receive(request);
    constexpr double seconds = 1;
    for (const double start = MPI_Wtime(); !are_sent() && MPI_Wtime() - start < seconds;) {
    }
    for (MPI_Request& request : sends_)
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

 private:
  [[nodiscard]] bool are_sent() noexcept {
    int all = 1;
    for (MPI_Request& request : sends_) {
      int is_done = 1;
      if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS) all &= is_done;
    }
    return all != 0;
  }

  std::span<MPI_Request> receives_, sends_;
  int before_ = std::uncaught_exceptions();
};

}  // namespace bmmc::transport
