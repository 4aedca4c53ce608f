// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <numeric>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"

/// What each process holds of any number of elements, found by dealing them out one by one. The
/// payload is the source index.
namespace dealt {

using bmmc::index_t;
using list = std::vector<index_t>;

inline index_t procs() { return static_cast<index_t>(agreed::procs()); }

inline list inverse_of(list const& targets) {
  list sources(targets.size());
  for (index_t x = 0; x < targets.size(); ++x) sources[targets[x]] = x;
  return sources;
}
/// This process's part: as many for each as dealing one by one gives, side by side.
inline list part(list const& whole) {
  list held(procs(), 0);
  for (index_t x = 0; x < whole.size(); ++x) ++held[x % procs()];
  const auto me = std::ptrdiff_t(cases::proc());
  const auto first = std::accumulate(held.begin(), held.begin() + me, std::ptrdiff_t{0});
  return {whole.begin() + first, whole.begin() + first + std::ptrdiff_t(held[std::size_t(me)])};
}
/// The source indices that this process holds before a permutation.
inline list start(index_t n) {
  list all(n);
  std::iota(all.begin(), all.end(), index_t{0});
  return part(all);
}

}  // namespace dealt
