// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/index/controlled_circuit.hpp>

namespace bmmc {

BMMC_ONCE controlled_circuit& controlled_circuit::then(permutation<> const& gate) {
  last_ = compose(gate, last_);
  return *this;
}

BMMC_ONCE controlled_circuit& controlled_circuit::toffoli(unsigned control, unsigned other,
                                                          unsigned target) {
  for (const unsigned j : {control, other}) detail::require_bit(bits(), j);
  if (control == other) detail::refuse({"bit ", control, " is both controls"});
  return controlled(bmmc::flip(bits(), target), bit(control) | bit(other));
}

BMMC_ONCE controlled_circuit& controlled_circuit::controlled_swap(unsigned control, unsigned i,
                                                                  unsigned j) {
  detail::require_bit(bits(), control);
  return controlled(swap_bits(bits(), i, j), bit(control));
}

BMMC_ONCE controlled_circuit& controlled_circuit::then(coset_permutation const& gate) {
  add(conjugate(inverse(last_), gate));
  return *this;
}

BMMC_ONCE void controlled_circuit::add(coset_permutation const& gate) {
  if (is_identity(gate)) return;
  const auto moved = moved_part(gate);
  for (std::size_t i = first_.size(); i-- > 0;) {
    const auto before = moved_part(first_[i]);
    auto one = joined(gate, first_[i]);
    if (!one) one = joined(moved, before);
    if (one) {
      first_[i] = *one;
      if (is_identity(*one)) first_.erase(first_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
    if (!commute(moved, before)) break;
  }
  first_.push_back(gate);
}

BMMC_ONCE controlled_circuit inverse(controlled_circuit const& c) {
  controlled_circuit back(inverse(c.last()));
  for (std::size_t i = c.first().size(); i-- > 0;) back.then(inverse(c.first()[i]));
  return back;
}

}  // namespace bmmc
