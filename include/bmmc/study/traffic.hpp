// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/index/bijection.hpp>
#include <bmmc/layout/blocks.hpp>
#include <bmmc/study/cube/contention.hpp>

namespace bmmc::network {

/// A message between two processes; its size is in elements or bytes, as the caller has it.
struct message {
  index_t source = 0, target = 0, size = 1;
  friend constexpr bool operator==(message const&, message const&) = default;
};

/// Messages that are under way at once, none from a process to itself.
using traffic = std::vector<message>;

/// Process k of `procs` sends one message to target_of(k).
template <class F>
[[nodiscard]] traffic traffic_of(index_t procs, F target_of, index_t size = 1) {
  traffic all;
  for (index_t k = 0; k < procs; ++k)
    if (const index_t target = target_of(k); target != k) all.push_back({k, target, size});
  return all;
}

/// What `permute` sends for a bijection of elements in blocks (layout::blocks): one message between
/// two processes, of as many elements as go from one to the other.
/// Cost    O(N) for N indices.
template <IndexBijection B>
[[nodiscard]] traffic traffic_of(B const& b, index_t procs, index_t element_size = 1) {
  const layout::blocks blocks(index_count(b), procs);
  traffic all;
  for (index_t k = 0; k < procs; ++k) {
    std::vector<index_t> sent(procs, 0);
    const index_t first = blocks.first(k);
    for (index_t x = first; x < first + blocks.count(k); ++x) ++sent[blocks.proc_of(b(x))];
    for (index_t target = 0; target < procs; ++target)
      if (target != k && sent[target] != 0) all.push_back({k, target, sent[target] * element_size});
  }
  return all;
}

/// All messages of a plan, each of message_elements() * element_size.
/// Cost    time and memory of procs() * messages() messages.
[[nodiscard]] inline traffic traffic_of(plan const& p, index_t element_size = 1) {
  traffic all;
  for (index_t k = 0; k < p.procs(); ++k)
    for (index_t s = 0; s < p.messages(); ++s)
      if (const index_t target = p.target(k, s); target != k)
        all.push_back({k, target, p.message_elements() * element_size});
  return all;
}
/// The messages of step s of a plan: a permutation of the processes.
[[nodiscard]] inline traffic traffic_of_step(plan const& p, index_t s, index_t element_size = 1) {
  return traffic_of(
      p.procs(), [&](index_t k) { return p.target(k, s); }, p.message_elements() * element_size);
}

/// The messages of a communication on a hypercube, of size 1.
[[nodiscard]] inline traffic traffic_of(cube::communication const& c) {
  traffic all;
  for (index_t x = 0; x < bit(c.map.matrix.cols()); ++x) {
    const index_t node = x & low_bits(c.dimensions()), other = c.map(x);
    if (node != other) all.push_back(c.pulled ? message{other, node, 1} : message{node, other, 1});
  }
  return all;
}

}  // namespace bmmc::network
