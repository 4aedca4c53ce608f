// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include <bmmc/index/exchanges.hpp>

namespace bmmc {

/// In one step an element crosses the channel of a hypercube that leads from `node` across
/// `dimension`. The element is the one with this number among those that start on `source`.
struct crossing {
  unsigned step = 0;
  index_t node = 0;
  unsigned dimension = 0;
  index_t source = 0;
  unsigned number = 0;
  friend constexpr bool operator==(crossing const&, crossing const&) = default;
};

/// Who crosses which channel when, on a hypercube of 2^cube_bits nodes that start with `elements`
/// elements each. Every node can use all its channels in one step, in both directions, for one
/// element each.
struct schedule {
  unsigned cube_bits = 0;
  unsigned elements = 0;
  std::vector<crossing> crossings{};

  /// Element transfers in sequence: the last step that is used, counted from 1.
  [[nodiscard]] unsigned steps() const noexcept {
    unsigned count = 0;
    for (crossing const& c : crossings) count = std::max(count, c.step + 1);
    return count;
  }
};

/// How many pairs of a step and a channel are used by more than one element.
[[nodiscard]] inline std::size_t channel_conflicts(schedule const& s) {
  std::vector<std::array<index_t, 3>> used;
  for (crossing const& c : s.crossings) used.push_back({c.step, c.node, c.dimension});
  std::sort(used.begin(), used.end());
  std::size_t count = 0;
  for (std::size_t i = 1; i < used.size(); ++i)
    if (used[i] == used[i - 1] && (i == 1 || used[i] != used[i - 2])) ++count;
  return count;
}

/// What is wrong with a schedule that should take all elements of node x to node p(x); empty where
/// all is well. Checked are: elements, nodes and dimensions exist; no element crosses two channels
/// in one step, or one that does not start where it is; no channel is used twice in a step; every
/// element arrives.
/// Cost: O(C log C) for C crossings, and memory for every element.
[[nodiscard]] inline std::string fault_of(schedule const& s, permutation<> const& p) {
  const auto text = [](auto const&... parts) {
    std::string all;
    const auto add = [&](auto const& part) {
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>)
        all.append(std::to_string(part));
      else
        all.append(part);
    };
    (add(parts), ...);
    return all;
  };
  const auto name = [&](crossing const& c) {
    return text("element ", c.number, " of node ", c.source, " in step ", c.step);
  };
  if (p.bits() != s.cube_bits) return "the permutation has another number of bits";
  auto in_order = s.crossings;
  std::stable_sort(in_order.begin(), in_order.end(),
                   [](crossing const& a, crossing const& b) { return a.step < b.step; });
  const index_t nodes = bit(s.cube_bits);
  std::vector<index_t> place(nodes * s.elements);
  std::vector<unsigned> free_from(place.size(), 0);
  for (index_t x = 0; x < nodes; ++x)
    for (unsigned k = 0; k < s.elements; ++k) place[x * s.elements + k] = x;
  for (crossing const& c : in_order) {
    if (c.source >= nodes || c.number >= s.elements || c.dimension >= s.cube_bits)
      return text(name(c), " does not exist, or its dimension does not");
    const auto which = c.source * s.elements + c.number;
    if (place[which] != c.node)
      return text(name(c), " is not on node ", c.node, " but on ", place[which]);
    if (free_from[which] > c.step) return text(name(c), " crosses two channels");
    free_from[which] = c.step + 1;
    place[which] ^= bit(c.dimension);
  }
  if (const auto conflicts = channel_conflicts(s); conflicts != 0)
    return text(conflicts, " channels are used twice in a step");
  for (index_t x = 0; x < nodes; ++x)
    for (unsigned k = 0; k < s.elements; ++k)
      if (place[x * s.elements + k] != p(x))
        return text("element ", k, " of node ", x, " does not arrive at node ", p(x));
  return {};
}

/// No schedule takes fewer steps: half of the nodes have to send all their elements across one
/// dimension, and each node has one channel there.
/// Source  Johnsson and Ho 1990, theorem 1; for conditional exchanges that are not the identity.
[[nodiscard]] constexpr unsigned fewest_steps(unsigned elements) noexcept {
  return elements / 2 + elements % 2;
}

namespace detail {

/// The exchanges of p in the given order of the dimensions that need any. The dimensions that the
/// order leaves out must not change. Throws bad_value where p has no such exchanges.
[[nodiscard]] constexpr exchange_list active_exchanges(permutation<> const& p,
                                                       dimension_order const& order) {
  auto all = order;
  index_t named = 0;
  for (unsigned k : order) named |= k < 64 ? bit(k) : 0;
  for (unsigned k = 0; k < p.bits(); ++k)
    if ((named & bit(k)) == 0) all.push_back(k);
  auto found = exchange_factors(p, all);
  if (!found)
    throw bad_value("the permutation is no product of conditional exchanges in this order");
  for (unsigned k = order.size(); k < found->size(); ++k)
    if (!(*found)[k].is_identity())
      detail::refuse({"the order leaves out dimension ", (*found)[k].dimension, ", which changes"});
  found->count = order.size();
  return *found;
}

/// A schedule in the making, which knows where every element is.
class schedule_builder {
 public:
  schedule_builder(unsigned cube_bits, unsigned elements)
      : made_{cube_bits, elements, {}}, place_(bit(cube_bits) * elements) {
    for (index_t i = 0; i < place_.size(); ++i) place_[i] = i / elements;
  }
  [[nodiscard]] index_t place(index_t source, unsigned number) const {
    return place_[source * made_.elements + number];
  }
  void cross(unsigned step, index_t source, unsigned number, unsigned dimension) {
    auto& place = place_[source * made_.elements + number];
    made_.crossings.push_back({step, place, dimension, source, number});
    place ^= bit(dimension);
  }
  /// The element does its part of an exchange: it crosses, or stays where the condition says so.
  void exchange(unsigned step, index_t source, unsigned number, conditional_exchange const& e) {
    const index_t at = place(source, number);
    if (e(at) != at) cross(step, source, number, e.dimension);
  }
  [[nodiscard]] unsigned cube_bits() const noexcept { return made_.cube_bits; }
  [[nodiscard]] schedule take() { return std::move(made_); }

 private:
  schedule made_;
  std::vector<index_t> place_;
};

}  // namespace detail

/// The dimensions that a permutation changes, in ascending order: those whose row of the matrix is
/// not the identity's, or that are complemented.
[[nodiscard]] constexpr dimension_order changed_dimensions(permutation<> const& p) {
  dimension_order found;
  for (unsigned k = 0; k < p.bits(); ++k)
    if (detail::row_of(p.matrix(), k) != bit(k) || (p.complement() & bit(k)) != 0)
      found.push_back(k);
  return found;
}

}  // namespace bmmc
