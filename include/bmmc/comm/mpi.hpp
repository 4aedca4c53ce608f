// SPDX-License-Identifier: BSL-1.0
#pragma once

// The MPI C interface alone. The old C++ bindings are kept out: they cost time and libraries.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <string>

#include <bmmc/error.hpp>

namespace bmmc::comm {

namespace detail {
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_transport_error(int code,
                                                                         char const* routine,
                                                                         std::string const& with) {
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw transport_error(std::string(routine) + " failed" + with + ": " + text);
}
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_transport_error(int code,
                                                                         char const* routine) {
  throw_transport_error(code, routine, {});
}
}  // namespace detail

/// Throws transport_error with the routine and MPI's words where an MPI call failed.
inline void check(int code, char const* routine) {
  if (code != MPI_SUCCESS) detail::throw_transport_error(code, routine);
}

/// MPI objects may outlive MPI in a static or in main's scope; then nothing is left to be freed.
[[nodiscard]] inline bool is_finalized() noexcept {
  int done = 0;
  MPI_Finalized(&done);
  return done != 0;
}

}  // namespace bmmc::comm
