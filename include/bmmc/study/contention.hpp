// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <bmmc/study/topology/concept.hpp>
#include <bmmc/study/traffic.hpp>

namespace bmmc::network {

/// What a channel carries.
struct load {
  index_t messages = 0, size = 0;
  friend constexpr bool operator==(load const&, load const&) = default;
};

/// What every channel of a network carries.
struct channel_loads {
  std::vector<load> channel;

  /// The most messages and the largest size on a channel: the contention.
  [[nodiscard]] load most() const {
    load most;
    for (load const& l : channel)
      most = {std::max(most.messages, l.messages), std::max(most.size, l.size)};
    return most;
  }
  /// Summed over all channels: messages and sizes times the length of their routes.
  [[nodiscard]] load total() const {
    load sum;
    for (load const& l : channel) sum = {sum.messages + l.messages, sum.size + l.size};
    return sum;
  }
  /// Channels that carry anything.
  [[nodiscard]] index_t used() const {
    return static_cast<index_t>(
        std::ranges::count_if(channel, [](load const& l) { return l.messages != 0; }));
  }
};

/// Process k on node k.
[[nodiscard]] inline std::vector<index_t> in_place(index_t procs) {
  std::vector<index_t> node_of(procs);
  for (index_t k = 0; k < procs; ++k) node_of[k] = k;
  return node_of;
}
/// Process k on node q(k), for all 2^bits processes.
template <unsigned B>
[[nodiscard]] std::vector<index_t> in_place(permutation<B> const& q) {
  std::vector<index_t> node_of(bit(q.bits()));
  for (index_t k = 0; k < node_of.size(); ++k) node_of[k] = q(k);
  return node_of;
}

namespace detail {
/// Throws bad_value unless the processes stand on different nodes and all messages are theirs.
inline void require_places(index_t nodes, traffic const& all, std::span<index_t const> node_of) {
  std::vector<bool> taken(nodes, false);
  for (const index_t node : node_of) {
    if (node >= nodes || taken[node])
      throw bad_value("node " + std::to_string(node) + " of " + std::to_string(nodes) +
                      " is taken twice or beyond them: each process needs one of its own");
    taken[node] = true;
  }
  for (message const& m : all)
    if (std::max(m.source, m.target) >= node_of.size())
      throw bad_value("a message from process " + std::to_string(m.source) + " to " +
                      std::to_string(m.target) + " is not among " + std::to_string(node_of.size()) +
                      " processes");
}
}  // namespace detail

/// Counts what each channel carries when process k stands on node node_of[k]: every message by its
/// own route, nothing estimated.
/// Cost    one step for each channel of each route; a table of channels() entries.
/// Errors  bad_value where two processes share a node or a message is of no process.
template <Network N>
[[nodiscard]] channel_loads count_loads(N const& net, traffic const& all,
                                        std::span<index_t const> node_of) {
  detail::require_places(net.nodes(), all, node_of);
  channel_loads loads{std::vector<load>(net.channels())};
  for (message const& m : all)
    net.route(node_of[m.source], node_of[m.target], [&](index_t channel) {
      ++loads.channel[channel].messages;
      loads.channel[channel].size += m.size;
    });
  return loads;
}
/// The same with process k on node k.
template <Network N>
[[nodiscard]] channel_loads count_loads(N const& net, traffic const& all) {
  return count_loads(net, all, in_place(net.nodes()));
}

}  // namespace bmmc::network
