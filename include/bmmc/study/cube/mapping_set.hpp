// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/gf2/subspace.hpp>
#include <bmmc/study/cube/mapping.hpp>

namespace bmmc::cube {

/// What a mapping for several communications makes small.
enum class objective {
  worst,     // the largest contention of any: they run one at a time
  together,  // the largest sum over them in one dimension: they run at once
  total      // the sum over them and over all dimensions
};

/// A reordering of dimensions for a set of communications.
struct set_mapping {
  dimension_order order{};
  permutation<> q{};
  std::vector<communication> after{};
  index_t value = 0;  // of the objective: no order has less
};

/// Most dimensions that find_mapping of a set takes: its tables are then 329 MiB.
inline constexpr unsigned most_set_dimensions = 20;

/// The value of an objective under ascending order.
[[nodiscard]] inline index_t evaluate(std::span<communication const> set, objective wanted) {
  index_t worst = 0, together = 0, total = 0;
  for (unsigned j = 0; !set.empty() && j < set[0].dimensions(); ++j) {
    index_t sum = 0;
    for (auto const& c : set) {
      sum += contention(c, j);
      worst = std::max(worst, contention(c, j));
    }
    together = std::max(together, sum);
    total += sum;
  }
  return wanted == objective::worst ? worst : wanted == objective::together ? together : total;
}

namespace detail {

/// For each set S of dimensions and each j outside: what dimension j costs when those of S come
/// before it. Entry S n + j.
struct cost_table {
  unsigned n;
  std::vector<index_t> worst, sum;

  explicit cost_table(unsigned dimensions) : n(dimensions), worst(n << n, 0), sum(worst) {}

  [[nodiscard]] std::size_t at(index_t before, unsigned j) const noexcept { return before * n + j; }

  /// Adds T of all (S, j). The unknowns of contention() are taken as sets U, so that one
  /// elimination serves every j: dimension j adds 1 to the rank where its row is independent.
  void add(communication const& c) {
    const auto rows = transposed(c.map.matrix);  // column i holds row i
    const unsigned r = c.message_bits();
    index_t moving = 0;
    for (unsigned j = 0; j < n; ++j) moving |= stays(c, j) ? 0 : bit(j);
    for (index_t unknown = 0; unknown < bit(n); ++unknown) {
      const index_t columns = unknown | (low_bits(r) << n);
      subspace spanned;
      for (index_t rest = unknown; rest != 0; rest &= rest - 1)
        spanned.add(rows.column[bmmc::detail::lowest_one(rest)] & columns);
      const unsigned free = static_cast<unsigned>(std::popcount(unknown)) + r - spanned.dimension();
      for (index_t rest = moving & ~unknown; rest != 0; rest &= rest - 1) {
        const auto j = bmmc::detail::lowest_one(rest);
        auto with_j = spanned;
        const index_t t = with_j.add(rows.column[j] & columns) ? bit(free - 1) : bit(free);
        const auto k = at(c.pulled ? low_bits(n) & ~unknown & ~bit(j) : unknown, j);
        worst[k] = std::max(worst[k], t);
        sum[k] += t;
      }
    }
  }
};

inline constexpr index_t impossible = std::numeric_limits<index_t>::max();

/// The order of least cost, where cost(S, j) may be `impossible` and fold joins the costs of all
/// dimensions: best(S) = the least of fold(best(S - j), cost(S - j, j)) over j in S.
/// Source  Hou et al. 2001, theorem 5.
template <class Cost, class Fold>
std::pair<index_t, dimension_order> least_order(unsigned n, Cost cost, Fold fold) {
  std::vector<index_t> best(bit(n), impossible);
  std::vector<std::uint8_t> last(bit(n), 0);
  best[0] = 0;
  for (index_t set = 1; set < bit(n); ++set)
    for (index_t rest = set; rest != 0; rest &= rest - 1) {
      const auto j = bmmc::detail::lowest_one(rest);
      const index_t before = set & ~bit(j), one = cost(before, j);
      if (one == impossible || best[before] == impossible) continue;
      // a tie leaves the higher dimension last: what need not be reordered stays
      if (const index_t value = fold(best[before], one); value <= best[set]) {
        best[set] = value;
        last[set] = static_cast<std::uint8_t>(j);
      }
    }
  dimension_order order{{}, n};
  index_t set = low_bits(n);
  for (unsigned k = n; k-- > 0; set &= ~bit(order[k])) order[k] = last[set];
  return {best[low_bits(n)], order};
}

inline unsigned common_dimensions(std::span<communication const> set) {
  if (set.empty()) throw bad_value("a mapping needs at least one communication");
  const unsigned n = set[0].dimensions();
  for (auto const& c : set)
    if (c.dimensions() != n)
      throw bad_value("communications on hypercubes of " + std::to_string(n) + " and " +
                      std::to_string(c.dimensions()) + " dimensions have no common mapping");
  if (n > most_set_dimensions)
    throw bad_value("a set of communications is mapped on at most " +
                    std::to_string(most_set_dimensions) + " dimensions, not " + std::to_string(n));
  return n;
}

}  // namespace detail

/// The order of dimensions with the least value of the objective for m communications; among
/// those with the least worst or together, one with the least total.
/// Shape   all have n dimensions, n <= 20; each node may have several messages.
/// Cost    O(m n^2 2^n) word operations.
/// Memory  (16 n + 9) 2^n bytes: 17 MiB for n = 16.
/// Errors  bad_value for no communication, different n, n over 20; std::bad_alloc.
/// Source  Hou et al. 2001, section 5, which needs O(m n^4 2^n).
[[nodiscard]] inline set_mapping find_mapping(std::span<communication const> set,
                                              objective wanted = objective::worst) {
  const unsigned n = detail::common_dimensions(set);
  detail::cost_table costs(n);
  for (auto const& c : set) costs.add(c);
  const auto largest = [](index_t a, index_t b) { return std::max(a, b); };
  const auto& limited = wanted == objective::worst ? costs.worst : costs.sum;
  index_t limit = detail::impossible;
  if (wanted != objective::total)
    limit =
        detail::least_order(
            n, [&](index_t before, unsigned j) { return limited[costs.at(before, j)]; }, largest)
            .first;
  const auto within_limit = [&](index_t before, unsigned j) {
    const auto k = costs.at(before, j);
    return limited[k] <= limit ? costs.sum[k] : detail::impossible;
  };
  const auto [total, order] = detail::least_order(n, within_limit, std::plus<>{});
  set_mapping found{order, reordering(order), {}, wanted == objective::total ? total : limit};
  for (auto const& c : set) found.after.push_back(remapped(c, found.q));
  return found;
}

}  // namespace bmmc::cube
