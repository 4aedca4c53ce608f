// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <string>

#include <bmmc/index/maps.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::cube {

/// Messages between the 2^n nodes of a hypercube, one end an affine function of the other: a
/// linear-complement communication. `matrix` has n rows and n columns, and r more where each node
/// has 2^r messages: they are numbered by r bits, which stand above the node's n.
///   push   message s of node x goes to map(x, s)     (LCP, and with a singular matrix LCG)
///   pull   message s of node y comes from map(y, s)  (LCS: a node may send to many)
/// Made by push(...), pull(...) and step(...), which check it.
/// Source  Hou, Wang, Ku, Hsu, IEEE Trans. Parallel and Distributed Systems, 2001, section 2.2.
struct communication {
  affine_map map{};
  bool pulled = false;

  [[nodiscard]] constexpr unsigned dimensions() const noexcept { return map.matrix.rows(); }
  [[nodiscard]] constexpr index_t nodes() const noexcept { return bit(dimensions()); }
  /// Bits that number the messages of a node: r.
  [[nodiscard]] constexpr unsigned message_bits() const noexcept {
    return map.matrix.cols() - dimensions();
  }
  friend constexpr bool operator==(communication const&, communication const&) = default;
};

namespace detail {
constexpr communication checked(affine_map const& map, bool pulled) {
  const unsigned n = map.matrix.rows(), columns = map.matrix.cols();
  if (n > most_bits || columns < n || columns > most_bits)
    throw bad_value("a matrix of " + std::to_string(n) + " x " + std::to_string(columns) +
                    " is no communication on a hypercube: it has n rows, and n to 63 columns");
  index_t used = map.complement;
  for (const index_t column : map.matrix.column) used |= column;
  if ((used & ~low_bits(n)) != 0)
    throw bad_value("node " + std::to_string(used) + " is beyond a hypercube of 2^" +
                    std::to_string(n));
  return {map, pulled};
}

/// The entries in these rows and columns; all others are cleared, which leaves the rank alone.
constexpr bit_matrix<> entries(bit_matrix<> a, index_t rows, index_t columns) noexcept {
  for (unsigned j = 0; j < a.cols(); ++j)
    a.column[j] = (columns & bit(j)) != 0 ? a.column[j] & rows : 0;
  return a;
}
}  // namespace detail

/// Node x sends to map(x). Throws bad_value unless map has n rows and n columns or more.
[[nodiscard]] constexpr communication push(affine_map const& map) {
  return detail::checked(map, false);
}
template <unsigned N>
[[nodiscard]] constexpr communication push(permutation<N> const& p) {
  return push(as_map(p));
}
/// Node y receives from map(y). Throws as push does.
[[nodiscard]] constexpr communication pull(affine_map const& map) {
  return detail::checked(map, true);
}

/// Step s of a plan: every process sends one message.
[[nodiscard]] constexpr communication step(plan const& p, index_t s) {
  affine_map map{{p.proc_bits(), p.proc_bits()}, p.target(0, s)};
  for (unsigned k = 0; k < p.proc_bits(); ++k)
    map.matrix.column[k] = p.target(bit(k), s) ^ map.complement;
  return push(map);
}
/// All steps of a plan at once: message s of process k goes to target(k, s).
[[nodiscard]] constexpr communication all_steps(plan const& p) {
  const auto first = step(p, 0).map;
  affine_map map{{p.proc_bits(), p.proc_bits() + p.rank()}, first.complement};
  for (unsigned k = 0; k < p.proc_bits(); ++k) map.matrix.column[k] = first.matrix.column[k];
  for (unsigned s = 0; s < p.rank(); ++s)
    map.matrix.column[p.proc_bits() + s] = p.target(0, bit(s)) ^ map.complement;
  return push(map);
}

/// No message leaves its node in dimension j: bit j is the same at both ends of all of them.
[[nodiscard]] constexpr bool stays(communication const& c, unsigned j) noexcept {
  for (unsigned k = 0; k < c.map.matrix.cols(); ++k)
    if (entry(c.map.matrix, j, k) != (k == j)) return false;
  return (c.map.complement & bit(j)) == 0;
}

/// T: the most messages that any channel of dimension j carries, where a message first crosses
/// those of its dimensions that `before` selects, then dimension j, then the others. Every channel
/// of the dimension carries as many, or none.
/// A channel fixes one end of its messages in the dimensions from j on and the other in those up
/// to j. So they are the solutions of linear equations: for a push those of `before` and j, in the
/// unknown source bits of `before`; for a pull those of j and the rest, in the target bits of the
/// rest; in both cases also in the bits that number messages.
/// Cost    O(n^2) word operations.
/// Source  Hou et al. 2001, theorem 1. It holds for a push only, and has one message for each node.
[[nodiscard]] constexpr index_t contention(communication const& c, index_t before, unsigned j) {
  if (stays(c, j)) return 0;
  const unsigned n = c.dimensions(), r = c.message_bits();
  const index_t unknown = c.pulled ? low_bits(n) & ~before & ~bit(j) : before;
  const auto a = detail::entries(c.map.matrix, unknown | bit(j), unknown | (low_bits(r) << n));
  return bit(static_cast<unsigned>(std::popcount(unknown)) + r - matrix_rank(a));
}

/// T_j: the same under e-cube routing, that is, in ascending order of dimensions.
[[nodiscard]] constexpr index_t contention(communication const& c, unsigned j) {
  return contention(c, low_bits(j), j);
}

/// The degree of contention: the largest T_j. 0 where no message leaves its node, and 1 where no
/// two meet. Cost: O(n^3) word operations.
[[nodiscard]] constexpr index_t contention(communication const& c) {
  index_t most = 0;
  for (unsigned j = 0; j < c.dimensions(); ++j) most = std::max(most, contention(c, j));
  return most;
}

/// The communication between nodes x' = q(x): A becomes Q A Q^-1, b becomes Q b where q is linear.
/// Throws bad_value where q has another number of bits. Source: Hou et al. 2001, theorem 2.
[[nodiscard]] constexpr communication remapped(communication const& c, permutation<> const& q) {
  const unsigned n = c.dimensions();
  bmmc::detail::require_same_bits(q.bits(), n);
  const auto back = inverse(q);
  communication after = c;
  for (unsigned k = 0; k < c.map.matrix.cols(); ++k)
    after.map.matrix.column[k] =
        q.matrix() * (c.map.matrix * (k < n ? back.matrix().column[k] : bit(k)));
  after.map.complement = q(c.map(back(0)));
  return after;
}

}  // namespace bmmc::cube
