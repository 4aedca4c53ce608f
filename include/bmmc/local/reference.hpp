// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <memory>
#include <type_traits>

#include <bmmc/index/permutation.hpp>

namespace bmmc::local {

/// target[p(x)] = source[x] for all x < 2^n, one element at a time in Gray-code order, so that each
/// index costs one exclusive or. A Source that is not const is moved from.
/// Cost    N element copies and 2 N word operations; no allocation. Every access may miss the
///         cache. Nothing is checked: the arrays hold 2^n elements each and do not overlap.
/// Source  Cormen 1997, appendix B.
template <class Source, class Target>
constexpr void gray_code_loop(Source* source, Target* target, permutation<> const& p) {
  constexpr bool may_move = !std::is_const_v<Source>;
  const index_t count = bit(p.bits());
  index_t x = 0, y = p.complement();
  for (index_t step = 1;; ++step) {
    if constexpr (may_move)
      target[y] = std::move(source[x]);
    else
      target[y] = source[x];
    if (step == count) return;
    const auto j = static_cast<unsigned>(std::countr_zero(step));
    x ^= bit(j);
    y ^= p.matrix().column[j];
  }
}

}  // namespace bmmc::local
