// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#include <bmmc/local/boxes/box_kernel.hpp>
#include <bmmc/local/kernels/unroll.inc>

/// Elements in turn, with byte lookups in vectors: each line that is made is chosen from all lines
/// that are read.
namespace bmmc::local::detail {

/// Lines of 16 bytes: pick(to, how, l, from, at) makes line l of those at from[k] + at.
template <class Pick>
[[gnu::always_inline]] inline void interleave_short(interleave_job const& job, Pick pick) {
  interleaving const& how = *job.how;
  index_t turns = 0;
  for (; (turns + 1) * how.line <= job.bytes; ++turns)
    for (unsigned l = 0; l < how.rows; ++l)
      pick(job.to[l] + turns * job.to_step, how, l, job.from.data(), turns * job.from_step);
  const index_t rest = job.bytes - turns * how.line;
  if (rest == 0) return;
  // the last ones by way of whole lines; the bound tells compilers what fits, which else warn
  const auto part = [&](unsigned l, index_t step) {
    return std::min<index_t>(job.bytes_of(l, rest, step), interleaving::short_line);
  };
  unsigned char read[most_interleaved_short][interleaving::short_line] = {},
                made[interleaving::short_line];
  std::array<unsigned char const*, most_interleaved> from{};
  for (unsigned l = 0; l < how.rows; ++l) {
    copy_bytes(read[l], job.from[l] + turns * job.from_step, part(l, job.from_step));
    from[l] = read[l];
  }
  for (unsigned l = 0; l < how.rows; ++l) {
    pick(made, how, l, from.data(), 0);
    copy_bytes(job.to[l] + turns * job.to_step, made, part(l, job.to_step));
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
namespace interleave_avx512 {

#define BMMC_TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))
#define BMMC_INLINE BMMC_TARGET __attribute__((always_inline)) inline

/// The first bytes of a line.
inline __mmask64 first_bytes(index_t bytes) {
  return static_cast<__mmask64>(low_bits(static_cast<unsigned>(bytes)));
}

/// So many lines, each made of all that are read: each number is worth its own code.
template <unsigned Lines, class Load, class Store>
BMMC_INLINE void permuted_lines(interleaving const& how, Load load, Store store) {
  __m512i read[Lines + 1];
  BMMC_UNROLL
  for (unsigned l = 0; l < Lines; ++l) read[l] = load(l);
  read[Lines] = read[Lines - 1];  // where a pair lacks its second line
  BMMC_UNROLL
  for (unsigned l = 0; l < Lines; ++l) {
    // each lookup puts the bytes of two lines in the place of their indices
    __m512i v = _mm512_load_si512(how.from[l].data());
    BMMC_UNROLL
    for (unsigned k = 0; k < Lines; k += 2)
      v = _mm512_mask2_permutex2var_epi8(read[k], v, how.lanes[l][k / 2], read[k + 1]);
    store(l, v);
  }
}
template <unsigned Rows>
struct interleaver {
  interleave_job const& job;

  BMMC_TARGET void all() const {
    index_t turns = 0;
    for (; (turns + 1) * 64 <= job.bytes; ++turns)
      permuted_lines<Rows>(
          *job.how,
          [&](unsigned l)
              BMMC_TARGET { return _mm512_loadu_si512(job.from[l] + turns * job.from_step); },
          [&](unsigned l, __m512i v)
              BMMC_TARGET { _mm512_storeu_si512(job.to[l] + turns * job.to_step, v); });
    const index_t rest = job.bytes - turns * 64;
    if (rest == 0) return;
    const auto mask = [&](unsigned l, index_t step) {
      return first_bytes(job.bytes_of(l, rest, step));
    };
    permuted_lines<Rows>(
        *job.how,
        [&](unsigned l) BMMC_TARGET {
          return _mm512_maskz_loadu_epi8(mask(l, job.from_step),
                                         job.from[l] + turns * job.from_step);
        },
        [&](unsigned l, __m512i v) BMMC_TARGET {
          _mm512_mask_storeu_epi8(job.to[l] + turns * job.to_step, mask(l, job.to_step), v);
        });
  }
};
template <unsigned Rows = 2>
void interleave(interleave_job const& job) {
  if (job.how->rows == Rows) return interleaver<Rows>{job}.all();
  if constexpr (Rows < most_interleaved) return interleave<Rows + 1>(job);
}

/// Blocks of up to so many lines, each permuted by lookups.
template <unsigned Lines = 1>
BMMC_TARGET void permute_blocks(block_job const& job) {
  if (job.how->rows == Lines) {
    const auto last = first_bytes(job.unit - 64 * (Lines - 1));
    for (index_t j = 0; j < job.cols; ++j) {
      unsigned char const* const from = job.from + job.offsets[j];
      unsigned char* const to = job.to + j * job.unit;
      permuted_lines<Lines>(
          *job.how,
          [&](unsigned l) BMMC_TARGET {
            return l + 1 < Lines ? _mm512_loadu_si512(from + 64 * l)
                                 : _mm512_maskz_loadu_epi8(last, from + 64 * l);
          },
          [&](unsigned l, __m512i v) BMMC_TARGET {
            if (l + 1 < Lines)
              _mm512_storeu_si512(to + 64 * l, v);
            else
              _mm512_mask_storeu_epi8(to + 64 * l, last, v);
          });
    }
    return;
  }
  if constexpr (Lines < most_interleaved) return permute_blocks<Lines + 1>(job);
}

#undef BMMC_INLINE
#undef BMMC_TARGET

}  // namespace interleave_avx512

namespace interleave_avx2 {

#define BMMC_TARGET __attribute__((target("avx2")))

BMMC_TARGET inline __m128i load(unsigned char const* from) {
  return _mm_loadu_si128(reinterpret_cast<__m128i const*>(from));
}
template <class = void>
BMMC_TARGET void interleave(interleave_job const& job) {
  interleave_short(job, [](unsigned char* to, interleaving const& how, unsigned made,
                           unsigned char const* const* from, index_t at) BMMC_TARGET {
    __m128i v = _mm_setzero_si128();
    for (unsigned k = 0; k < how.rows; ++k)
      v = _mm_or_si128(v, _mm_shuffle_epi8(load(from[k] + at), load(how.picked[made][k].data())));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  });
}

#undef BMMC_TARGET

}  // namespace interleave_avx2
#elif defined(__aarch64__) && defined(__ARM_NEON)
namespace interleave_neon {

template <class = void>
void interleave(interleave_job const& job) {
  interleave_short(job, [](unsigned char* to, interleaving const& how, unsigned made,
                           unsigned char const* const* from, index_t at) {
    uint8x16_t v = vdupq_n_u8(0);
    for (unsigned k = 0; k < how.rows; ++k)
      v = vorrq_u8(v, vqtbl1q_u8(vld1q_u8(from[k] + at), vld1q_u8(how.picked[made][k].data())));
    vst1q_u8(to, v);
  });
}

}  // namespace interleave_neon
#endif

template <class>
void add_interleaving([[maybe_unused]] box_moves& moves, [[maybe_unused]] instructions set) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (set == instructions::avx512) {
    moves.interleave = interleave_avx512::interleave<>;
    moves.blocks = interleave_avx512::permute_blocks<>;
  }
  if (set == instructions::avx2) moves.interleave = interleave_avx2::interleave<>;
#elif defined(__aarch64__) && defined(__ARM_NEON)
  if (set == instructions::neon) moves.interleave = interleave_neon::interleave<>;
#endif
  moves.interleaved = set == instructions::avx512 ? 64 : interleaving::short_line;
}

}  // namespace bmmc::local::detail

#undef BMMC_UNROLL
