// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>

#include <bmmc/comm/shared_vector.hpp>

#include "support/measure.hpp"

namespace measure {

/// The first two processes of a node hand a word to and fro: how many nanoseconds it takes from
/// core to core. Some 30 where both share a last-level cache, 100 and more where not; on a virtual
/// machine that may change at any time, and ways through the caches with it.
class core_to_core {
 public:
  /// Collective: the least of some turns; 0 where there are no two.
  [[nodiscard]] double nanoseconds() {
    auto const& node = *memory_.memory().owner();
    const std::atomic_ref word(*reinterpret_cast<int*>(memory_.memory().array()));
    double least = 0;
    for (int turn = 0; turn < turns && node.processes() > 1; ++turn) {
      memory_.memory().synchronize();
      const double start = now();
      for (int k = 0; k < words && node.place() < 2; ++k, next_ += 2) {
        for (int waits = 0; word.load(std::memory_order_acquire) != next_ + node.place();)
          if (++waits > 10000) std::this_thread::yield();  // perhaps both are on one core
        word.store(next_ + node.place() + 1, std::memory_order_release);
      }
      const double each = (now() - start) / (2 * words) * 1e9;
      least = turn == 0 ? each : std::min(least, each);
    }
    return least;
  }

 private:
  static constexpr int turns = 5, words = 200;

  bmmc::shared_vector<int> memory_{MPI_COMM_WORLD, 1};
  int next_ = 0;
};

}  // namespace measure
