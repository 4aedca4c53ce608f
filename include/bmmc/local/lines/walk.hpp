// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::local {

/// Visits all sums of basis vectors, at most Most of them, in binary order: the state at count t is
/// the sum of the vectors that the 1s of t choose, and one exclusive or leads from each count to
/// the next, because t - 1 and t differ in the bits 0 .. ctz(t). A Step has ^= and is zero by
/// default.
template <class Step, unsigned Most = 64>
struct walk {
  std::array<Step, Most> prefix{};  // sums of the vectors 0 .. j
  unsigned count = 0;

  constexpr void append(Step v) noexcept {
    if (count > 0) v ^= prefix[count - 1];
    prefix[count++] = v;
  }
  /// From the state at count t - 1 to the one at count t > 0.
  constexpr void advance(Step& state, index_t t) const noexcept {
    state ^= prefix[static_cast<unsigned>(std::countr_zero(t))];
  }
  /// The state at count t, without the way there.
  [[nodiscard]] constexpr Step at(index_t t) const noexcept {
    Step state{};
    const index_t gray = t ^ (t >> 1);  // where t changes from bit to bit, a prefix ends
    for (unsigned j = 0; j < count; ++j)
      if (((gray >> j) & 1) != 0) state ^= prefix[j];
    return state;
  }
};

}  // namespace bmmc::local
