// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/lines/pair_walk.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <bmmc/local/kernels/unroll.inc>

/// The line kernel for AVX2: a line is a pair of registers.
namespace bmmc::local::avx2 {

#define BMMC_TARGET __attribute__((target("avx2")))
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

struct line {
  __m256i half[2];
};
inline constexpr unsigned most_stages = 3;
inline constexpr bool lookup_is_cheap = false;

BMMC_INLINE line load(void const* from) {
  auto const* const p = static_cast<__m256i const*>(from);
  return {{_mm256_loadu_si256(p), _mm256_loadu_si256(p + 1)}};
}
BMMC_INLINE void store(void* to, line const& v) {
  auto* const p = static_cast<__m256i*>(to);
  _mm256_storeu_si256(p, v.half[0]);
  _mm256_storeu_si256(p + 1, v.half[1]);
}
BMMC_INLINE void stream(void* to, line const& v) {
  auto* const p = static_cast<__m256i*>(to);
  _mm256_stream_si256(p, v.half[0]);
  _mm256_stream_si256(p + 1, v.half[1]);
}
BMMC_INLINE void fence() { _mm_sfence(); }
BMMC_INLINE void prefetch(void const* from) {
  _mm_prefetch(static_cast<char const*>(from), _MM_HINT_T0);
}
BMMC_INLINE void prefetch_far(void const* from) {
  _mm_prefetch(static_cast<char const*>(from), _MM_HINT_T1);
}
/// Lanes [begin, end) alone.
BMMC_INLINE void store_lanes(unsigned char* to, line const& v, index_t begin, index_t end) {
  alignas(64) unsigned char lanes[line_bytes];
  store(lanes, v);
  std::memcpy(to + begin, lanes + begin, end - begin);
}
/// Lanes [begin, end), whole blocks of 16, past the caches.
BMMC_INLINE void stream_blocks(unsigned char* to, line const& v, index_t begin, index_t end) {
  alignas(64) unsigned char lanes[line_bytes];
  store(lanes, v);
  for (index_t i = begin; i < end; i += block_bytes)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<__m128i const*>(lanes + i)));
}
/// Lanes of a where all bits of the mask are set, and of b where none is.
BMMC_INLINE line select(line const& mask, line const& a, line const& b) {
  return {{_mm256_blendv_epi8(b.half[0], a.half[0], mask.half[0]),
           _mm256_blendv_epi8(b.half[1], a.half[1], mask.half[1])}};
}
/// Each lane becomes lane number `from` of v, where units of 4 bytes stay together: a lookup in
/// each half of the line, and a choice by lane bit 5, which `blendv` wants in the top bit.
BMMC_INLINE line lookup_words(line const& v, line const& from) {
  line w;
  BMMC_UNROLL
  for (unsigned h = 0; h < 2; ++h) {
    const __m256i i = _mm256_srli_epi32(from.half[h], 2);
    const __m256i low = _mm256_permutevar8x32_epi32(v.half[0], i);
    const __m256i high = _mm256_permutevar8x32_epi32(v.half[1], i);
    const __m256 bit5 = _mm256_castsi256_ps(_mm256_slli_epi32(from.half[h], 26));
    w.half[h] = _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), bit5));
  }
  return w;
}
/// The same for single bytes: a lookup in each quarter, and a choice by lane bits 4 and 5.
BMMC_INLINE line lookup_bytes(line const& v, line const& from) {
  const __m256i q0 = _mm256_permute2x128_si256(v.half[0], v.half[0], 0x00);
  const __m256i q1 = _mm256_permute2x128_si256(v.half[0], v.half[0], 0x11);
  const __m256i q2 = _mm256_permute2x128_si256(v.half[1], v.half[1], 0x00);
  const __m256i q3 = _mm256_permute2x128_si256(v.half[1], v.half[1], 0x11);
  line w;
  BMMC_UNROLL
  for (unsigned h = 0; h < 2; ++h) {
    const __m256i i = from.half[h];
    const __m256i bit4 = _mm256_slli_epi16(i, 3), bit5 = _mm256_slli_epi16(i, 2);
    const __m256i low =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(q0, i), _mm256_shuffle_epi8(q1, i), bit4);
    const __m256i high =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(q2, i), _mm256_shuffle_epi8(q3, i), bit4);
    w.half[h] = _mm256_blendv_epi8(low, high, bit5);
  }
  return w;
}
template <bool Words>
BMMC_INLINE line lookup(line const& v, line const& from) {
  if constexpr (Words)
    return lookup_words(v, from);
  else
    return lookup_bytes(v, from);
}
/// The lanes that a line is stored or loaded by in parts, each where it belongs: bit 5, the halves.
inline constexpr lane_word part_lanes = 32;
BMMC_INLINE void store_parts(unsigned char* target, index_t at, line const& v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + at), v.half[0]);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + (at ^ 32)), v.half[1]);
}
BMMC_INLINE void stream_parts(unsigned char* target, index_t at, line const& v) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(target + at), v.half[0]);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(target + (at ^ 32)), v.half[1]);
}
/// The same as a lookup inside of each half, where `from` is the lanes themselves, but for a number
/// added to all of them, and another one, `added`, is to come: words change places by bits 2 to 4,
/// bytes in a word by bits 0 and 1.
template <bool Words>
BMMC_INLINE line translate_parts(line const& v, line const& from, lane_word added) {
  const __m256i lane = _mm256_xor_si256(from.half[0], _mm256_set1_epi32(static_cast<int>(added)));
  const __m256i word = _mm256_srli_epi32(lane, 2);
  const __m256i words = _mm256_setr_epi32(0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404,
                                          0x08080808, 0x0c0c0c0c);
  const __m256i byte =
      _mm256_or_si256(words, _mm256_and_si256(lane, _mm256_set1_epi32(0x03030303)));
  line w;
  BMMC_UNROLL
  for (unsigned h = 0; h < 2; ++h) {
    w.half[h] = _mm256_permutevar8x32_epi32(v.half[h], word);
    if constexpr (!Words) w.half[h] = _mm256_shuffle_epi8(w.half[h], byte);
  }
  return w;
}
/// The line at `at` of `from`, translated. Bytes: quarters are loaded in the order of bits 4 and 5.
template <bool Words>
BMMC_INLINE line load_translated(unsigned char const* from, index_t at, line const& lanes,
                                 lane_word added) {
  const __m256i lane = _mm256_xor_si256(lanes.half[0], _mm256_set1_epi32(static_cast<int>(added)));
  const auto first = at ^ (static_cast<unsigned>(_mm256_cvtsi256_si32(lane)) & (Words ? 32 : 48));
  line w;
  BMMC_UNROLL
  for (unsigned h = 0; h < 2; ++h) {
    auto const* const low = reinterpret_cast<__m128i const*>(from + (first ^ 32 * h));
    auto const* const high = reinterpret_cast<__m128i const*>(from + (first ^ (32 * h + 16)));
    w.half[h] = Words ? _mm256_loadu_si256(reinterpret_cast<__m256i const*>(low))
                      : _mm256_shuffle_epi8(_mm256_loadu2_m128i(high, low), lane);
  }
  return Words ? translate_parts<Words>(w, lanes, added) : w;
}
/// Adds (exclusive or) a word to each word.
BMMC_INLINE line add(line const& v, lane_word word) {
  const __m256i all = _mm256_set1_epi32(static_cast<int>(word));
  return {{_mm256_xor_si256(v.half[0], all), _mm256_xor_si256(v.half[1], all)}};
}

template <unsigned Stage, unsigned R>
BMMC_INLINE void exchange_half(__m256i& a, __m256i& b) {
  const __m256i x = a;
  if constexpr (Stage == 1) {
    a = _mm256_permute2x128_si256(x, b, 0x20);
    b = _mm256_permute2x128_si256(x, b, 0x31);
  } else if constexpr (R == 3) {
    a = _mm256_unpacklo_epi64(x, b);
    b = _mm256_unpackhi_epi64(x, b);
  } else if constexpr (R == 4) {
    a = _mm256_unpacklo_epi32(x, b);
    b = _mm256_unpackhi_epi32(x, b);
  } else if constexpr (R == 5) {
    a = _mm256_unpacklo_epi16(x, b);
    b = _mm256_unpackhi_epi16(x, b);
  } else {
    a = _mm256_unpacklo_epi8(x, b);
    b = _mm256_unpackhi_epi8(x, b);
  }
}
/// Exchanges "which of the two lines" with lane bit 5 - Stage: see avx512.hpp.
template <unsigned Stage, unsigned R>
BMMC_INLINE void exchange(line& a, line& b) {
  if constexpr (Stage == 0) {
    const __m256i upper = a.half[1];
    a.half[1] = b.half[0];
    b.half[0] = upper;
  } else {
    exchange_half<Stage, R>(a.half[0], b.half[0]);
    exchange_half<Stage, R>(a.half[1], b.half[1]);
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

}  // namespace bmmc::local::avx2
#endif
