// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/lines/pair_walk.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include <bmmc/local/kernels/unroll.inc>

/// The line kernel for AVX-512 with byte permutations (Ice Lake, Zen 4 and newer): a line is a
/// register. The masked forms of the intrinsics spare g++ 12 a false warning about an undefined
/// value; with all bits of the mask set they are the plain instructions.
namespace bmmc::local::avx512 {

#define BMMC_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

using line = __m512i;
inline constexpr unsigned most_stages = 4;  // 16 of 32 registers
inline constexpr bool lookup_is_cheap = true;

BMMC_INLINE line load(void const* from) { return _mm512_loadu_si512(from); }
BMMC_INLINE void store(void* to, line v) { _mm512_storeu_si512(to, v); }
BMMC_INLINE void stream(void* to, line v) { _mm512_stream_si512(static_cast<line*>(to), v); }
/// A line is stored as a whole: no lanes choose the place of a part.
inline constexpr lane_word part_lanes = 0;
BMMC_INLINE void store_parts(unsigned char* target, index_t at, line v) { store(target + at, v); }
BMMC_INLINE void stream_parts(unsigned char* target, index_t at, line v) { stream(target + at, v); }
BMMC_INLINE void fence() { _mm_sfence(); }
BMMC_INLINE void prefetch(void const* from) {
  _mm_prefetch(static_cast<char const*>(from), _MM_HINT_T0);
}
BMMC_INLINE void prefetch_far(void const* from) {
  _mm_prefetch(static_cast<char const*>(from), _MM_HINT_T1);
}
/// Lanes [begin, end) alone.
BMMC_INLINE void store_lanes(unsigned char* to, line v, index_t begin, index_t end) {
  const __mmask64 lanes =
      low_bits(static_cast<unsigned>(end)) & ~low_bits(static_cast<unsigned>(begin));
  _mm512_mask_storeu_epi8(to, lanes, v);
}
/// Lanes [begin, end), whole blocks of 16, past the caches.
BMMC_INLINE void stream_blocks(unsigned char* to, line v, index_t begin, index_t end) {
  alignas(64) unsigned char lanes[line_bytes];
  store(lanes, v);
  for (index_t i = begin; i < end; i += block_bytes)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_load_si128(reinterpret_cast<__m128i const*>(lanes + i)));
}
/// Lanes of a where all bits of the mask are set, and of b where none is.
BMMC_INLINE line select(line mask, line a, line b) {
  return _mm512_ternarylogic_epi64(mask, a, b, 0xca);
}
/// Each lane becomes lane number `from` of v.
template <bool>
BMMC_INLINE line lookup(line v, line from) {
  return _mm512_maskz_permutexvar_epi8(~__mmask64{0}, from, v);
}
/// The same for a line that begins `shift` bytes behind `from`, where a line of the machine begins:
/// its bytes are read from that one and from the next, and no others.
template <bool>
BMMC_INLINE line lookup_joined(unsigned char const* from, line lanes, index_t shift) {
  const __mmask64 in_second = low_bits(static_cast<unsigned>(shift));
  const line first = _mm512_maskz_loadu_epi8(~in_second, from);
  const line second = _mm512_maskz_loadu_epi8(in_second, from + line_bytes);
  const line both = _mm512_add_epi8(lanes, _mm512_set1_epi8(static_cast<char>(shift)));
  return _mm512_permutex2var_epi8(first, both, second);
}
/// Adds (exclusive or) a word to each word.
BMMC_INLINE line add(line v, lane_word word) {
  return _mm512_xor_si512(v, _mm512_set1_epi32(static_cast<int>(word)));
}

/// Exchanges "which of the two lines" with lane bit 5 - Stage. From stage 2 on it is the step of a
/// transposition of blocks of 64 >> R bytes that `unpack` makes: after stages 2 .. R-1 together
/// the bits are exchanged as they should.
template <unsigned Stage, unsigned R>
BMMC_INLINE void exchange(line& a, line& b) {
  constexpr __mmask8 all8 = 0xff;
  constexpr __mmask16 all16 = 0xffff;
  const line x = a;
  if constexpr (Stage == 0) {
    a = _mm512_maskz_shuffle_i64x2(all8, x, b, 0x44);
    b = _mm512_maskz_shuffle_i64x2(all8, x, b, 0xee);
  } else if constexpr (Stage == 1) {
    a = _mm512_permutex2var_epi64(x, _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0), b);
    b = _mm512_permutex2var_epi64(x, _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2), b);
  } else if constexpr (R == 3) {
    a = _mm512_maskz_unpacklo_epi64(all8, x, b);
    b = _mm512_maskz_unpackhi_epi64(all8, x, b);
  } else if constexpr (R == 4) {
    a = _mm512_maskz_unpacklo_epi32(all16, x, b);
    b = _mm512_maskz_unpackhi_epi32(all16, x, b);
  } else if constexpr (R == 5) {
    a = _mm512_unpacklo_epi16(x, b);
    b = _mm512_unpackhi_epi16(x, b);
  } else {
    a = _mm512_unpacklo_epi8(x, b);
    b = _mm512_unpackhi_epi8(x, b);
  }
}

#include <bmmc/local/kernels/lane_kernel.inc>

/// See word_lookups: one instruction makes a line from any words of 4 bytes of two lines.
template <unsigned R>
struct folded_lookups {
  static constexpr bool as_read = false, as_stored = false, folded = true;
  word_lookups const& words;
  line in, out;  // before steps add to them

  BMMC_INLINE folded_lookups(line_plan const& p, lane_word /*added*/)
      : words(p.words), in(load_words(words.in)), out(load_words(words.out)) {}
  BMMC_INLINE line read(lane_word twist) const { return add(in, word_lookups::number(twist)); }
  BMMC_INLINE line stored(lane_word lanes) const {
    return add(out, word_lookups::before_last(word_lookups::number(lanes), R));
  }
  /// Lines from `number` of the tables on.
  BMMC_INLINE void transpose(line* v, line words_in, line words_out, unsigned number) const {
    make_pairs<0>(v, words_in, &words.twist_in[number]);
    if constexpr (R > 2) exchange_words<1>(v);
    if constexpr (R > 3) exchange_words<2>(v);
    make_pairs<R - 1>(v, words_out, &words.twist_out[number]);
  }

 private:
  BMMC_INLINE static line load_words(std::array<std::uint8_t, 16> const& v) {
    return _mm512_maskz_cvtepu8_epi32(0xffff,
                                      _mm_loadu_si128(reinterpret_cast<__m128i const*>(v.data())));
  }
  template <unsigned Stage>
  BMMC_INLINE static void make_pairs(line* v, line from, lane_word const* twist) {
    constexpr unsigned distance = 1U << Stage;
    BMMC_UNROLL
    for (unsigned i = 0; i < (1U << R); ++i)
      if ((i & distance) == 0) {
        const line first = v[i], second = v[i | distance];
        v[i] = _mm512_permutex2var_epi32(first, add(from, twist[i]), second);
        v[i | distance] = _mm512_permutex2var_epi32(first, add(from, twist[i | distance]), second);
      }
  }
  template <unsigned Stage>
  BMMC_INLINE static void exchange_words(line* v) {
    constexpr unsigned distance = 1U << Stage, by_eight_bytes = 3;
    BMMC_UNROLL
    for (unsigned i = 0; i < (1U << R); ++i)
      if ((i & distance) == 0) exchange<Stage, by_eight_bytes>(v[i], v[i | distance]);
  }
};

#include <bmmc/local/kernels/tile_kernel.inc>

#include <bmmc/local/kernels/buffer_kernel.inc>

#include <bmmc/local/kernels/mover_kernel.inc>

#include <bmmc/local/kernels/row_kernel.inc>

#include <bmmc/local/kernels/line_kernel.inc>

#include <bmmc/local/kernels/pair_kernel.inc>

#undef BMMC_INLINE
#undef BMMC_TARGET
#undef BMMC_UNROLL

}  // namespace bmmc::local::avx512
#endif
