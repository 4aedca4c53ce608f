// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/comm/shared_window.hpp>

namespace bmmc::comm {

/// A way to carry out a grid_plan: arrays of any extents, whose messages have any lengths.
///   pairwise       P - 1 rounds, messages in parts of 1 MiB: the least memory
///   pipelined      all messages under way at a time
///   alltoallv      one MPI_Alltoallv
///   shared_window  processes that share memory read each other's arrays
///   automatic      chooses
template <class P>
concept GridPolicy =
    std::same_as<P, pairwise> || std::same_as<P, pipelined> || std::same_as<P, alltoallv> ||
    std::same_as<P, shared_window> || std::same_as<P, automatic>;

}  // namespace bmmc::comm
