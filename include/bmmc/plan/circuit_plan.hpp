// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/index/controlled_circuit.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/plan/coset_plan.hpp>
#include <bmmc/plan/locality.hpp>

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
               std::size_t element_bytes = 16)
      : n_(last.bits()), p_(p) {
    detail::require_processes(n_, p);
    for (unsigned j = 0; j < n_ && element_bytes << j < 64; ++j) line_bits_ = j + 1;
    for (auto const& each : first) gates_.push_back(moved_part(each));
    auto alone = made(last, false), together = made(last, true);
    auto& best = together.cost < alone.cost ? together : alone;
    steps_ = std::move(best.steps);
    cost_ = best.cost;
  }

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

  [[nodiscard]] candidate made(permutation<> const& last, bool moves_between) const {
    candidate c;
    auto where = identity_permutation(n_);  // the present address of each address
    for (std::size_t i = 0; i < gates_.size();) {
      std::size_t end = gates_.size();
      if (moves_between) {
        subspace needed(n_);
        end = i;
        while (end < gates_.size() && fits(needed, gates_[end])) ++end;
        if (end > i) go(c, where, place_for(needed, where, last));
        end = std::max(end, i + 1);
      }
      add_gates(c, where, i, end);
      i = end;
    }
    go(c, where, last);
    return c;
  }

  /// Adds the directions of a gate unless they could no more be local together.
  [[nodiscard]] bool fits(subspace& needed, coset_permutation const& gate) const {
    subspace grown = needed;
    for (const index_t v : directions(gate).vectors.column) grown.add(v);
    if (grown.dimension() + p_ > n_) return false;
    needed = grown;
    return true;
  }
  [[nodiscard]] bool is_local(bit_matrix<> const& vectors) const {
    for (const index_t v : vectors.column)
      if (v >> (n_ - p_) != 0) return false;
    return true;
  }
  /// Where addresses are when the directions are local.
  [[nodiscard]] permutation<> place_for(subspace const& needed, permutation<> const& where,
                                        permutation<> const& last) const {
    const bit_matrix<> present = where.matrix() * needed.vectors;
    if (is_local(present)) return where;
    if (is_local(last.matrix() * needed.vectors)) return last;
    return compose(make_local(present, n_, p_), where);
  }
  void go(candidate& c, permutation<>& where, permutation<> const& to) const {
    if (where == to) return;
    const auto moved = compose(to, inverse(where));
    c.cost += plan(moved, p_).is_local() ? 1.3 : 2.6;
    c.steps.push_back({moved, {}});
    where = to;
  }

  /// Gates from i to end, those that are local in as few passes as pay.
  void add_gates(candidate& c, permutation<> const& where, std::size_t i, std::size_t end) const {
    std::vector<coset_permutation> group;
    subspace space(n_);
    const auto flush = [&] {
      add_group(c, group);
      group.clear();
      space = subspace(n_);
    };
    for (; i < end; ++i) {
      const auto gate = conjugate(where, gates_[i]);
      const subspace own = directions(gate);
      if (!is_local(own.vectors)) {
        flush();
        add_group(c, {gate});
        continue;
      }
      subspace grown = space;
      for (const index_t v : own.vectors.column) grown.add(v);
      if (grown.dimension() > most_directions) {
        flush();
        grown = own;
      }
      space = grown;
      group.push_back(gate);
    }
    flush();
  }
  void add_group(candidate& c, std::vector<coset_permutation> const& group) const {
    double alone = 0;
    for (auto const& each : group) alone += cost_alone(each);
    const double together = 1 + 0.15 * static_cast<double>(group.size());
    if (group.size() > 1 && together < alone) {
      c.cost += together;
      c.steps.push_back({std::nullopt, group});
      return;
    }
    c.cost += alone;
    for (auto const& each : group) c.steps.push_back({std::nullopt, {each}});
  }
  /// Conditions within a line save nothing, and those on process bits alone no time.
  [[nodiscard]] double cost_alone(coset_permutation const& gate) const {
    subspace in_line(line_bits_), on_offsets(n_ - p_);
    for (unsigned i = 0; i < gate.where().size(); ++i) {
      in_line.add(gate.where()[i].bits & low_bits(line_bits_));
      on_offsets.add(gate.where()[i].bits & low_bits(n_ - p_));
    }
    const unsigned k = on_offsets.dimension();
    const double elements = 1.0 / static_cast<double>(bit(k));
    const double lines = 1.0 / static_cast<double>(bit(k - in_line.dimension()));
    return is_local(directions(gate).vectors) ? lines : 2 * (lines + elements);
  }

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
[[nodiscard]] inline std::string explain(circuit_plan const& p) {
  std::string text = detail::text({"a circuit in ", p.steps().size(), " moves\n"});
  for (auto const& each : p.steps()) {
    if (each.all)
      text += explain(plan(*each.all, p.proc_bits()));
    else if (each.on_cosets.size() == 1)
      text += explain(coset_plan(each.on_cosets.front(), p.proc_bits()));
    else
      text += detail::text({"in one pass of each process: ", each.on_cosets.size(),
                            " permutations on cosets, one after the other\n"});
  }
  return text;
}

}  // namespace bmmc
