// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <string>

#include <bmmc/study/topology/concept.hpp>

namespace bmmc::network {

/// A tree of two levels with several roots: `leaves` switches with `nodes_per_leaf` nodes each, and
/// one link from every leaf to each of `spines` switches. With as many spines as nodes per leaf no
/// level is thinner than the one below. A message to another leaf takes the spine that its target
/// names, target mod spines, as common static routings do (D-mod-k).
/// Vertices  nodes, then leaf switches, then spines.
/// Channels  0 .. nodes-1 from nodes up, then as many down to nodes, then leaves x spines from
///           leaves up, then as many down to leaves.
/// Source    Zahavi, Johnson, Kerbyson, Lang, Concurrency and Computation 22, 2010 (D-mod-k).
class fat_tree {
 public:
  /// Throws bad_value where one of them is 0 or over 2^16.
  constexpr fat_tree(index_t leaves, index_t nodes_per_leaf, index_t spines)
      : leaves_(leaves), per_leaf_(nodes_per_leaf), spines_(spines) {
    for (const index_t count : {leaves, nodes_per_leaf, spines})
      if (count == 0 || count > bit(16))
        throw bad_value("a fat tree has 1 to 65536 leaves, nodes per leaf and spines, not " +
                        std::to_string(count));
  }

  [[nodiscard]] constexpr index_t leaves() const noexcept { return leaves_; }
  [[nodiscard]] constexpr index_t spines() const noexcept { return spines_; }
  [[nodiscard]] constexpr index_t nodes() const noexcept { return leaves_ * per_leaf_; }
  [[nodiscard]] constexpr index_t channels() const noexcept {
    return 2 * (nodes() + leaves_ * spines_);
  }
  [[nodiscard]] constexpr channel_ends ends(index_t channel) const noexcept {
    if (channel < 2 * nodes()) {
      const index_t node = channel % nodes(), leaf = leaf_vertex(node);
      return channel < nodes() ? channel_ends{node, leaf} : channel_ends{leaf, node};
    }
    const index_t link = (channel - 2 * nodes()) % (leaves_ * spines_);
    const index_t leaf = nodes() + link / spines_, spine = nodes() + leaves_ + link % spines_;
    return channel < 2 * nodes() + leaves_ * spines_ ? channel_ends{leaf, spine}
                                                     : channel_ends{spine, leaf};
  }
  template <class F>
  constexpr void route(index_t source, index_t target, F&& each) const {
    if (source == target) return;
    const index_t from = source / per_leaf_, to = target / per_leaf_, spine = target % spines_;
    each(source);
    if (from != to) {
      each(2 * nodes() + from * spines_ + spine);
      each(2 * nodes() + (leaves_ + to) * spines_ + spine);
    }
    each(nodes() + target);
  }

 private:
  [[nodiscard]] constexpr index_t leaf_vertex(index_t node) const noexcept {
    return nodes() + node / per_leaf_;
  }

  index_t leaves_, per_leaf_, spines_;
};
static_assert(Network<fat_tree>);

}  // namespace bmmc::network
