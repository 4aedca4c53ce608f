// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/catalogue/gates.hpp>
#include <bmmc/index/controlled_circuit.hpp>

namespace bmmc {

/// A circuit of CNOT, SWAP and X gates on the bits of an index, composed as it is written:
///   const auto gates = circuit<>(24).cnot(0, 5).swap(5, 23).flip(2);
/// is the gates from left to right: a permutation, which moves every element once instead of once
/// per gate, and which is passed wherever a permutation is. A gate with further controls makes
/// another type of it, a controlled_circuit.
/// Cost    O(n) word operations per gate. Throws bad_value for a bit beyond n.
template <unsigned N = dynamic_bits>
class circuit : public permutation<N> {
 public:
  constexpr circuit()
    requires(N != dynamic_bits)
  = default;
  constexpr explicit circuit(unsigned n)
    requires(N == dynamic_bits)
      : permutation<N>(identity_permutation(n)) {}

  /// Adds bit `control` to bit `target`.
  constexpr circuit& cnot(unsigned control, unsigned target) {
    detail::require_bit(this->bits(), control);
    detail::require_bit(this->bits(), target);
    if (control == target) detail::refuse({"bit ", control, " cannot control itself"});
    return each_word([=](index_t y) { return y ^ (((y >> control) & 1) << target); });
  }
  /// Exchanges bits i and j.
  constexpr circuit& swap(unsigned i, unsigned j) {
    detail::require_bit(this->bits(), i);
    detail::require_bit(this->bits(), j);
    return each_word([=](index_t y) {
      const index_t differ = ((y >> i) ^ (y >> j)) & 1;
      return y ^ (differ << i) ^ (differ << j);
    });
  }
  /// Complements bit j.
  constexpr circuit& flip(unsigned j) {
    detail::require_bit(this->bits(), j);
    this->complement_ ^= bit(j);
    return *this;
  }
  /// Any permutation as one more gate.
  constexpr circuit& then(permutation<N> const& gate) {
    permutation<N>& composed = *this;
    composed = compose(gate, composed);
    return *this;
  }

  /// Complements bit `target` where both controls are 1 (CCNOT).
  [[nodiscard]] controlled_circuit toffoli(unsigned control, unsigned other,
                                           unsigned target) const {
    return controlled_circuit(*this).toffoli(control, other, target);
  }
  /// Exchanges bits i and j where the control is 1 (CSWAP, Fredkin).
  [[nodiscard]] controlled_circuit controlled_swap(unsigned control, unsigned i, unsigned j) const {
    return controlled_circuit(*this).controlled_swap(control, i, j);
  }
  /// Any permutation, where all index bits that `bits` selects are 1.
  [[nodiscard]] controlled_circuit controlled(permutation<N> const& gate, index_t bits) const {
    return controlled_circuit(*this).controlled(permutation<>(gate), bits);
  }

 private:
  constexpr circuit& each_word(auto gate) {
    for (unsigned j = 0; j < this->bits(); ++j)
      this->matrix_.column[j] = gate(this->matrix_.column[j]);
    this->complement_ = gate(this->complement_);
    return *this;
  }
};

}  // namespace bmmc
