// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::network {

/// The two ends of a channel. Numbers below nodes() are nodes, which send and receive messages;
/// those from nodes() on are switches.
struct channel_ends {
  index_t from = 0, to = 0;
  friend constexpr bool operator==(channel_ends, channel_ends) = default;
};

/// A network of nodes 0 .. nodes()-1 and one-way channels 0 .. channels()-1, some of which a model
/// may leave unused, with one route for each pair of nodes. Beyond the syntax a model promises that
/// route(source, target, each) calls each(channel) for the channels of the route in order, and that
/// their ends join up from source to target; a node's route to itself is empty.
template <class N>
concept Network = std::copyable<N> && requires(N const& net, index_t k, void (*each)(index_t)) {
  { net.nodes() } -> std::same_as<index_t>;
  { net.channels() } -> std::same_as<index_t>;
  { net.ends(k) } -> std::same_as<channel_ends>;
  net.route(k, k, each);
};

}  // namespace bmmc::network
