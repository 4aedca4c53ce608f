// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include <bmmc/file/boxes.hpp>

namespace bmmc::file {

namespace detail {
/// target[i + j * target_row] = source[j + i * source_row] for i < columns, j < rows, in squares
/// that stay in cache.
template <class Copy>
void transpose_rows(unsigned char const* source, index_t source_row, unsigned char* target,
                    index_t target_row, index_t columns, index_t rows, index_t bytes, Copy copy) {
  constexpr index_t square = 16;
  for (index_t i = 0; i < columns; i += square)
    for (index_t j = 0; j < rows; j += square)
      for (index_t l = j; l < std::min(j + square, rows); ++l)
        for (index_t k = i; k < std::min(i + square, columns); ++k)
          copy(target + (k + l * target_row) * bytes, source + (l + k * source_row) * bytes);
}
}  // namespace detail

inline void axis_boxes::move(index_t tile, unsigned char const* from, unsigned char* to) const {
  const box b = box_of(tile);
  const auto in = strides(source_order(), b.width), out = strides(axes, b.width);
  const unsigned fast = axes.back(), source_fast = static_cast<unsigned>(axes.size()) - 1;
  std::vector<unsigned> others;  // all axes but the fastest of the result and of the source
  for (const unsigned axis : axes)
    if (axis != fast && axis != source_fast) others.push_back(axis);
  each(others, 0, b.width, [&](std::vector<index_t> const& at) {
    index_t x = 0, y = 0;
    for (const unsigned axis : others) {
      x += at[axis] * in[axis];
      y += at[axis] * out[axis];
    }
    unsigned char const* const source = from + x * element_bytes;
    unsigned char* const target = to + y * element_bytes;
    if (fast == source_fast) {
      std::memcpy(target, source, b.width[fast] * element_bytes);
      return;
    }
    const auto transpose = [&](auto copy) {
      detail::transpose_rows(source, in[fast], target, out[source_fast], b.width[fast],
                             b.width[source_fast], element_bytes, copy);
    };
    switch (element_bytes) {  // sizes that the compiler knows are moved as words
      case 1:
        return transpose([](void* y1, void const* x1) { std::memcpy(y1, x1, 1); });
      case 2:
        return transpose([](void* y1, void const* x1) { std::memcpy(y1, x1, 2); });
      case 4:
        return transpose([](void* y1, void const* x1) { std::memcpy(y1, x1, 4); });
      case 8:
        return transpose([](void* y1, void const* x1) { std::memcpy(y1, x1, 8); });
      case 16:
        return transpose([](void* y1, void const* x1) { std::memcpy(y1, x1, 16); });
      default:
        return transpose([n = element_bytes](void* y1, void const* x1) { std::memcpy(y1, x1, n); });
    }
  });
}

}  // namespace bmmc::file
