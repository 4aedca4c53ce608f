// SPDX-License-Identifier: BSL-1.0
#pragma once

// Compiles once what no choice of a user's changes: kernels, and the ways to carry out a plan. On
// request: compile bmmc/planning_compiled.cpp and bmmc/mpi_compiled.cpp, or one file of your own
// that includes this header before any other of the library, and define BMMC_COMPILED for all
// others. With Meson: dependency('bmmc-compiled'). Without, all is in the headers.
#include <bmmc/mpi_compiled.hpp>
#include <bmmc/planning_compiled.hpp>
