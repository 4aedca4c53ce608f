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
[[noreturn]] void throw_transport_error(int code, char const* routine, std::string const& with);
[[noreturn]] void throw_transport_error(int code, char const* routine);
}  // namespace detail

/// Throws transport_error with the routine and MPI's words where an MPI call failed.
inline void check(int code, char const* routine) {
  if (code != MPI_SUCCESS) detail::throw_transport_error(code, routine);
}

/// MPI objects may outlive MPI in a static or in main's scope; then nothing is left to be freed.
[[nodiscard]] bool is_finalized() noexcept;

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/mpi_once.hpp>
#endif
