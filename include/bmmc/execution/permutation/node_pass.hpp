// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/window.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/handover.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// A permutation of the elements of one node: each process holds a part, and all see a window. By
/// the plan of the node's processes, A = V W, a process writes W of its elements into its own part
/// of the window, and reads the blocks that are its own from the parts of others: two passes. For
/// arrays that lie in windows themselves one is enough: tiles of the node's array are shared out,
/// whoever they belong to. Windows may have been made for another communicator of these processes:
/// barriers are those of the node that is given, with whose communicator no other thread calls.
class node_pass {
 public:
  node_pass() = default;
  /// `p` permutes the node's elements, of which each of its processes has a part. Tiles are dealt
  /// out by number, so all processes of the node have the same tuning. The node outlives this.
  node_pass(permutation<> const& p, comm::node const& node, element_kind const& element,
            local::tuning const& agreed)
      : node_(&node), place_(static_cast<index_t>(node.place())), procs_(bit(node.bits())) {
    tiles_ = element.pass(p, agreed);
    const plan among(p, node.bits());
    const index_t place = place_;
    handover_ = handover<>(among.chunk_elements() * element.bytes());
    gather_ = element.pass(among.gather(place), handover_.writing());
    scatter_ =
        element.pass(as_map(among.scatter(place)),
                     blocks_at(among.sources(place), p.bits() - node.bits()), handover_.reading());
  }

  /// Collective in the node. The source may be the target. `waits`: for others to have read the
  /// window.
  void operator()(void const* source, void* target, comm::window const& w, bool waits) {
    handover_.prepare(gather_, scatter_);
    handover_.timed([&] { gather_(source, w.part()); });
    node_->synchronize();
    handover_.timed([&] { scatter_(w.array(), target); });
    if (waits) node_->synchronize();
    handover_.end_call();
  }
  /// The same from window to window.
  void operator()(comm::window const& source, comm::window const& target) const {
    node_->synchronize();  // all are done with what it holds, and all of the source is there
    const index_t parts = tiles_.parts(target.array());
    const index_t first = parts * place_ / procs_, last = parts * (place_ + 1) / procs_;
    if (first < last) tiles_.run(source.array(), target.array(), first, last);
    node_->synchronize();
  }

 private:
  /// Block b of 2^m elements lies in the part of process sources(b), at its own place there.
  [[nodiscard]] static affine_map blocks_at(affine_map const& sources, unsigned m) {
    const unsigned rank = sources.matrix.cols();
    affine_map at{{m + sources.matrix.rows(), m}, sources.complement << m};
    for (unsigned j = 0; j < m; ++j) at.matrix.column[j] = bit(j);
    for (unsigned b = 0; b < rank; ++b)
      at.matrix.column[m - rank + b] ^= sources.matrix.column[b] << m;
    return at;
  }

  comm::node const* node_ = nullptr;
  index_t place_ = 0, procs_ = 1;
  any_pass gather_, scatter_, tiles_;
  handover<> handover_;
};

}  // namespace bmmc::detail
