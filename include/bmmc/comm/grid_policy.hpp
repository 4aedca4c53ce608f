// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/comm/shared_window.hpp>

namespace bmmc::detail {

/// The policies that send messages of any lengths of a grid_plan, or none.
template <class P>
inline constexpr bool moves_boxes =
    std::same_as<P, comm::pairwise> || std::same_as<P, comm::pipelined> ||
    std::same_as<P, comm::alltoallv> || std::same_as<P, comm::shared_window> ||
    std::same_as<P, comm::automatic>;

}  // namespace bmmc::detail

namespace bmmc::comm {

/// A way to carry out a grid_plan: arrays of any extents, whose messages have any lengths. Any
/// policy that moves blocks, such as one of a user's own: messages then are padded to the longest
/// of any process, those that are empty apart. And those that know better:
///   pairwise       P - 1 rounds, messages in parts of 1 MiB: the least memory
///   pipelined      all messages under way at a time
///   alltoallv      one MPI_Alltoallv
///   shared_window  processes that share memory read each other's arrays
///   automatic      chooses
template <class P>
concept GridPolicy = bmmc::detail::moves_boxes<P> || MapPolicy<P>;

}  // namespace bmmc::comm
