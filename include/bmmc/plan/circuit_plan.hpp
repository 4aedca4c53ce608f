// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <bmmc/index/controlled_circuit.hpp>
#include <bmmc/plan/coset_plan.hpp>

namespace bmmc {

/// One move of a circuit, in processor-major addresses: a permutation of all elements; or one on a
/// coset; or several on cosets, one after the other, inside processes and in one pass.
struct circuit_step {
  std::optional<permutation<>> all{};
  std::vector<coset_permutation> on_cosets{};
};

/// How a circuit with controlled gates is carried out over 2^p processes, known before any data
/// moves.
/// Method  affine gates may be done in parts, at any place between the others: f c = (f c f^-1) f.
///         After f, a run of controlled gates whose directions are local is one pass of the
///         processes over their data. The plan goes through the gates and takes as many as can be
///         made local together; they are taken where addresses are now, or where they will be in
///         the end, or after the cheapest map that makes them local. Compared by cost with every
///         gate on its own, and the affine ones in the end, the cheaper one is taken.
/// Costs   in copies of the state, from measurements with 2 and 4 processes of one machine: a
///         permutation of all costs 2.6 with an exchange and 1.3 without; a pass of s gates 1 and
///         0.15 s; a gate alone the part of the lines that it touches, twice that and the same
///         again for what it sends if it is not local.
class circuit_plan {
 public:
  /// `first`, one after the other, then `last`: maps of addresses of so many bits. Throws bad_value
  /// for p > n.
  circuit_plan(std::vector<coset_permutation> const& first, permutation<> const& last, unsigned p,
               std::size_t element_bytes = 16);

  [[nodiscard]] unsigned bits() const noexcept { return n_; }
  [[nodiscard]] unsigned proc_bits() const noexcept { return p_; }
  /// What is done, in order. Nothing for a circuit that moves nothing.
  [[nodiscard]] std::vector<circuit_step> const& steps() const noexcept { return steps_; }
  /// In copies of the state.
  [[nodiscard]] double cost() const noexcept { return cost_; }

 private:
  struct candidate {
    std::vector<circuit_step> steps{};
    double cost = 0;
  };
  /// Directions of a pass, so that a coset of them and the bits of a line stay in a cache.
  static constexpr unsigned most_directions = 12;

  [[nodiscard]] candidate made(permutation<> const& last, bool moves_between) const;

  /// Adds the directions of a gate unless they could no more be local together.
  [[nodiscard]] bool fits(subspace& needed, coset_permutation const& gate) const;
  [[nodiscard]] bool is_local(bit_matrix<> const& vectors) const;
  /// Where addresses are when the directions are local.
  [[nodiscard]] permutation<> place_for(subspace const& needed, permutation<> const& where,
                                        permutation<> const& last) const;
  void go(candidate& c, permutation<>& where, permutation<> const& to) const;

  /// Gates from i to end, those that are local in as few passes as pay.
  void add_gates(candidate& c, permutation<> const& where, std::size_t i, std::size_t end) const;
  void add_group(candidate& c, std::vector<coset_permutation> const& group) const;
  /// Conditions within a line save nothing, and those on process bits alone no time.
  [[nodiscard]] double cost_alone(coset_permutation const& gate) const;

  unsigned n_, p_, line_bits_ = 0;
  std::vector<coset_permutation> gates_;
  std::vector<circuit_step> steps_;
  double cost_ = 0;
};

/// Plans a circuit on data in the given layout over `procs` processes.
/// Cost    O(n^2) word operations for each controlled gate and each of its directions.
/// Errors  bad_value unless procs is a power of two, at most 2^n, and the layout fits.
template <Layout L = layout::processor_major>
[[nodiscard]] circuit_plan make_plan(controlled_circuit const& c, L const& l, index_t procs,
                                     std::size_t element_bytes = 16) {
  const unsigned n = c.bits(), proc_bits = proc_bits_of(procs);
  const auto source = layout::source_map(l, n, proc_bits);
  std::vector<coset_permutation> first;
  for (auto const& each : c.first()) first.push_back(conjugate(source, each));
  const auto target = layout::target_map(l, n, proc_bits);
  const auto last = compose(target, compose(c.last(), inverse(source)));
  return {first, last, proc_bits, element_bytes};
}

/// What one process does of a permutation on a coset that moves no element to another process: the
/// same on its offsets, or nothing where it has no element of the coset.
[[nodiscard]] constexpr std::optional<coset_permutation> on_process(coset_permutation const& c,
                                                                    unsigned p, index_t proc) {
  const unsigned n = c.bits(), m = n - p;
  short_list<bit_condition> own;
  for (unsigned i = 0; i < c.where().size(); ++i) {
    const auto [bits, value] = c.where()[i];
    const bool here = value != ((std::popcount((bits >> m) & proc) & 1) != 0);
    if ((bits & low_bits(m)) != 0)
      own.push_back({bits & low_bits(m), here});
    else if (here)  // a sum of process bits that is not as it must be
      return std::nullopt;
  }
  // conditions that agree in their offset bits may contradict each other here
  subspace rows(m + 1);
  for (const auto& [bits, value] : own) rows.add(bits | (value ? bit(m) : 0));
  if (rows.contains(bit(m))) return std::nullopt;
  const coset w(m, std::span<bit_condition const>(own.data(), own.size()));
  const auto by = w.points();
  const index_t base = proc << m;
  const auto moved = [&](index_t t) {
    return extract_bits(c.on_all()(by.points(t) | base) & low_bits(m), by.free);
  };
  bit_matrix<> inside(w.dimension(), w.dimension());
  for (unsigned j = 0; j < inside.cols(); ++j) inside.column[j] = moved(bit(j)) ^ moved(0);
  return from_inside(w, permutation<>(inside, moved(0)));
}

/// Tells people what a circuit will do, move by move.
[[nodiscard]] std::string explain(circuit_plan const& p);

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/circuit_plan_once.hpp>
#endif
