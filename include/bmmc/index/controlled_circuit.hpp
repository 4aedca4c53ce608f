// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/index/catalogue/gates.hpp>
#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/index/maps.hpp>

namespace bmmc {

/// Whether f g = g f is known: they move no index in common, or each keeps the other's coset and
/// their permutations commute. Cost: O(n^2) word operations.
[[nodiscard]] constexpr bool commute(coset_permutation const& f, coset_permutation const& g) {
  if (are_disjoint(f.where(), g.where())) return true;
  return image(g.on_all(), f.where()) == f.where() && image(f.on_all(), g.where()) == g.where() &&
         compose(f.on_all(), g.on_all()) == compose(g.on_all(), f.on_all());
}

/// One permutation on a coset that does what two do: on the same coset, or on the two halves of a
/// larger one, where one affine map does both. Nothing where there is none. `f` comes after `g`.
[[nodiscard]] constexpr std::optional<coset_permutation> joined(coset_permutation const& f,
                                                                coset_permutation const& g) {
  if (f.where() == g.where()) return compose(f, g);
  const unsigned n = f.bits(), k = f.where().size();
  if (g.where().size() != k || k == 0 || !are_disjoint(f.where(), g.where())) return std::nullopt;
  // The union is a coset where one condition alone tells the two apart.
  std::optional<bit_condition> differs;
  short_list<bit_condition> common;
  for (unsigned i = 0; i < k; ++i) {
    if (f.where()[i].bits != g.where()[i].bits) return std::nullopt;
    if (f.where()[i].value == g.where()[i].value)
      common.push_back(f.where()[i]);
    else if (!differs)
      differs = f.where()[i];
    else  // where two differ, their sum does not
      common.push_back({f.where()[i].bits ^ differs->bits, f.where()[i].value != differs->value});
  }
  // One affine map: both have the same linear part inside their cosets; what they differ by there
  // is added where the condition says so.
  const auto inside = f.where().points(), other = g.where().points();
  const affine_map on_f = compose(as_map(f.on_all()), inside.points);
  const affine_map on_g = compose(as_map(g.on_all()), other.points);
  if (on_f.matrix != on_g.matrix) return std::nullopt;
  const coset both(n, std::span<bit_condition const>(common.data(), common.size()));
  const auto all = both.points();
  const bool f_first = f.where().contains(all.points.complement);
  coset_permutation const& at_zero = f_first ? f : g;
  coset_permutation const& elsewhere = f_first ? g : f;
  bit_matrix<> q(both.dimension(), both.dimension());
  const index_t origin = at_zero(all.points.complement);
  for (unsigned j = 0; j < q.cols(); ++j) {
    const index_t x = all.points(bit(j));
    const index_t y = at_zero.where().contains(x) ? at_zero(x) : elsewhere(x);
    q.column[j] = extract_bits(y ^ origin, all.free);
  }
  return from_inside(both, permutation<>(q, extract_bits(origin, all.free)));
}

/// A circuit with controlled gates: some permutations on cosets, one after the other, and a
/// permutation of all indices after them.
///   const auto gates = circuit<>(24).cnot(0, 5).toffoli(1, 2, 23).swap(5, 23);
/// Gates are moved as they are added: q on_coset(p, W) = on_coset(q p q^-1, q W) q takes every
/// CNOT, SWAP and X to the end, where they are one permutation. A controlled gate joins an earlier
/// one if it commutes with those between, and both are one permutation on one coset; a pair that
/// cancels is left out. moves() says how many times data will move.
/// The fewest moves in this form that joining can find from left to right: not always the fewest
/// that there are.
/// Cost    O(n^2) word operations per affine gate, times the controlled gates before per controlled
///         one. Throws bad_value for a bit beyond n, for a gate that moves its own control, and for
///         one bit as both controls of a Toffoli gate.
class controlled_circuit {
 public:
  explicit controlled_circuit(unsigned n) : last_(identity_permutation(n)) {}
  explicit controlled_circuit(permutation<> const& p) : last_(p) {}

  [[nodiscard]] unsigned bits() const noexcept { return last_.bits(); }

  controlled_circuit& cnot(unsigned control, unsigned target) {
    return then(bmmc::cnot(bits(), control, target));
  }
  controlled_circuit& swap(unsigned i, unsigned j) { return then(swap_bits(bits(), i, j)); }
  controlled_circuit& flip(unsigned j) { return then(bmmc::flip(bits(), j)); }
  /// Any permutation of all indices as one more gate.
  controlled_circuit& then(permutation<> const& gate);

  controlled_circuit& toffoli(unsigned control, unsigned other, unsigned target);
  controlled_circuit& controlled_swap(unsigned control, unsigned i, unsigned j);
  controlled_circuit& controlled(permutation<> const& gate, index_t bits) {
    return then(bmmc::controlled(gate, bits));
  }
  /// Any permutation on a coset as one more gate.
  controlled_circuit& then(coset_permutation const& gate);

  /// What comes first, in order; then last().
  [[nodiscard]] std::vector<coset_permutation> const& first() const noexcept { return first_; }
  [[nodiscard]] permutation<> const& last() const noexcept { return last_; }
  /// How many times data will move: once for each of first(), once for last().
  [[nodiscard]] std::size_t moves() const { return first_.size() + (is_identity(last_) ? 0 : 1); }
  /// The target index of source index x < 2^n.
  [[nodiscard]] index_t operator()(index_t x) const {
    for (auto const& each : first_) x = each(x);
    return last_(x);
  }

 private:
  void add(coset_permutation const& gate);

  std::vector<coset_permutation> first_;
  permutation<> last_;
};

/// The circuit that undoes it.
[[nodiscard]] controlled_circuit inverse(controlled_circuit const& c);

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/index/controlled_circuit_once.hpp>
#endif
