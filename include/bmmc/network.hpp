// SPDX-License-Identifier: BSL-1.0
#pragma once

// Machine models, to study permutations on; nothing that moves data needs them. What they say of
// processes is put to use by bmmc/network/reordered.hpp, which needs Boost.MPI.

#include <bmmc/network/contention.hpp>
#include <bmmc/network/cube/contention.hpp>
#include <bmmc/network/cube/mapping.hpp>
#include <bmmc/network/cube/mapping_set.hpp>
#include <bmmc/network/mesh/affine.hpp>
#include <bmmc/network/mesh/conflict.hpp>
#include <bmmc/network/mesh/machine.hpp>
#include <bmmc/network/mesh/programs.hpp>
#include <bmmc/network/mesh/queues.hpp>
#include <bmmc/network/placement.hpp>
#include <bmmc/network/topology/concept.hpp>
#include <bmmc/network/topology/fat_tree.hpp>
#include <bmmc/network/topology/hypercube.hpp>
#include <bmmc/network/topology/torus.hpp>
#include <bmmc/network/traffic.hpp>
#include <bmmc/network/wormhole/fft_time.hpp>
#include <bmmc/network/wormhole/message.hpp>
#include <bmmc/network/wormhole/routing.hpp>
#include <bmmc/network/wormhole/simulator.hpp>
#include <bmmc/network/wormhole/traffic.hpp>
