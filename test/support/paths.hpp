// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "oracle.hpp"

/// Paths of messages, walked from vertex to vertex, and what lies on each link counted one message
/// at a time. Shares no code with the library: no channel numbers, no ranks.
namespace paths {

using oracle::number;
using path = std::vector<number>;
struct message {
  number source = 0, target = 0, size = 1;
};
using list = std::vector<message>;

/// e-cube: the lowest bit in which the two differ is changed first.
inline path on_hypercube(unsigned n, number source, number target) {
  path p{source};
  auto here = oracle::to_bits(source, n);
  const auto there = oracle::to_bits(target, n);
  for (unsigned j = 0; j < n; ++j)
    if (here[j] != there[j]) {
      here[j] = there[j];
      p.push_back(oracle::to_number(here));
    }
  return p;
}

/// Axis after axis; on each the shorter way round, upwards where both are equal.
inline path on_torus(std::vector<number> const& extents, number source, number target) {
  const auto coordinates = [&](number x) {
    std::vector<number> c;
    for (const number extent : extents) c.push_back(x % extent), x /= extent;
    return c;
  };
  auto here = coordinates(source);
  const auto there = coordinates(target);
  path p{source};
  for (std::size_t a = 0; a < extents.size(); ++a) {
    number up = 0, down = 0;
    for (number c = here[a]; c != there[a]; c = (c + 1) % extents[a]) ++up;
    for (number c = here[a]; c != there[a]; c = c == 0 ? extents[a] - 1 : c - 1) ++down;
    while (here[a] != there[a]) {
      if (up <= down)
        here[a] = here[a] + 1 == extents[a] ? 0 : here[a] + 1;
      else
        here[a] = here[a] == 0 ? extents[a] - 1 : here[a] - 1;
      number x = 0;
      for (std::size_t b = extents.size(); b-- > 0;) x = x * extents[b] + here[b];
      p.push_back(x);
    }
  }
  return p;
}

/// Up to a common switch and down again; the spine is the target's number mod spines.
inline path on_fat_tree(number leaves, number per_leaf, number spines, number source,
                        number target) {
  if (source == target) return {source};
  const number nodes = leaves * per_leaf, from = source / per_leaf, to = target / per_leaf;
  if (from == to) return {source, nodes + from, target};
  return {source, nodes + from, nodes + leaves + target % spines, nodes + to, target};
}

struct carried {
  number messages = 0, size = 0;
};
using links = std::map<std::pair<number, number>, carried>;

template <class Path>
links count(list const& all, Path path_of) {
  links found;
  for (message const& m : all) {
    const path p = path_of(m.source, m.target);
    for (std::size_t k = 0; k + 1 < p.size(); ++k) {
      auto& link = found[{p[k], p[k + 1]}];
      ++link.messages;
      link.size += m.size;
    }
  }
  return found;
}

/// Of each dimension of a hypercube: the most messages on one of its channels, and whether all
/// that carry any carry as many.
struct dimension {
  number most = 0;
  bool even = true;
  friend bool operator==(dimension const&, dimension const&) = default;
};
inline std::vector<dimension> by_dimension(unsigned n, list const& all) {
  std::vector<std::vector<unsigned>> crossed(n, std::vector<unsigned>(oracle::power(n), 0));
  for (auto [at, target, size] : all)
    for (unsigned j = 0; j < n; ++j)
      if ((at >> j) % 2 != (target >> j) % 2) {
        ++crossed[j][at];
        at = (at >> j) % 2 != 0 ? at - oracle::power(j) : at + oracle::power(j);
      }
  std::vector<dimension> found(n);
  for (unsigned j = 0; j < n; ++j) {
    for (const unsigned count : crossed[j]) found[j].most = std::max<number>(found[j].most, count);
    for (const unsigned count : crossed[j])
      found[j].even = found[j].even && (count == 0 || count == found[j].most);
  }
  return found;
}

}  // namespace paths
