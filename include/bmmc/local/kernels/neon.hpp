// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/lines/pair_walk.hpp>

#if defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>

#include <bmmc/local/kernels/unroll.inc>

/// The line kernel for NEON: a line is four registers, which is what its table lookup takes.
namespace bmmc::local::neon {

#define BMMC_TARGET
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

using line = uint8x16x4_t;
inline constexpr unsigned most_stages = 2;
inline constexpr bool lookup_is_cheap = false;

BMMC_INLINE line load(void const* from) {
  return vld1q_u8_x4(static_cast<unsigned char const*>(from));
}
BMMC_INLINE void store(void* to, line const& v) { vst1q_u8_x4(static_cast<unsigned char*>(to), v); }
BMMC_INLINE void stream(void* to, line const& v) { store(to, v); }
BMMC_INLINE void fence() {}
BMMC_INLINE void prefetch(void const* from) { __builtin_prefetch(from, 0, 3); }
BMMC_INLINE void prefetch_far(void const* from) { __builtin_prefetch(from, 0, 2); }
/// Lanes [begin, end) alone.
BMMC_INLINE void store_lanes(unsigned char* to, line const& v, index_t begin, index_t end) {
  alignas(64) unsigned char lanes[line_bytes];
  store(lanes, v);
  std::memcpy(to + begin, lanes + begin, end - begin);
}
BMMC_INLINE void stream_blocks(unsigned char* to, line const& v, index_t begin, index_t end) {
  store_lanes(to, v, begin, end);
}
/// Lanes of a where all bits of the mask are set, and of b where none is.
BMMC_INLINE line select(line const& mask, line const& a, line const& b) {
  return {{vbslq_u8(mask.val[0], a.val[0], b.val[0]), vbslq_u8(mask.val[1], a.val[1], b.val[1]),
           vbslq_u8(mask.val[2], a.val[2], b.val[2]), vbslq_u8(mask.val[3], a.val[3], b.val[3])}};
}
/// Each lane becomes lane number `from` of v.
template <bool>
BMMC_INLINE line lookup(line const& v, line const& from) {
  return {{vqtbl4q_u8(v, from.val[0]), vqtbl4q_u8(v, from.val[1]), vqtbl4q_u8(v, from.val[2]),
           vqtbl4q_u8(v, from.val[3])}};
}
/// The lanes that a line is stored or loaded by in parts, each where it belongs: bits 4 and 5.
inline constexpr lane_word part_lanes = 48;
BMMC_INLINE void store_parts(unsigned char* target, index_t at, line const& v) {
  BMMC_UNROLL
  for (unsigned q = 0; q < 4; ++q) vst1q_u8(target + (at ^ 16 * q), v.val[q]);
}
BMMC_INLINE void stream_parts(unsigned char* target, index_t at, line const& v) {
  store_parts(target, at, v);
}
/// The same as a lookup inside of each quarter, where `from` is the lanes themselves, but for a
/// number added to all of them, and another one, `added`, is to come.
template <bool>
BMMC_INLINE line translate_parts(line const& v, line const& from, lane_word added) {
  const uint8x16_t lane = veorq_u8(from.val[0], vreinterpretq_u8_u32(vdupq_n_u32(added)));
  const uint8x16_t byte = vandq_u8(lane, vdupq_n_u8(15));
  return {{vqtbl1q_u8(v.val[0], byte), vqtbl1q_u8(v.val[1], byte), vqtbl1q_u8(v.val[2], byte),
           vqtbl1q_u8(v.val[3], byte)}};
}
/// The line at `at` of `from`, translated: its quarters are loaded in the order of bits 4 and 5.
template <bool Words>
BMMC_INLINE line load_translated(unsigned char const* from, index_t at, line const& lanes,
                                 lane_word added) {
  const index_t first = at ^ ((vgetq_lane_u8(lanes.val[0], 0) ^ added) & part_lanes);
  line w;
  BMMC_UNROLL
  for (unsigned q = 0; q < 4; ++q) w.val[q] = vld1q_u8(from + (first ^ 16 * q));
  return translate_parts<Words>(w, lanes, added);
}
/// Adds (exclusive or) a word to each word.
BMMC_INLINE line add(line const& v, lane_word word) {
  const uint8x16_t all = vreinterpretq_u8_u32(vdupq_n_u32(word));
  return {{veorq_u8(v.val[0], all), veorq_u8(v.val[1], all), veorq_u8(v.val[2], all),
           veorq_u8(v.val[3], all)}};
}

template <unsigned R>
BMMC_INLINE void zip(uint8x16_t& a, uint8x16_t& b) {
  const uint8x16_t x = a;
  if constexpr (R == 3) {
    a = vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(x), vreinterpretq_u64_u8(b)));
    b = vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(x), vreinterpretq_u64_u8(b)));
  } else if constexpr (R == 4) {
    a = vreinterpretq_u8_u32(vzip1q_u32(vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(b)));
    b = vreinterpretq_u8_u32(vzip2q_u32(vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(b)));
  } else if constexpr (R == 5) {
    a = vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(x), vreinterpretq_u16_u8(b)));
    b = vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(x), vreinterpretq_u16_u8(b)));
  } else {
    a = vzip1q_u8(x, b);
    b = vzip2q_u8(x, b);
  }
}
BMMC_INLINE void swap(uint8x16_t& a, uint8x16_t& b) {
  const uint8x16_t x = a;
  a = b;
  b = x;
}
/// Exchanges "which of the two lines" with lane bit 5 - Stage: see avx512.hpp.
template <unsigned Stage, unsigned R>
BMMC_INLINE void exchange(line& a, line& b) {
  if constexpr (Stage == 0) {
    swap(a.val[2], b.val[0]);
    swap(a.val[3], b.val[1]);
  } else if constexpr (Stage == 1) {
    swap(a.val[1], b.val[0]);
    swap(a.val[3], b.val[2]);
  } else {
    BMMC_UNROLL
    for (unsigned q = 0; q < 4; ++q) zip<R>(a.val[q], b.val[q]);
  }
}

#include <bmmc/local/kernels/lane_kernel.inc>

#include <bmmc/local/kernels/tile_kernel.inc>

#include <bmmc/local/kernels/buffer_kernel.inc>

#include <bmmc/local/kernels/mover_kernel.inc>

#include <bmmc/local/kernels/row_kernel.inc>

#include <bmmc/local/kernels/line_kernel.inc>

#include <bmmc/local/kernels/pair_kernel.inc>

#undef BMMC_INLINE
#undef BMMC_TARGET
#undef BMMC_UNROLL

}  // namespace bmmc::local::neon
#endif
