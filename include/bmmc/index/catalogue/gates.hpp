// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/permutation.hpp>

namespace bmmc {

namespace detail {
constexpr void require_bit(unsigned n, unsigned j) {
  if (j >= n)
    detail::refuse({"there is no index bit ", j, " among ", n, ", which are numbered from 0"});
}
}  // namespace detail

/// Exchanges bits i and j of every index (a SWAP gate). Throws bad_value for a bit beyond n.
[[nodiscard]] constexpr permutation<> swap_bits(unsigned n, unsigned i, unsigned j) {
  detail::require_bit(n, i);
  detail::require_bit(n, j);
  auto a = identity_matrix(n);
  a.column[i] = bit(j);
  a.column[j] = bit(i);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> swap_bits(unsigned i, unsigned j) {
  return permutation<N>(swap_bits(N, i, j));
}

/// Adds bit `control` to bit `target` of every index (a controlled NOT).
/// Throws bad_value for a bit beyond n, and where the two are one bit: that map is singular.
[[nodiscard]] constexpr permutation<> cnot(unsigned n, unsigned control, unsigned target) {
  detail::require_bit(n, control);
  detail::require_bit(n, target);
  if (control == target) detail::refuse({"bit ", control, " cannot control itself"});
  auto a = identity_matrix(n);
  a.column[control] ^= bit(target);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> cnot(unsigned control, unsigned target) {
  return permutation<N>(cnot(N, control, target));
}

/// Complements bit j of every index (a NOT or X gate). Throws bad_value for a bit beyond n.
[[nodiscard]] constexpr permutation<> flip(unsigned n, unsigned j) {
  detail::require_bit(n, j);
  return permutation<>{identity_matrix(n), bit(j)};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> flip(unsigned j) {
  return permutation<N>(flip(N, j));
}

}  // namespace bmmc
