// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// How the position along an axis is written as bits.
enum class axis_code {
  binary,         ///< as a number
  gray,           ///< all its bits as one Gray code: neighbours differ in one bit
  gray_processes  ///< the process bits as a Gray code of their own, the others as a number
};

/// One axis of an array: 2^bits elements, some bits of whose position name processes. Made by one
/// of the functions below; .gray() and .gray_processes() change the code:
///   axis::blocks(10, 8).gray()        2^10 elements in 8 blocks, all in Gray code
struct axis {
  unsigned bits = 0;
  index_t processes = 0;  ///< the bits that name processes, as a set; the lowest is the lowest
  axis_code code = axis_code::binary;

  /// All elements on one process.
  [[nodiscard]] static constexpr axis local(unsigned bits) { return on_bits(bits, 0); }
  /// Consecutive blocks, one to each of `procs` processes, a power of two.
  [[nodiscard]] static constexpr axis blocks(unsigned bits, index_t procs) {
    const unsigned p = proc_bits_of(procs);
    return block_cyclic(bits, procs, bits < p ? 0 : bits - p);
  }
  /// Elements dealt out one by one.
  [[nodiscard]] static constexpr axis cyclic(unsigned bits, index_t procs) {
    return block_cyclic(bits, procs, 0);
  }
  /// Blocks of 2^block_bits elements dealt out in turn.
  [[nodiscard]] static constexpr axis block_cyclic(unsigned bits, index_t procs,
                                                   unsigned block_bits) {
    const unsigned p = proc_bits_of(procs);
    if (block_bits > most_bits || block_bits + p > bits)
      detail::refuse({"an axis of 2^", bits, " has no ", procs, " blocks of 2^", block_bits});
    return on_bits(bits, low_bits(p) << block_bits);
  }
  /// Any bits of the position name the process. Throws bad_value, as all these functions do, where
  /// the axis is too long or lacks one of the bits.
  [[nodiscard]] static constexpr axis on_bits(unsigned bits, index_t processes) {
    if (bits > most_bits || (processes & ~low_bits(bits)) != 0)
      detail::refuse({"an axis of ", bits, " bits is too long or lacks some of its process bits"});
    return {bits, processes, axis_code::binary};
  }

  [[nodiscard]] constexpr axis gray() const noexcept { return {bits, processes, axis_code::gray}; }
  [[nodiscard]] constexpr axis gray_processes() const noexcept {
    return {bits, processes, axis_code::gray_processes};
  }
  friend constexpr bool operator==(axis const&, axis const&) = default;
};

}  // namespace bmmc
