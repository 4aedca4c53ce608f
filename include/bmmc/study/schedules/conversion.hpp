// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/gf2/exchange.hpp>

namespace bmmc {

/// From Gray code to binary code on 2^n nodes, as the program that each node can run knowing its
/// own address g alone: from dimension `first` on, in decreasing order and around the circle 0 ..
/// n-2.
///
///     if g_(n-1) + .. + g_(first+1) = 1   exchange with the neighbour in dimension `first`
///     for d = first-1 downto 0:           if g_(d+1) = 1  exchange in dimension d
///     for d = n-2 downto first+1:         if g_(d+1) = 1  exchange in dimension d
///
/// With first = n-2 it is the program that starts from the most significant dimension.
/// Shape   n - 1 exchanges for n nodes' bits, none for n < 2; first <= n-2. Cost: O(n).
/// Errors  bad_value where `first` is no such dimension, or n > 64.
/// Source  Johnsson and Ho 1990, section 4, the two programs; corollary 4 is why g_(d+1) suffices.
[[nodiscard]] constexpr exchange_list gray_to_binary_program(unsigned n, unsigned first) {
  exchange_list program;
  if (n > 64 || (n < 2 ? first != 0 : first > n - 2))
    throw bad_value("a conversion of " + std::to_string(n) + " bits cannot start with dimension " +
                    std::to_string(first));
  if (n < 2) return program;
  program.push_back({first, low_bits(n) & ~low_bits(first)});
  for (unsigned d = first; d-- > 0;) program.push_back({d, bit(d) | bit(d + 1)});
  for (unsigned d = n - 1; d-- > first + 1;) program.push_back({d, bit(d) | bit(d + 1)});
  return program;
}
[[nodiscard]] constexpr exchange_list gray_to_binary_program(unsigned n) {
  return gray_to_binary_program(n, n < 2 ? 0 : n - 2);
}

/// The dimension that part m of the data crosses in phase t of a concurrent conversion, when the
/// data is cut into n - 1 parts and each runs the program above from dimension n-2-m on.
/// Source  Johnsson and Ho 1990, section 4, whose text in our copy has mod (n - 2).
[[nodiscard]] constexpr unsigned conversion_dimension(unsigned n, unsigned part,
                                                      unsigned phase) noexcept {
  return (2 * (n - 1) - 1 - part - phase) % (n - 1);
}

}  // namespace bmmc
