// SPDX-License-Identifier: BSL-1.0
#pragma once

// The whole library. Link MPI; and Boost.Serialization for elements that are not trivially
// copyable, Boost.MPI for element::native. planning.hpp needs none of them.

#include <bmmc/version.hpp>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/grid_policy.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/policy.hpp>
#include <bmmc/comm/radix_exchange.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/comm/renumbered.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/gather.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/permute/bijection.hpp>
#include <bmmc/permute/circuit.hpp>
#include <bmmc/permute/coset.hpp>
#include <bmmc/permute/deferred_array.hpp>
#include <bmmc/permute/detect.hpp>
#include <bmmc/permute/relabelled.hpp>
#include <bmmc/permute/simulators.hpp>
#include <bmmc/permute/state_view.hpp>
#include <bmmc/permuter.hpp>
#include <bmmc/permuter_set.hpp>
#include <bmmc/planning.hpp>
#include <bmmc/reduce.hpp>
#include <bmmc/reshape/redistribute.hpp>
#include <bmmc/reshape/redistribute_grid.hpp>
#include <bmmc/reshape/redistributor_set.hpp>
#include <bmmc/reshape/relabelled_grid.hpp>
#ifdef BMMC_HAS_BOOST
#include <bmmc/element/native.hpp>
#include <bmmc/element/serialized.hpp>
#endif

/// Defined where the distributed part has been included: `#ifdef BMMC_HAS_MPI`.
#define BMMC_HAS_MPI 1
