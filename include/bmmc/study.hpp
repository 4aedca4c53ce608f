// SPDX-License-Identifier: BSL-1.0
#pragma once

// For study: machine models, schedules for hypercubes, factorings. Nothing that moves data includes
// them. bmmc/study/reordered.hpp, which needs Boost.MPI, puts to use what they say of processes.

#include <bmmc/study/bit_exchanges.hpp>
#include <bmmc/study/contention.hpp>
#include <bmmc/study/cube/contention.hpp>
#include <bmmc/study/cube/mapping.hpp>
#include <bmmc/study/cube/mapping_set.hpp>
#include <bmmc/study/mesh/affine.hpp>
#include <bmmc/study/mesh/conflict.hpp>
#include <bmmc/study/mesh/machine.hpp>
#include <bmmc/study/mesh/programs.hpp>
#include <bmmc/study/mesh/queues.hpp>
#include <bmmc/study/placement.hpp>
#include <bmmc/study/print.hpp>
#include <bmmc/study/schedules/batches.hpp>
#include <bmmc/study/schedules/conversion.hpp>
#include <bmmc/study/schedules/cube_swaps.hpp>
#include <bmmc/study/schedules/detours.hpp>
#include <bmmc/study/schedules/message_schedule.hpp>
#include <bmmc/study/schedules/schedule.hpp>
#include <bmmc/study/schedules/square_ways.hpp>
#include <bmmc/study/schedules/squares.hpp>
#include <bmmc/study/schedules/three_cube.hpp>
#include <bmmc/study/shuffles.hpp>
#include <bmmc/study/topology/concept.hpp>
#include <bmmc/study/topology/fat_tree.hpp>
#include <bmmc/study/topology/hypercube.hpp>
#include <bmmc/study/topology/torus.hpp>
#include <bmmc/study/traffic.hpp>
#include <bmmc/study/wormhole/fft_time.hpp>
#include <bmmc/study/wormhole/message.hpp>
#include <bmmc/study/wormhole/routing.hpp>
#include <bmmc/study/wormhole/simulator.hpp>
#include <bmmc/study/wormhole/traffic.hpp>
