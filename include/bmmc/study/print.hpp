// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ostream>
#include <string>
#include <type_traits>

#include <bmmc/study/bit_exchanges.hpp>

namespace bmmc {

/// "x2 += x0 + x5 + 1" for an exchange of dimension 2, "x2 = x0" for a projection.
[[nodiscard]] inline std::string to_string(conditional_exchange const& e) {
  std::string sum;
  for (unsigned j = 0; j < 64; ++j)
    if (j != e.dimension && ((e.row >> j) & 1) != 0)
      sum.append(sum.empty() ? "x" : " + x").append(std::to_string(j));
  if (e.flip) sum.append(sum.empty() ? "1" : " + 1");
  if (sum.empty()) sum.push_back('0');
  return std::string("x")
      .append(std::to_string(e.dimension))
      .append(e.is_projection() ? " = " : " += ")
      .append(sum);
}
inline std::ostream& operator<<(std::ostream& out, conditional_exchange const& e) {
  return out << to_string(e);
}

/// "(2 5)": the bits that change places.
[[nodiscard]] inline std::string to_string(bit_exchange const& e) {
  return std::string("(")
      .append(std::to_string(e.first))
      .append(" ")
      .append(std::to_string(e.second))
      .append(")");
}
inline std::ostream& operator<<(std::ostream& out, bit_exchange const& e) {
  return out << to_string(e);
}

/// The items of a list, the first to be done first; exchanges that change nothing are left out.
template <class T>
std::ostream& operator<<(std::ostream& out, short_list<T> const& list) {
  char const* separator = "";
  for (T const& each : list) {
    if constexpr (requires { each.is_identity(); })
      if (each.is_identity()) continue;
    out << separator << each;
    separator = std::is_same_v<T, conditional_exchange> ? "; " : " ";
  }
  return out;
}

}  // namespace bmmc
