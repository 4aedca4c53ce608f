// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/window.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// A permutation of the elements of one node: each process holds a part, and all see a window. By
/// the plan of the node's processes, A = V W, a process writes W of its elements into its own part
/// of the window, and reads the blocks that are its own from the parts of others: two passes. For
/// arrays that lie in windows themselves one is enough: tiles of the node's array are shared out,
/// whoever they belong to.
template <class T>
class node_pass {
 public:
  node_pass() = default;
  /// `p` permutes the node's elements, of which process `place` of 2^bits has a part.
  node_pass(permutation<> const& p, unsigned bits, index_t place)
      : place_(place), procs_(bit(bits)), tiles_(p) {
    const plan among(p, bits);
    const auto scatter = among.scatter(place);
    gather_ = local::pass<T>(among.gather(place));
    scatter_ = local::pass<T>(affine_map{scatter.matrix(), scatter.complement()},
                              blocks_at(among.sources(place), p.bits() - bits));
  }

  /// Collective in the node. The source may be the target.
  void operator()(T const* source, T* target, comm::window const& w) const {
    gather_(source, reinterpret_cast<T*>(w.part()));
    w.synchronize();
    scatter_(reinterpret_cast<T const*>(w.array()), target);
    w.synchronize();  // before others write there again
  }
  /// The same from window to window.
  void operator()(comm::window const& source, comm::window const& target) const {
    target.synchronize();  // all are done with what it holds, and all of the source is there
    const index_t parts = tiles_.parts();
    const index_t first = parts * place_ / procs_, last = parts * (place_ + 1) / procs_;
    if (first < last)
      tiles_.run(reinterpret_cast<T const*>(source.array()), reinterpret_cast<T*>(target.array()),
                 first, last);
    target.synchronize();
  }

 private:
  /// Block b of 2^m elements lies in the part of process sources(b), at its own place there.
  [[nodiscard]] static affine_map blocks_at(affine_map const& sources, unsigned m) {
    const unsigned rank = sources.matrix.cols();
    affine_map at{{m + sources.matrix.rows(), m}, sources.offset << m};
    for (unsigned j = 0; j < m; ++j) at.matrix.column[j] = bit(j);
    for (unsigned b = 0; b < rank; ++b)
      at.matrix.column[m - rank + b] ^= sources.matrix.column[b] << m;
    return at;
  }

  index_t place_ = 0, procs_ = 1;
  local::pass<T> gather_, scatter_, tiles_;
};

}  // namespace bmmc::detail
