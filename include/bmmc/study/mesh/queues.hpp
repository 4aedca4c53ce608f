// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include <bmmc/study/mesh/machine.hpp>

namespace bmmc::mesh {

/// The general algorithm with a queue at each element, so that it takes every permutation: step k
/// sends each datum whose target differs from its place in bit k to the neighbour 2^k away, and an
/// element may hold many data, or none, until all steps are through. Each round sends one datum of
/// every element that has one to send, with two routes, one for each direction.
/// After k steps an element holds data with its own k low bits as target and from sources with its
/// own n - k high bits: 2^min(k, n-k) at most. In step k at most 2^min(k, n-1-k) of them want the
/// same way, so R <= 4 (sqrt(N) - 1) and L <= 2 (N - 1) / 3 + n sqrt(N) / 2.
/// Returns the most data that an element held. Cost: O(N) for each unit route.
/// Source  Orcutt 1974, section VII, who has it from Lang and finds R = O(sqrt N), L = O(N).
inline std::size_t queued(machine& m) {
  std::vector<std::deque<word>> queue(m.size());  // in the elements' own memory
  m.everywhere([&](index_t i, registers& r) { queue[i] = {r.x}; });
  std::size_t longest = 1;
  const auto nothing = word{bit(m.bits()), 0};  // a tag of no element
  for (unsigned k = 0; k < m.bits(); ++k) {
    const auto wants = [k](index_t i, word const& w) { return ((i ^ w.tag) & bit(k)) != 0; };
    std::vector<std::deque<word>> sending(m.size());
    for (index_t i = 0; i < m.size(); ++i) {
      const auto stays = std::stable_partition(queue[i].begin(), queue[i].end(),
                                               [&](word const& w) { return !wants(i, w); });
      sending[i].assign(stays, queue[i].end());
      queue[i].erase(stays, queue[i].end());
    }
    const auto waits = [&](index_t i, registers const&) { return !sending[i].empty(); };
    while (m.any(waits)) {
      m.enable([](index_t, registers const&) { return true; });
      m.everywhere([&](index_t i, registers& r) {
        r.x = nothing;
        if (sending[i].empty()) return;
        r.x = sending[i].front();
        sending[i].pop_front();
      });
      for (const bool upwards : {true, false}) {
        const auto d = static_cast<std::int64_t>(bit(k));
        m.route(&registers::x, &registers::temp, upwards ? d : -d);
        m.everywhere([&](index_t i, registers& r) {  // from below to a 1, from above to a 0
          if (((i & bit(k)) != 0) == upwards && r.temp.tag != nothing.tag)
            queue[i].push_back(r.temp);
        });
      }
    }
    for (auto const& held : queue) longest = std::max(longest, held.size());
  }
  m.everywhere([&](index_t i, registers& r) { r.x = queue[i].front(); });
  return longest;
}

}  // namespace bmmc::mesh
