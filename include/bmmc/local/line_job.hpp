// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include <bmmc/local/pair_plan.hpp>

#if defined(__clang__)
#define BMMC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define BMMC_UNROLL _Pragma("GCC unroll 64")
#endif

namespace bmmc::local {

/// How far reading lines runs ahead of itself: enough to hide the latency of the second-level
/// cache, few enough to stay in the first, also where all of them fall into a few of its sets.
inline constexpr index_t lines_ahead = 64;

/// And how far lines are fetched from memory to the second-level cache: a tile, and no less than
/// this.
inline constexpr index_t lines_far_ahead = 512;

/// Bounds of what a line_plan has: bytes of a band, and numbers of the rows of a run.
inline constexpr unsigned most_band_bits = 15;
inline constexpr unsigned most_number_bits = 11;
static_assert(buffer_bits / 2 + most_run_bits <= most_number_bits);  // 2^8 rows of 2^8 bytes

/// How many joined rows ahead the lines at their ends are fetched where the target is not aligned.
inline constexpr index_t rows_ahead = 8;

[[nodiscard]] inline index_t address(void const* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// Fetches a line that is written soon.
inline void prefetch_write(void const* line) noexcept { __builtin_prefetch(line, 1, 3); }

/// How a target is written: in small arrays into the caches; past them where all of its lines are
/// whole lines of the machine; and where they are not, by way of a buffer for whole rows.
enum class stores { in_cache, past_cache, staged };

/// Where the lines of register tiles lie, apart from the offset of each tile.
struct tile_place {
  unsigned char const* source;
  index_t const* source_line;
  unsigned char* target;
  index_t const* target_line;
};
/// Moves the register tiles of steps [t, end) of a walk, from where it is at t.
using tile_mover = void (*)(line_plan const& p, tile_place const& place, index_t source,
                            index_t target, lane_word lanes, index_t t, index_t end);

/// One run of a line_plan.
struct line_job {
  unsigned char const* source;
  unsigned char* target;
  line_step start;  // what the complement contributes
  local::stores stores;
  tile_mover move = nullptr;
};

/// Lines that lie one after another.
inline constexpr auto packed_line = [] {
  std::array<index_t, 64> offset{};
  for (unsigned i = 0; i < offset.size(); ++i) offset[i] = i * line_bytes;
  return offset;
}();

}  // namespace bmmc::local
