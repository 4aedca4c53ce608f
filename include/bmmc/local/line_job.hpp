// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/local/pair_plan.hpp>

#if defined(__clang__)
#define BMMC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BMMC_UNROLL _Pragma("GCC unroll 64")
#endif

namespace bmmc::local {

/// How far reading lines runs ahead of itself: enough to hide the latency of memory, few enough to
/// stay in the first-level cache, also where all of them fall into a few of its sets.
inline constexpr index_t lines_ahead = 64;

/// One run of a line_plan.
struct line_job {
  unsigned char const* source;
  unsigned char* target;
  line_step start;  // what the complement contributes
  bool streams;     // stores go past the caches; the target is aligned to lines
};

/// Lines that lie one after another.
inline constexpr auto packed_line = [] {
  std::array<index_t, 64> offset{};
  for (unsigned i = 0; i < offset.size(); ++i) offset[i] = i * line_bytes;
  return offset;
}();

}  // namespace bmmc::local
