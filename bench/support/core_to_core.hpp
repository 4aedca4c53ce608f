// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "support/measure.hpp"

namespace measure {

/// The first two processes hand a word to and fro, where they share memory: how many nanoseconds it
/// takes from core to core. Some 30 where both share a last-level cache, 100 and more where not; on
/// a virtual machine that may change at any time, and ways through the caches with it.
class core_to_core {
 public:
  /// Collective.
  core_to_core() {
    int rank = 0, procs = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
    MPI_Comm_rank(node_, &place_);
    MPI_Comm_size(node_, &procs);
    void* memory = nullptr;
    MPI_Aint bytes = place_ == 0 ? 4096 : 0;
    int unit = 1;
    MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, node_, &memory, &window_);
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory);
    word_ = static_cast<std::atomic<int>*>(memory);
    if (place_ == 0) new (word_) std::atomic<int>(0);
    is_on_ = procs > 1;
    MPI_Barrier(node_);
  }
  core_to_core(core_to_core const&) = delete;
  core_to_core& operator=(core_to_core const&) = delete;
  ~core_to_core() {
    MPI_Win_free(&window_);
    MPI_Comm_free(&node_);
  }

  /// Collective: the least of some turns; 0 where there are no two.
  [[nodiscard]] double nanoseconds() {
    double least = 0;
    for (int turn = 0; turn < turns && is_on_; ++turn) {
      MPI_Barrier(node_);
      const double start = now();
      for (int k = 0; k < words && place_ < 2; ++k, next_ += 2) {
        for (int waits = 0; word_->load(std::memory_order_acquire) != next_ + place_;)
          if (++waits > 10000) std::this_thread::yield();  // perhaps both are on one core
        word_->store(next_ + place_ + 1, std::memory_order_release);
      }
      const double each = (now() - start) / (2 * words) * 1e9;
      least = turn == 0 ? each : std::min(least, each);
    }
    return least;
  }

 private:
  static constexpr int turns = 5, words = 200;

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  std::atomic<int>* word_ = nullptr;
  int place_ = 0, next_ = 0;
  bool is_on_ = false;
};

}  // namespace measure
