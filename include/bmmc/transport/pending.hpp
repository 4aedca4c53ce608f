// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <exception>
#include <span>

#include <bmmc/comm/mpi.hpp>

namespace bmmc::transport {

/// Returns when a receive has come or is cancelled, so that MPI writes nothing more. Requests that
/// are not under way stay as they are.
void cancel_receive(MPI_Request& request) noexcept;

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
  ~given_up_on_exception();

 private:
  [[nodiscard]] bool are_sent() noexcept;

  std::span<MPI_Request> receives_, sends_;
  int before_ = std::uncaught_exceptions();
};

}  // namespace bmmc::transport

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/pending_once.hpp>
#endif
