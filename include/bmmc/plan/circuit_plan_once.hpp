// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <utility>

#include <bmmc/index/maps.hpp>
#include <bmmc/plan/circuit_plan.hpp>
#include <bmmc/plan/locality.hpp>

namespace bmmc {

BMMC_ONCE circuit_plan::circuit_plan(std::vector<coset_permutation> const& first,
                                     permutation<> const& last, unsigned p,
                                     std::size_t element_bytes)
    : n_(last.bits()), p_(p) {
  detail::require_processes(n_, p);
  for (unsigned j = 0; j < n_ && element_bytes << j < 64; ++j) line_bits_ = j + 1;
  for (auto const& each : first) gates_.push_back(moved_part(each));
  auto alone = made(last, false), together = made(last, true);
  auto& best = together.cost < alone.cost ? together : alone;
  steps_ = std::move(best.steps);
  cost_ = best.cost;
}

BMMC_ONCE auto circuit_plan::made(permutation<> const& last, bool moves_between) const
    -> candidate {
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

BMMC_ONCE bool circuit_plan::fits(subspace& needed, coset_permutation const& gate) const {
  subspace grown = needed;
  for (const index_t v : directions(gate).vectors.column) grown.add(v);
  if (grown.dimension() + p_ > n_) return false;
  needed = grown;
  return true;
}

BMMC_ONCE bool circuit_plan::is_local(bit_matrix<> const& vectors) const {
  for (const index_t v : vectors.column)
    if (v >> (n_ - p_) != 0) return false;
  return true;
}

BMMC_ONCE permutation<> circuit_plan::place_for(subspace const& needed, permutation<> const& where,
                                                permutation<> const& last) const {
  const bit_matrix<> present = where.matrix() * needed.vectors;
  if (is_local(present)) return where;
  if (is_local(last.matrix() * needed.vectors)) return last;
  return compose(make_local(present, n_, p_), where);
}

BMMC_ONCE void circuit_plan::go(candidate& c, permutation<>& where, permutation<> const& to) const {
  if (where == to) return;
  const auto moved = compose(to, inverse(where));
  c.cost += plan(moved, p_).is_local() ? 1.3 : 2.6;
  c.steps.push_back({moved, {}});
  where = to;
}

BMMC_ONCE void circuit_plan::add_gates(candidate& c, permutation<> const& where, std::size_t i,
                                       std::size_t end) const {
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

BMMC_ONCE void circuit_plan::add_group(candidate& c,
                                       std::vector<coset_permutation> const& group) const {
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

BMMC_ONCE double circuit_plan::cost_alone(coset_permutation const& gate) const {
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

BMMC_ONCE std::string explain(circuit_plan const& p) {
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
