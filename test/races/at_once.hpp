// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

/// What programs for ThreadSanitizer share: threads that begin together, and a count of what was
/// wrong beside.
namespace races {

/// Calls work(0) .. work(count - 1) on as many threads, which begin as near to each other as can be.
template <class Work>
void at_once(unsigned count, Work work) {
  std::barrier start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::jthread> all;
  for (unsigned k = 0; k < count; ++k)
    all.emplace_back([&start, &work, k] {
      start.arrive_and_wait();
      work(k);
    });
}

inline std::atomic<int> failures = 0;

inline void check(bool holds, char const* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what);
}
/// Of the program, but for what ThreadSanitizer finds.
[[nodiscard]] inline int status() { return failures == 0 ? 0 : 1; }

}  // namespace races
