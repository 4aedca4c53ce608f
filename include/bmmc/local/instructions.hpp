// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/avx2.hpp>
#include <bmmc/local/avx512.hpp>
#include <bmmc/local/neon.hpp>

namespace bmmc::local {

/// Instruction sets that passes over lines are written for; `portable` stands for none of them.
enum class instructions { portable, neon, avx2, avx512 };

/// Whether this machine has them.
[[nodiscard]] inline bool available(instructions set) noexcept {
  switch (set) {
    case instructions::portable: return true;
#if defined(__x86_64__) && defined(__GNUC__)
    case instructions::avx2: return __builtin_cpu_supports("avx2") != 0;
    case instructions::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512vbmi") != 0;
#elif defined(__aarch64__) && defined(__ARM_NEON)
    case instructions::neon: return true;
#endif
    default: return false;
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

/// Moves tiles [first, last) of a line plan. The set must be available and not `portable`.
inline void move_lines(instructions set, line_plan const& p, line_job const& job, index_t first,
                       index_t last) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (set == instructions::avx512)
    avx512::move_lines(p, job, first, last);
  else
    avx2::move_lines(p, job, first, last);
#elif defined(__aarch64__) && defined(__ARM_NEON)
  neon::move_lines(p, job, first, last);
  static_cast<void>(set);
#else
  static_cast<void>(set), static_cast<void>(p), static_cast<void>(job);
  static_cast<void>(first), static_cast<void>(last);
#endif
}

}  // namespace bmmc::local
