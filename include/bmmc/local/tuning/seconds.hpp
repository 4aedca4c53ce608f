// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ctime>

namespace bmmc::local::detail {

/// Seconds, by a clock that nobody sets where there is one. <chrono> takes long to compile.
[[nodiscard]] inline double now() noexcept {
  std::timespec time{};
#ifdef CLOCK_MONOTONIC
  ::clock_gettime(CLOCK_MONOTONIC, &time);
#else
  std::timespec_get(&time, TIME_UTC);
#endif
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace bmmc::local::detail
