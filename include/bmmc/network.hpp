// SPDX-License-Identifier: BSL-1.0
#pragma once

// Machine models, to study permutations on; nothing that moves data needs them.

#include <bmmc/network/mesh/affine.hpp>
#include <bmmc/network/mesh/conflict.hpp>
#include <bmmc/network/mesh/machine.hpp>
#include <bmmc/network/mesh/programs.hpp>
#include <bmmc/network/wormhole/fft_time.hpp>
#include <bmmc/network/wormhole/message.hpp>
#include <bmmc/network/wormhole/routing.hpp>
#include <bmmc/network/wormhole/simulator.hpp>
#include <bmmc/network/wormhole/traffic.hpp>
