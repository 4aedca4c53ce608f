// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/catalogue/gates.hpp>

namespace bmmc {

/// A circuit of CNOT, SWAP and X gates on the bits of an index, composed as it is written:
///   permutation<> const p = circuit<>(24).cnot(0, 5).swap(5, 23).flip(2);
/// is the gates from left to right, and moves every element once instead of once per gate.
/// Cost    O(n) word operations per gate. Throws bad_value for a bit beyond n.
template <unsigned N = dynamic_bits>
class circuit {
 public:
  constexpr circuit()
    requires(N != dynamic_bits)
  = default;
  constexpr explicit circuit(unsigned n)
    requires(N == dynamic_bits)
      : composed_(identity_permutation(n)) {}

  /// Adds bit `control` to bit `target`.
  constexpr circuit& cnot(unsigned control, unsigned target) {
    detail::require_bit(bits(), control);
    detail::require_bit(bits(), target);
    if (control == target)
      throw bad_value(detail::text({"bit ", control, " cannot control itself"}));
    return each_word([=](index_t y) { return y ^ (((y >> control) & 1) << target); });
  }
  /// Exchanges bits i and j.
  constexpr circuit& swap(unsigned i, unsigned j) {
    detail::require_bit(bits(), i);
    detail::require_bit(bits(), j);
    return each_word([=](index_t y) {
      const index_t differ = ((y >> i) ^ (y >> j)) & 1;
      return y ^ (differ << i) ^ (differ << j);
    });
  }
  /// Complements bit j.
  constexpr circuit& flip(unsigned j) {
    detail::require_bit(bits(), j);
    composed_.complement_ ^= bit(j);
    return *this;
  }
  /// Any permutation as one more gate.
  constexpr circuit& then(permutation<N> const& gate) {
    composed_ = compose(gate, composed_);
    return *this;
  }

  [[nodiscard]] constexpr unsigned bits() const noexcept { return composed_.bits(); }
  constexpr operator permutation<N>() const noexcept { return composed_; }

 private:
  constexpr circuit& each_word(auto gate) {
    for (unsigned j = 0; j < bits(); ++j)
      composed_.matrix_.column[j] = gate(composed_.matrix_.column[j]);
    composed_.complement_ = gate(composed_.complement_);
    return *this;
  }

  permutation<N> composed_{};
};

}  // namespace bmmc
