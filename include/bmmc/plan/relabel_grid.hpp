// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include <bmmc/plan/assignment.hpp>
#include <bmmc/plan/grid_plan.hpp>

namespace bmmc {

/// Up to so many processes process_numbers of a grid_plan is exact; above, it is greedy.
inline constexpr index_t most_exact_procs = 1024;

namespace detail {

/// How many elements each process has in common with each number of the target's grid.
class grid_overlaps {
 public:
  explicit grid_overlaps(grid_plan const& p) : plan_(p) {
    for (unsigned k = 0; k < p.axes().size(); ++k) {
      grid_axis const &a = p.source().axis(p.axes()[k]), &b = p.target().axis(k);
      auto& table = along_.emplace_back();
      for (index_t from = 0; from < a.procs(); ++from) {
        const axis_pieces shared(a.section(from), axis_pieces::side::source, b);
        for (index_t to = 0; to < b.procs(); ++to) {
          index_t all = 0;
          for (common_piece const& piece : shared.with(to)) all += piece.positions();
          table.push_back(all);
        }
      }
    }
  }
  [[nodiscard]] index_t operator()(index_t proc, index_t number) const {
    if (proc >= plan_.source().procs() || number >= plan_.target().procs()) return 0;
    index_t all = 1;
    for (unsigned k = 0; k < along_.size() && all != 0; ++k)
      all *= along_[k][plan_.source().at(proc, plan_.axes()[k]) * plan_.target().axis(k).procs() +
                       plan_.target().at(number, k)];
    return all;
  }

 private:
  grid_plan const& plan_;
  std::vector<std::vector<index_t>> along_;
};

}  // namespace detail

/// New numbers for the processes of a plan's result, one for each of `procs`, such that as many
/// elements as possible stay where they are; each keeps its own where that is as good. Exact up to
/// most_exact_procs, above greedy: at least half of what is possible.
/// Cost    as best_assignment: 0.1 s for 1024 processes on one core, 2 s where many numbers are
///         equally good.
/// Errors  bad_value for fewer processes than the grids have.
/// Source  the same question, solved greedily: COSTA (Kabic, Pintarelli, Kozhevnikov, VandeVondele
///         2021).
template <class = void>
[[nodiscard]] std::vector<index_t> process_numbers(grid_plan const& p, index_t procs) {
  std::vector<index_t> own;
  for (index_t proc = 0; proc < procs; ++proc) own.push_back(proc);
  static_cast<void>(p.renumbered(own));  // throws where they are too few
  const detail::grid_overlaps stay(p);
  std::vector<index_t> numbers;
  if (procs <= most_exact_procs) {
    numbers = best_assignment(procs, stay);
  } else {
    std::vector<std::tuple<index_t, index_t, index_t>> pairs;
    for (index_t proc = 0; proc < p.source().procs(); ++proc)
      for (index_t number = 0; number < p.target().procs(); ++number)
        if (const index_t gain = stay(proc, number); gain != 0)
          pairs.emplace_back(gain, proc, number);
    numbers = greedy_assignment(procs, std::move(pairs));
  }
  index_t with_own = 0, with_new = 0;
  for (index_t proc = 0; proc < procs; ++proc) {
    with_own += stay(proc, proc);
    with_new += stay(proc, numbers[proc]);
  }
  return with_own >= with_new ? own : numbers;
}

}  // namespace bmmc
