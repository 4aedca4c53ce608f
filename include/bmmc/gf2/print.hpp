// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ostream>
#include <string>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// One line per row, the row of bit 0 first and the column of bit 0 leftmost, as Cormen prints
/// them; a dot stands for 0, so that the shape is seen.
template <unsigned R, unsigned C>
[[nodiscard]] std::string to_string(bit_matrix<R, C> const& a) {
  std::string text;
  for (unsigned i = 0; i < a.rows(); ++i) {
    for (unsigned j = 0; j < a.cols(); ++j) {
      if (j != 0) text += ' ';
      text += entry(a, i, j) ? '1' : '.';
    }
    text += '\n';
  }
  return text;
}

template <unsigned R, unsigned C>
std::ostream& operator<<(std::ostream& out, bit_matrix<R, C> const& a) {
  return out << to_string(a);
}

}  // namespace bmmc
