// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// Moves source bit j of every index to target bit target_of[j].
/// Throws bad_value unless target_of holds each of 0 .. n-1 once, n <= 63.
[[nodiscard]] constexpr permutation<> bit_permutation(std::span<unsigned const> target_of) {
  const auto n = static_cast<unsigned>(target_of.size());
  if (n > most_bits) detail::refuse({"indices have at most 63 bits, not ", n});
  bit_matrix<> a{n, n};
  index_t taken = 0;
  for (unsigned j = 0; j < n; ++j) {
    if (target_of[j] >= n || (taken & bit(target_of[j])) != 0)
      detail::refuse({"source bit ", j, " cannot go to target bit ", target_of[j], ": each of the ",
                      n, " target bits is taken once"});
    taken |= bit(target_of[j]);
    a.column[j] = bit(target_of[j]);
  }
  return detail::known_nonsingular(a);
}
template <std::size_t N>
[[nodiscard]] constexpr permutation<unsigned{N}> bit_permutation(
    std::array<unsigned, N> const& target_of) {
  return permutation<unsigned{N}>(bit_permutation(std::span<unsigned const>(target_of)));
}

/// Bit j of every index goes to bit n-1-j: the reordering of an FFT.
/// Source  Cormen 1997, appendix C.
[[nodiscard]] constexpr permutation<> bit_reversal(unsigned n) {
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = bit(n - 1 - j);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> bit_reversal() {
  return permutation<N>(bit_reversal(N));
}

/// Rotates the bits of every index upwards by `steps`: bit j goes to bit (j + steps) mod n.
[[nodiscard]] constexpr permutation<> rotate_bits(unsigned n, unsigned steps) {
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = bit((j + steps % n) % n);
  return permutation<>{a};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> rotate_bits(unsigned steps) {
  return permutation<N>(rotate_bits(N, steps));
}

/// Perfect shuffle of a deck of 2^n cards: bit j goes to bit j+1, the highest to bit 0.
/// Source  Cormen 1997, appendix C.
[[nodiscard]] constexpr permutation<> shuffle(unsigned n) { return rotate_bits(n, 1); }
template <unsigned N>
[[nodiscard]] constexpr permutation<N> shuffle() {
  return permutation<N>(shuffle(N));
}

/// The inverse of the shuffle: even positions first, then the odd ones.
[[nodiscard]] constexpr permutation<> unshuffle(unsigned n) {
  return rotate_bits(n, n == 0 ? 0 : n - 1);
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> unshuffle() {
  return permutation<N>(unshuffle(N));
}

/// From blocks to cyclic dealing over P = 2^p processes, as a movement of processor-major data:
/// the element at x goes to process x mod P, offset x div P. The p low index bits become the high
/// ones. Throws bad_value unless procs is a power of two, at most 2^n.
[[nodiscard]] constexpr permutation<> block_to_cyclic(unsigned n, index_t procs) {
  const unsigned p = proc_bits_of(procs);
  if (p > n) detail::refuse({"2^", n, " elements have no ", procs, " blocks"});
  return rotate_bits(n, n - p);
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> block_to_cyclic(index_t procs) {
  return permutation<N>(block_to_cyclic(N, procs));
}

/// The inverse of block_to_cyclic: the high index bits become the low ones.
[[nodiscard]] constexpr permutation<> cyclic_to_block(unsigned n, index_t procs) {
  return inverse(block_to_cyclic(n, procs));
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> cyclic_to_block(index_t procs) {
  return permutation<N>(cyclic_to_block(N, procs));
}

/// Element x goes to N - 1 - x: every index bit is complemented.
/// Source  Cormen 1997, appendix C.
[[nodiscard]] constexpr permutation<> vector_reversal(unsigned n) {
  return permutation<>{identity_matrix(n), low_bits(n)};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> vector_reversal() {
  return permutation<N>(vector_reversal(N));
}

}  // namespace bmmc
