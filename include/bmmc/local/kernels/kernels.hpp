// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/kernels/avx2.hpp>
#include <bmmc/local/kernels/avx512.hpp>
#include <bmmc/local/kernels/moves.hpp>
#include <bmmc/local/kernels/neon.hpp>

namespace bmmc::local {

template <unsigned LgUnit>
void move_lines([[maybe_unused]] instructions set, [[maybe_unused]] line_plan const& p,
                [[maybe_unused]] line_job const& job, [[maybe_unused]] index_t first,
                [[maybe_unused]] index_t last) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (set == instructions::avx512) return avx512::move_lines_of<LgUnit>(p, job, first, last);
  avx2::move_lines_of<LgUnit>(p, job, first, last);
#elif defined(__aarch64__) && defined(__ARM_NEON)
  neon::move_lines_of<LgUnit>(p, job, first, last);
#endif
}
template <unsigned LgUnit>
void exchange_tiles([[maybe_unused]] instructions set, [[maybe_unused]] pair_plan const& p,
                    [[maybe_unused]] line_job const& job, [[maybe_unused]] index_t first,
                    [[maybe_unused]] index_t last) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (set == instructions::avx512) return avx512::exchange_tiles_of<LgUnit>(p, job, first, last);
  avx2::exchange_tiles_of<LgUnit>(p, job, first, last);
#elif defined(__aarch64__) && defined(__ARM_NEON)
  neon::exchange_tiles_of<LgUnit>(p, job, first, last);
#endif
}

}  // namespace bmmc::local
