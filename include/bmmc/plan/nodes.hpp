// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/error.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc {

namespace detail {
[[nodiscard]] constexpr unsigned bits_of_nodes(plan const& p, unsigned w) {
  if (w > p.proc_bits()) refuse({"nodes of ", bit(w), " processes, where there are ", p.procs()});
  return p.proc_bits() - w;
}
}  // namespace detail

/// What travels between nodes of 2^w processes that share memory, those whose numbers have the same
/// high bits. The nodes are the processes of a plan of their own, A = V W: a node permutes its
/// array by W, whole blocks change their node, and the node permutes what it then has. The blocks
/// lie one after another in the node's array, so each process sends just what its own part holds,
/// whole blocks or a part of one, to the process in its place of another node. Messages  at full
/// rank over 2^w nodes or more one for each pair of nodes, where a plan of
///           processes has 4^w; all processes of a node send equally many.
class node_plan {
 public:
  /// Throws bad_value for w > p.
  constexpr node_plan(plan const& p, unsigned w)
      : among_(p.physical(), detail::bits_of_nodes(p, w)),
        own_(among_.rank() > w ? among_.rank() - w : 0),
        message_elements_(p.chunk_elements() >> own_),
        moves_(moves_in_places(w)) {}

  /// The plan whose processes are the nodes.
  [[nodiscard]] constexpr plan const& among() const noexcept { return among_; }
  /// No element leaves its node.
  [[nodiscard]] constexpr bool is_within_nodes() const noexcept { return among_.is_local(); }

  /// Messages of a process, one to itself included where there is one, and the elements of each.
  [[nodiscard]] constexpr index_t messages() const noexcept { return bit(own_); }
  [[nodiscard]] constexpr index_t message_elements() const noexcept { return message_elements_; }
  /// All messages of all processes, as plan::moves(): block b of process k becomes block b of
  /// another process, in the same place of its node.
  [[nodiscard]] constexpr permutation<> const& moves() const noexcept { return moves_; }

  friend constexpr bool operator==(node_plan const&, node_plan const&) = default;

 private:
  /// Block b' of place l is block (l, b') of the node, or lies in block b with b the high bits of
  /// l.
  [[nodiscard]] constexpr permutation<> moves_in_places(unsigned w) const {
    const auto of_nodes = among_.moves();  // (b, node) -> (b, other node)
    const unsigned rank = among_.rank(), node = own_ + w;
    const unsigned shared = node - rank;  // bits that tell parts of one block apart
    auto a = identity_matrix(node + among_.proc_bits());
    for (unsigned b = 0; b < rank; ++b)
      a.column[b + shared] |= of_nodes.matrix().column[b] >> rank << node;
    for (unsigned k = 0; k < among_.proc_bits(); ++k)
      a.column[node + k] = of_nodes.matrix().column[rank + k] >> rank << node;
    return detail::known_nonsingular(a, of_nodes.complement() >> rank << node);
  }

  plan among_;
  unsigned own_;  // bits of blocks within a part
  index_t message_elements_;
  permutation<> moves_;
};

}  // namespace bmmc
