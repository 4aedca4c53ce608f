// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::local {

/// Runs work(first, last) over parts [0, parts). Models: sequential and parallel.
template <class E>
concept Threading =
    requires(E const& e, index_t parts, void (*work)(index_t, index_t)) { e(parts, work); };

/// One thread, the caller's: right where every core has a process already.
struct sequential {
  template <class Work>
  constexpr void operator()(index_t parts, Work work) const {
    work(index_t{0}, parts);
  }
};

/// OpenMP threads, as many as OpenMP would take or the number given. A program compiled without
/// OpenMP runs it sequentially.
struct parallel {
  int threads = 0;

  template <class Work>
  void operator()(index_t parts, Work work) const {
#if defined(_OPENMP)
    const auto most = static_cast<index_t>(threads > 0 ? threads : omp_get_max_threads());
    const auto workers = static_cast<int>(std::min(parts, most));
#pragma omp parallel num_threads(workers)
    {
      const auto count = static_cast<index_t>(omp_get_num_threads());
      const auto me = static_cast<index_t>(omp_get_thread_num());
      // The larger shares, if any, come first; parts * me could leave the word.
      const index_t share = parts / count, larger = parts % count;
      const index_t first = me * share + std::min(me, larger);
      const index_t last = first + share + (me < larger ? 1 : 0);
      if (first < last) work(first, last);
    }
#else
    work(index_t{0}, parts);
#endif
  }
};

static_assert(Threading<sequential> && Threading<parallel>);

}  // namespace bmmc::local
