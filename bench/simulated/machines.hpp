// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The machines that are simulated. All links carry 12.5 GB/s (100 Gb/s) and add 0.5 microseconds.
/// Messages on a link share it evenly, as far as other links let them (SimGrid's model CM02). A
/// node has one process, or as many as a name says: fat-tree/16. Messages within a node take 0.3
/// microseconds and 10 GB/s.
namespace machines {

namespace s4u = simgrid::s4u;
using simgrid::kernel::routing::NetPoint;

constexpr double bandwidth = 12.5e9, latency = 5e-7;
constexpr double inside_bandwidth = 1e10, inside_latency = 3e-7;

/// Seconds of a processor for a message that it sends or receives, and for a byte that it copies.
struct processor {
  double overhead = 4e-7, copied_byte = 1e-10;
};
/// MPI sends up to this many bytes without waiting for the receiver, as SimGrid's SMPI has it.
constexpr std::size_t eager = 65536;

inline void configure() {
  s4u::Engine::set_config("network/model:CM02");
  s4u::Engine::set_config("network/crosstraffic:no");
  s4u::Engine::set_config("maxmin/precision:1e-4");  // of bytes per second, which it compares
  s4u::Engine::set_config("surf/precision:1e-9");    // seconds, as smpirun has it
  s4u::Engine::set_config("contexts/stack-size:64");
  s4u::Engine::set_config("contexts/guard-size:0");
}

/// Splits 2^bits into factors, as even as they can be; those that are named first get more.
template <std::size_t N>
[[nodiscard]] std::array<unsigned, N> factors(unsigned bits,
                                              std::array<std::size_t, N> const& first) {
  std::array<unsigned, N> all{};
  all.fill(bits / static_cast<unsigned>(N));
  for (std::size_t i = 0; i < bits % N; ++i) ++all[first[i]];
  for (unsigned& each : all) each = 1U << each;
  return all;
}

/// The factors of each machine: see make().
[[nodiscard]] inline std::array<unsigned, 4> dragonfly_factors(unsigned lg_procs) {
  // no more groups than routers in a chassis, on which the links between groups begin
  return factors<4>(lg_procs, {0, 1, 2, 3});  // routers, groups, nodes, chassis
}
[[nodiscard]] inline std::array<unsigned, 3> torus_factors(unsigned lg_procs) {
  return factors<3>(lg_procs, {0, 1, 2});
}

/// What a name says: a machine, and the bits of a process's number that tell processes of a node
/// apart.
struct named_machine {
  std::string network;
  unsigned node_bits = 0;
};
[[nodiscard]] inline named_machine read(std::string const& name) {
  const auto slash = name.find('/');
  if (slash == std::string::npos) return {name};
  const auto procs = static_cast<unsigned>(std::stoul(name.substr(slash + 1)));
  if (!std::has_single_bit(procs))
    throw std::invalid_argument("--machine " + name + ": a node has a power of two of processes");
  return {name.substr(0, slash), static_cast<unsigned>(std::bit_width(procs)) - 1};
}

/// Links that lead out of any 2^bits nodes with the same high bits.
struct cut {
  unsigned bits;
  double links;
};
/// Enough cuts for a lower bound of what must cross them.
[[nodiscard]] inline std::vector<cut> cuts(std::string const& network, unsigned lg_nodes) {
  std::vector<cut> all;
  const auto lg = [](unsigned x) { return static_cast<unsigned>(std::bit_width(x)) - 1; };
  if (network == "fat-tree") {
    all.push_back({0, 1});
    for (unsigned j = 4; j < lg_nodes; ++j) all.push_back({j, 8.0 * (1U << (j - 4))});
  } else if (network == "dragonfly") {
    const unsigned groups = dragonfly_factors(lg_nodes)[1];
    all.push_back({0, 1});
    for (unsigned some = 1; some < groups; some *= 2)
      all.push_back({lg_nodes - lg(groups) + lg(some), double(some) * (groups - some)});
  } else {
    const auto extents = torus_factors(lg_nodes);
    all.push_back({0, 2.0 * static_cast<double>(std::count_if(extents.begin(), extents.end(),
                                                              [](unsigned e) { return e > 1; }))});
    const unsigned plane = extents[0] * extents[1];
    for (unsigned j = lg(plane); j < lg_nodes; ++j) all.push_back({j, 2.0 * plane});
  }
  return all;
}

/// fat-tree   16 nodes on a switch, each switch on 8 others: half of the nodes' bandwidth
/// dragonfly  groups of chassis of routers, with one link each between two groups, two routers of a
///            chassis, and two routers at one place of two chassis; minimal routes
/// torus      of three dimensions, dimension by dimension
/// The node of each process.
inline std::vector<s4u::Host*> make(named_machine const& machine, unsigned lg_procs) {
  auto const& [network, node] = machine;
  if (node > lg_procs) throw std::invalid_argument("--procs: fewer than a node has");
  const unsigned lg_nodes = lg_procs - node;
  std::vector<s4u::Host*> hosts;
  const s4u::ClusterCallbacks nodes(
      [&](s4u::NetZone* zone, std::vector<unsigned long> const&, unsigned long) {
        auto* const host = zone->create_host("node-" + std::to_string(hosts.size()), 1e9);
        host->seal();
        hosts.push_back(host);
        return std::pair<NetPoint*, NetPoint*>(host->get_netpoint(), nullptr);
      },
      [](s4u::NetZone* zone, std::vector<unsigned long> const&, unsigned long number) {
        return zone->create_link("within-" + std::to_string(number), inside_bandwidth)
            ->set_latency(inside_latency)
            ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
            ->seal();
      },
      {});
  constexpr auto shared = s4u::Link::SharingPolicy::SPLITDUPLEX;
  s4u::NetZone* zone = nullptr;
  if (network == "fat-tree") {
    const unsigned below = 1U << std::min(4U, lg_nodes), switches = (1U << lg_nodes) / below;
    zone = s4u::create_fatTree_zone("all", nullptr, {2, {below, switches}, {1, 8}, {1, 1}}, nodes,
                                    bandwidth, latency, shared);
  } else if (network == "dragonfly") {
    const auto [routers, groups, nodes_each, chassis] = dragonfly_factors(lg_nodes);
    zone = s4u::create_dragonfly_zone("all", nullptr,
                                      {{groups, 1}, {chassis, 1}, {routers, 1}, nodes_each}, nodes,
                                      bandwidth, latency, shared);
  } else if (network == "torus") {
    const auto extents = torus_factors(lg_nodes);
    zone = s4u::create_torus_zone("all", nullptr, {extents[0], extents[1], extents[2]}, nodes,
                                  bandwidth, latency, shared);
  } else {
    throw std::invalid_argument("--machine " + network +
                                ": fat-tree, dragonfly and torus are known");
  }
  zone->seal();
  std::vector<s4u::Host*> of_processes;
  for (std::size_t k = 0; k < hosts.size() << node; ++k) of_processes.push_back(hosts[k >> node]);
  return of_processes;
}

}  // namespace machines
