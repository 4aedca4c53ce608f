// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ostream>
#include <string>

#include <bmmc/gf2/print.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// The rows of A, bit 0 first, each with its bit of the complement c behind a bar.
template <unsigned N>
[[nodiscard]] std::string to_string(permutation<N> const& p) {
  const std::string matrix = to_string(p.matrix());
  std::string text;
  unsigned row = 0;
  for (const char c : matrix) {
    if (c == '\n') text += ((p.complement() >> row++) & 1) != 0 ? " | 1" : " | .";
    text += c;
  }
  return text;
}

template <unsigned N>
std::ostream& operator<<(std::ostream& out, permutation<N> const& p) {
  return out << to_string(p);
}

}  // namespace bmmc
