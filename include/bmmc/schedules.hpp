// SPDX-License-Identifier: BSL-1.0
#pragma once

// Schedules of cube swaps, to study permutations on hypercubes; nothing that moves data needs them.

#include <bmmc/reshape/batches.hpp>
#include <bmmc/reshape/conversion.hpp>
#include <bmmc/reshape/cube_swaps.hpp>
#include <bmmc/reshape/detours.hpp>
#include <bmmc/reshape/schedule.hpp>
#include <bmmc/reshape/squares.hpp>
#include <bmmc/reshape/three_cube.hpp>
