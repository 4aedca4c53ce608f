// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include <bmmc/local/box_kernel.hpp>

namespace bmmc::local {

namespace detail {

inline void copy_lines(unsigned char* to, unsigned char const* from, index_t lines) {
  std::memcpy(to, from, lines * 64);
}
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f"))) inline void copy_lines_avx512(unsigned char* to,
                                                                 unsigned char const* from,
                                                                 index_t lines) {
  for (; lines != 0; --lines, to += 64, from += 64)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}
inline void copy_lines_sse2(unsigned char* to, unsigned char const* from, index_t lines) {
  for (; lines != 0; --lines, to += 64, from += 64)
    for (index_t j = 0; j < 64; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + j),
                       _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + j)));
}
#endif

}  // namespace detail

BMMC_ONCE line_copy line_copy_of(instructions set) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (set == instructions::avx512) return detail::copy_lines_avx512;
  if (set == instructions::avx2) return detail::copy_lines_sse2;
#endif
  static_cast<void>(set);
  return detail::copy_lines;
}

}  // namespace bmmc::local
