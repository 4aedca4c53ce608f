// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>

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

}  // namespace bmmc::local
