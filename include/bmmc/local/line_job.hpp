// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/local/line_plan.hpp>

#if defined(__clang__)
#define BMMC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BMMC_UNROLL _Pragma("GCC unroll 64")
#endif

namespace bmmc::local {

/// How far reading lines runs ahead of itself: enough to hide the latency of memory, few enough to
/// stay in the first-level cache, also where all of them fall into a few of its sets.
#ifdef LAB
inline index_t lines_ahead = [] { return (index_t)atoi(getenv("AHEAD")); }();
#else
inline constexpr index_t lines_ahead = 96;
#endif

/// One run of a line_plan.
struct line_job {
  unsigned char const* source;
  unsigned char* target;
  line_step start;  // what the complement contributes
  bool streams;     // stores go past the caches; the target is aligned to lines
};

}  // namespace bmmc::local
