// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/avx2.hpp>
#include <bmmc/local/avx512.hpp>
#include <bmmc/local/neon.hpp>

#undef BMMC_UNROLL

namespace bmmc::local {

/// Instruction sets that passes over lines are written for; `portable` stands for none of them.
enum class instructions { portable, neon, avx2, avx512 };

/// Whether this machine has them.
[[nodiscard]] inline bool available(instructions set) noexcept {
  switch (set) {
    case instructions::portable:
      return true;
#if defined(__x86_64__) && defined(__GNUC__)
    case instructions::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case instructions::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vbmi") != 0;
#elif defined(__aarch64__) && defined(__ARM_NEON)
    case instructions::neon:
      return true;
#endif
    default:
      return false;
  }
}

/// The best that this machine has. Asked once.
[[nodiscard]] inline instructions best_instructions() noexcept {
  static const instructions best = [] {
    for (auto set : {instructions::avx512, instructions::avx2, instructions::neon})
      if (available(set)) return set;
    return instructions::portable;
  }();
  return best;
}

/// Moves runs of tiles [first, last) of a line plan for elements of which 2^LgUnit bytes stay
/// together, at most a line. The set must be available and not `portable`.
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
/// The same for register tiles that change places.
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

#ifdef BMMC_COMPILED  // bmmc/compiled.hpp has them, once for a program
#define BMMC_KERNELS(lg_unit)                                                                  \
  extern template void move_lines<lg_unit>(instructions, line_plan const&, line_job const&,    \
                                           index_t, index_t);                                  \
  extern template void exchange_tiles<lg_unit>(instructions, pair_plan const&, line_job const&, \
                                               index_t, index_t);
BMMC_KERNELS(0)
BMMC_KERNELS(1)
BMMC_KERNELS(2)
BMMC_KERNELS(3)
BMMC_KERNELS(4)
BMMC_KERNELS(5)
BMMC_KERNELS(6)
#undef BMMC_KERNELS
#endif

}  // namespace bmmc::local
