// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <type_traits>

#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local {

/// How elements lie in lines. Whole lines can be moved as bytes where the size is a power of two;
/// others have tables for lines of about as many elements.
struct element_shape {
  std::size_t bytes;
  bool has_lines;
  unsigned lg_size = bmmc::detail::highest_one(bytes);
  unsigned line_elements = line_bits > lg_size ? line_bits - lg_size : 0;  // as a power of two
  unsigned lg_unit = std::min(lg_size, line_bits);  // bytes that stay together
};

template <class T>
inline constexpr element_shape shape_of{
    sizeof(T), std::is_trivially_copyable_v<T>&& std::has_single_bit(sizeof(T))};

}  // namespace bmmc::local
