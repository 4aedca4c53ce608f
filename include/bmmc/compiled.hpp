// SPDX-License-Identifier: BSL-1.0
#pragma once

// Compiles once what no choice of a user's changes: kernels, and the ways to carry out a plan. On
// request: compile bmmc/compiled.cpp, or one file of your own that includes this header before any
// other of the library, and define BMMC_COMPILED for all others. With Meson:
// dependency('bmmc-compiled'). Without, all is in the headers.
#ifndef BMMC_COMPILED
#define BMMC_COMPILED
#endif

#include <bmmc/execution/permutation/made.hpp>
#include <bmmc/local/compiled.hpp>
