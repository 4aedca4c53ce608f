// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#if defined(__unix__)
#include <unistd.h>
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include <bmmc/local/tuning/tuning.hpp>

namespace bmmc::local {

namespace detail {

BMMC_ONCE index_t cache_bytes([[maybe_unused]] unsigned level, index_t unknown) noexcept {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const int name = level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE;
  if (const long bytes = sysconf(name); bytes > 0) return static_cast<index_t>(bytes);
#endif
  return unknown;
}

}  // namespace detail

BMMC_ONCE index_t second_level_cache() noexcept { return detail::cache_bytes(2, index_t{1} << 20); }

BMMC_ONCE tile_shape fetched_tiles(index_t cache) noexcept {
  tile_shape s;
  s.tile = std::clamp(bmmc::detail::highest_one(cache / 8), 14U, 18U);
  s.caches_in_place = s.alternates_sets = true;
  s.direct_lines = 1;
  s.joins_pairs = true;
  s.growth = s.tile < 18 ? 1 : 0;  // 4-byte elements have rows of 2 KiB and of 512 bytes
  s.run = 14;
  s.rows_in_turn = 3;
  return s;
}

BMMC_ONCE tile_shape second_level_tiles(index_t cache) noexcept {
  tile_shape s = fetched_tiles(cache);
  s.tile = std::max(s.tile - 1, 14U);
  s.target_row = s.source_row;
  s.least_row = 9;
  s.lines_far_ahead = 256;
  s.growth = 1;
  s.grown_below = 9;
  s.run = page_bits;
  s.rows_in_turn = 0;
  s.second_level = true;
  s.direct_lines = 7;
  s.joins_pairs = false;
  s.alike = 5;
  return s;
}

BMMC_ONCE tile_shape one_length_tiles(index_t cache) noexcept {
  tile_shape s = second_level_tiles(cache);
  s.second_level = s.caches_in_place = s.alternates_sets = false;
  s.uneven_tile = fetched_tiles(cache).tile;
  s.interleaved = 2;
  s.shifted_piece = 9;
  s.rows_in_turn = 3;
  s.direct_lines = 2;
  s.direct_alike = 4;
  s.joins_pairs = true;
  return s;
}

BMMC_ONCE tile_shape one_size_tiles(index_t cache) noexcept {
  tile_shape s = fetched_tiles(cache);
  s.growth = 0;
  s.run = page_bits;
  s.rows_in_turn = 0;
  s.lines_far_ahead = 256;
  s.caches_in_place = s.alternates_sets = false;
  s.direct_lines = 7;
  s.joins_pairs = false;
  return s;
}

namespace detail {

#if defined(__x86_64__) && defined(__GNUC__)
/// The form for one of AMD's processors. Zen 4 is the one of its family, 25, with 1 MiB or more of
/// second level; Zen 5 is family 26.
[[nodiscard]] inline tile_shape shape_for_amd() noexcept {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool known = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0;
  const unsigned family = known ? (eax >> 8 & 0xf) + (eax >> 20 & 0xff) : 0;
  if (family == 26) return one_length_tiles();
  const bool is_zen_4 = family == 25 && second_level_cache() >= index_t{1} << 20;
  return is_zen_4 ? second_level_tiles() : one_size_tiles();
}
#endif

BMMC_ONCE tile_shape& process_shape() noexcept {
  static tile_shape shape = [] {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_is("amd") != 0) return shape_for_amd();
#endif
    return fetched_tiles();
  }();
  return shape;
}

}  // namespace detail

[[gnu::noinline]] BMMC_ONCE tile_shape default_shape() noexcept { return detail::process_shape(); }

BMMC_ONCE void set_default_shape(tile_shape const& shape) {
  require_room(shape);
  detail::process_shape() = shape;
}

BMMC_ONCE tuning tuning::for_part_of(index_t bytes) const noexcept {
  tuning t = *this;
  if (bytes >= stream_from) t.stream_from = 0;
  return t;
}

BMMC_ONCE tuning tuning::past_caches() const noexcept {
  tuning t = *this;
  t.stream_from = 0;
  return t;
}

BMMC_ONCE tuning tuning::from_memory() const noexcept {
  tuning t = past_caches();
  t.keeps_target = true;
  return t;
}

BMMC_ONCE tile_shape tuning::shifted_shape() const noexcept {
  tile_shape s = shape;
  s.target_row = std::max(s.target_row, 9U);
  s.uneven_tile = 0;                              // larger tiles have room
  s.least_target = std::max(s.least_target, 9U);  // a buffer costs less than short rows
  s.piece = s.shifted_piece;
  s.grown_tile = std::min(s.tile + s.growth, most_tile_bits);
  s.unit = most_unit_bits;
  return s;
}

BMMC_ONCE tile_shape tuning::joined_shape() const noexcept {
  tile_shape s = shape.uneven();
  s.tile = s.grown_tile = std::min(s.tile, 17U);
  return s;
}

BMMC_ONCE tile_shape tuning::target_order() const noexcept {
  tile_shape s = shape;
  s.target_row = page_bits;
  s.least_row = line_bits;
  s.alike = most_tile_bits;  // no page is looked for
  return s;
}

BMMC_ONCE tile_shape tuning::in_place_shape() const noexcept {
  tile_shape s = shape;
  s.is_square = true;
  s.target_row = s.source_row;
  s.tile = std::min(std::max(s.tile, s.uneven_tile), 17U);
  s.uneven_tile = 0;
  return s;
}

BMMC_ONCE tile_shape tuning::rows_in_place_shape() const noexcept {
  tile_shape s = in_place_shape();
  s.piece = s.shifted_piece;
  s.unit = most_unit_bits;
  return s;
}

}  // namespace bmmc::local
