// SPDX-License-Identifier: BSL-1.0

#include <bmmc/mpi_compiled.hpp>
