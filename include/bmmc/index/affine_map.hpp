// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// y = A x + c with any A, square or not: what is left of a permutation when some of its bits are
/// fixed or dropped.
struct affine_map {
  bit_matrix<> matrix{};
  index_t offset = 0;

  /// Cost: one exclusive or for each 1 in x.
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    return matrix * x ^ offset;
  }
  friend constexpr bool operator==(affine_map const&, affine_map const&) = default;
};

}  // namespace bmmc
