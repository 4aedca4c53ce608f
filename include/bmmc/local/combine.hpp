// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <type_traits>

#include <bmmc/local/element_shape.hpp>

namespace bmmc::local::detail {

/// sums[i] = op(sums[i], terms[i]) for all i < count. A line is computed before it is stored, so
/// that a compiler may take its elements together: it does not know that the arrays do not overlap.
template <class T, class Op>
void combine(T* sums, T const* terms, index_t count, Op& op) {
  index_t i = 0;
  if constexpr (std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>) {
    constexpr index_t line = bit(shape_of<T>.line_elements);
    for (std::array<T, line> values; i + line <= count; i += line) {
      for (index_t k = 0; k < line; ++k) values[k] = static_cast<T>(op(sums[i + k], terms[i + k]));
      for (index_t k = 0; k < line; ++k) sums[i + k] = values[k];
    }
  }
  for (; i < count; ++i) sums[i] = static_cast<T>(op(sums[i], terms[i]));
}

}  // namespace bmmc::local::detail
