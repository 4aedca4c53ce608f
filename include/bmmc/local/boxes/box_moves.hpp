// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include <bmmc/local/boxes/interleave_moves.hpp>
#include <bmmc/local/kernels/unroll.inc>

namespace bmmc::local {

#if defined(__x86_64__) && defined(__GNUC__)
/// For AVX-512: a vector is a line. The masked forms spare g++ 12 a false warning, see avx512.hpp.
namespace detail::boxes_avx512 {

#define BMMC_TARGET __attribute__((target("avx512f,avx512bw")))
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

using vector = __m512i;
inline constexpr unsigned most_side = 16;  // vectors of a square of 32 bytes: half of the registers

BMMC_INLINE void store(void* to, vector v) { _mm512_storeu_si512(to, v); }
BMMC_INLINE void stream(void* to, vector v) { _mm512_stream_si512(static_cast<vector*>(to), v); }
BMMC_INLINE vector load(void const* from) { return _mm512_loadu_si512(from); }
BMMC_INLINE void copy_line(unsigned char* to, unsigned char const* from) { store(to, load(from)); }
BMMC_INLINE void stream_line(unsigned char* to, unsigned char const* from) {
  stream(to, load(from));
}
/// The last `lead` bytes of a line, and those from `next` on.
BMMC_INLINE void stream_joined(unsigned char* to, unsigned char const* line,
                               unsigned char const* next, index_t lead) {
  const auto first = static_cast<__mmask64>(low_bits(static_cast<unsigned>(lead)));
  const vector v = _mm512_maskz_loadu_epi8(first, line + 64 - lead);
  stream(to, _mm512_mask_loadu_epi8(v, ~first, next - lead));
}
/// Stores the first bytes of a vector alone, which is as fast as all of it.
inline constexpr bool stores_parts = true;
struct part_stores {
  __mmask64 lanes;
  explicit part_stores(index_t bytes) : lanes(low_bits(static_cast<unsigned>(bytes))) {}
  BMMC_INLINE void operator()(unsigned char* to, vector v) const {
    _mm512_mask_storeu_epi8(to, lanes, v);
  }
};
/// For joined(): so many lanes of 4 bytes.
BMMC_INLINE vector lanes_before(std::uint32_t count) {
  const vector from =
      _mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16);
  return _mm512_sub_epi32(from, _mm512_set1_epi32(static_cast<int>(count)));
}
/// So many of the last lanes of a, and the first ones of b behind them.
BMMC_INLINE vector joined(vector a, vector count, vector b) {
  return _mm512_permutex2var_epi32(a, count, b);
}
/// `Bytes` of every `Step`th column: 16, or 32.
template <unsigned Bytes, unsigned Step, class Columns>
BMMC_INLINE vector load_pieces(Columns columns, index_t at) {
  const auto piece = [&](unsigned k) BMMC_TARGET {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(columns[k * Step] + at));
  };
  const auto half = [&](unsigned k) BMMC_TARGET {
    return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(columns[k * Step] + at));
  };
  if constexpr (Bytes == 32)
    return _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(half(0)), half(1), 1);
  vector v = _mm512_zextsi128_si512(piece(0));
  v = _mm512_inserti32x4(v, piece(1), 1);
  v = _mm512_inserti32x4(v, piece(2), 2);
  return _mm512_inserti32x4(v, piece(3), 3);
}
/// Every other block of 16 bytes, of a and then of b: from the first on, and from the second on.
BMMC_INLINE void unzip_blocks(vector a, vector b, vector& even, vector& odd) {
  even = _mm512_maskz_shuffle_i64x2(0xff, a, b, 0x88);
  odd = _mm512_maskz_shuffle_i64x2(0xff, a, b, 0xdd);
}
/// Elements of a and b in turn, in each 16 bytes: of the lower halves, and of the upper ones.
template <unsigned Unit>
BMMC_INLINE void zip(vector a, vector b, vector& low, vector& high) {
  if constexpr (Unit == 8) {
    low = _mm512_maskz_unpacklo_epi64(0xff, a, b);
    high = _mm512_maskz_unpackhi_epi64(0xff, a, b);
  } else if constexpr (Unit == 4) {
    low = _mm512_maskz_unpacklo_epi32(0xffff, a, b);
    high = _mm512_maskz_unpackhi_epi32(0xffff, a, b);
  } else if constexpr (Unit == 2) {
    low = _mm512_unpacklo_epi16(a, b);
    high = _mm512_unpackhi_epi16(a, b);
  } else {
    low = _mm512_unpacklo_epi8(a, b);
    high = _mm512_unpackhi_epi8(a, b);
  }
}

#include <bmmc/local/boxes/box_kernel.inc>
#include <bmmc/local/boxes/box_lines.inc>

template <unsigned Unit>
constexpr auto to_lines() -> void (*)(line_piece_job const&) {
  return transpose_to_lines<Unit>;
}

#include <bmmc/local/boxes/run_kernel.inc>

#undef BMMC_INLINE
#undef BMMC_TARGET

}  // namespace detail::boxes_avx512

/// For AVX2: a vector is half a line.
namespace detail::boxes_avx2 {

#define BMMC_TARGET __attribute__((target("avx2")))
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

using vector = __m256i;
inline constexpr unsigned most_side = 0;  // no such squares: they gained nothing

BMMC_INLINE void store(void* to, vector v) { _mm256_storeu_si256(static_cast<vector*>(to), v); }
BMMC_INLINE void stream(void* to, vector v) { _mm256_stream_si256(static_cast<vector*>(to), v); }
BMMC_INLINE vector load(unsigned char const* from) {
  return _mm256_loadu_si256(reinterpret_cast<vector const*>(from));
}
BMMC_INLINE void copy_line(unsigned char* to, unsigned char const* from) {
  const vector low = load(from), high = load(from + 32);
  store(to, low);
  store(to + 32, high);
}
BMMC_INLINE void stream_line(unsigned char* to, unsigned char const* from) {
  stream(to, load(from));
  stream(to + 32, load(from + 32));
}
/// The last `lead` bytes of a line, and those from `next` on: a line at least.
BMMC_INLINE void stream_joined(unsigned char* to, unsigned char const* line,
                               unsigned char const* next, index_t lead) {
  alignas(64) unsigned char joined[128];
  copy_line(joined, line);
  copy_line(joined + 64, next);
  stream_line(to, joined + 64 - lead);
}
inline constexpr bool stores_parts = false;
struct part_stores {};
template <unsigned, unsigned Step, class Columns>
BMMC_INLINE vector load_pieces(Columns columns, index_t at) {
  const auto piece = [&](unsigned k) BMMC_TARGET {
    return _mm_loadu_si128(reinterpret_cast<__m128i const*>(columns[k * Step] + at));
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(piece(0)), piece(1), 1);
}
template <unsigned Unit>
BMMC_INLINE void zip(vector a, vector b, vector& low, vector& high) {
  if constexpr (Unit == 8) {
    low = _mm256_unpacklo_epi64(a, b);
    high = _mm256_unpackhi_epi64(a, b);
  } else if constexpr (Unit == 4) {
    low = _mm256_unpacklo_epi32(a, b);
    high = _mm256_unpackhi_epi32(a, b);
  } else if constexpr (Unit == 2) {
    low = _mm256_unpacklo_epi16(a, b);
    high = _mm256_unpackhi_epi16(a, b);
  } else {
    low = _mm256_unpacklo_epi8(a, b);
    high = _mm256_unpackhi_epi8(a, b);
  }
}

#include <bmmc/local/boxes/box_kernel.inc>

/// Half a line at a time would be written to memory twice.
template <unsigned Unit>
constexpr auto to_lines() -> void (*)(line_piece_job const&) {
  return nullptr;
}

#include <bmmc/local/boxes/run_kernel.inc>

#undef BMMC_INLINE
#undef BMMC_TARGET

}  // namespace detail::boxes_avx2
#endif

/// For all others, with the compiler's vectors of 16 bytes.
namespace detail::boxes_portable {

#define BMMC_TARGET
inline void copy_line(unsigned char* to, unsigned char const* from) { std::memcpy(to, from, 64); }
inline void stream_line(unsigned char* to, unsigned char const* from) { copy_line(to, from); }
inline void stream_joined(unsigned char* to, unsigned char const* line, unsigned char const* next,
                          index_t lead) {
  std::memcpy(to, line + 64 - lead, lead);
  std::memcpy(to + lead, next, 64 - lead);
}
template <unsigned Unit>
void transpose_wide(piece_job const& p) {
  transpose_piece<Unit>(p);
}
template <unsigned Unit>
constexpr auto to_lines() -> void (*)(line_piece_job const&) {
  return nullptr;
}

#include <bmmc/local/boxes/run_kernel.inc>

#undef BMMC_TARGET

}  // namespace detail::boxes_portable

#undef BMMC_UNROLL

template <class>
box_moves box_moves_of(instructions set, index_t unit) {
  const auto made = [=] {
#if defined(__x86_64__) && defined(__GNUC__)
    if (set == instructions::avx512) return detail::boxes_avx512::moves_of(unit);
    if (set == instructions::avx2) return detail::boxes_avx2::moves_of(unit);
#endif
    return detail::boxes_portable::moves_of(unit);
  };
  box_moves moves = made();
  detail::add_interleaving(moves, set);
  return moves;
}

}  // namespace bmmc::local
