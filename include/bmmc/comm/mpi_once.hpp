// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/mpi.hpp>

namespace bmmc::comm {

namespace detail {

[[gnu::cold, gnu::noinline]] BMMC_ONCE void throw_transport_error(int code, char const* routine,
                                                                  std::string const& with) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw transport_error(std::string(routine) + " failed" + with + ": " + text);
}

[[gnu::cold, gnu::noinline]] BMMC_ONCE void throw_transport_error(int code, char const* routine) {
  throw_transport_error(code, routine, {});
}

}  // namespace detail

BMMC_ONCE bool is_finalized() noexcept {
  int done = 0;
  MPI_Finalized(&done);
  return done != 0;
}

}  // namespace bmmc::comm
