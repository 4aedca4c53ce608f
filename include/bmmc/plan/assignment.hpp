// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <bmmc/gf2/short_list.hpp>

namespace bmmc {

/// Gives each of n rows a column of its own such that the sum of gain(row, column) is the largest
/// possible: the column of each row. The gains are less than 2^62 together.
/// Cost    O(n^3) operations at most, n^2 words of memory; gain is called once for each pair.
/// Source  shortest augmenting paths: Jonker and Volgenant, A shortest augmenting path algorithm
///         for dense and sparse linear assignment problems, Computing 38 (1987).
template <class Gain>
[[nodiscard]] constexpr std::vector<index_t> best_assignment(index_t n, Gain gain) {
  using number = std::int64_t;
  constexpr index_t none = ~index_t{0};
  std::vector<number> cost(n * n);  // negative gains
  for (index_t row = 0; row < n; ++row)
    for (index_t col = 0; col < n; ++col)
      cost[row * n + col] = -static_cast<number>(gain(row, col));
  // Prices of columns: no row would rather have another column than its own at these prices.
  std::vector<number> price(n, 0), least(n);
  std::vector<index_t> row_of(n, none), col_of(n, none), before(n);
  for (index_t col = n; col-- > 0;) {  // each column goes to the row that gains most, if it is free
    index_t best = 0;
    for (index_t row = 1; row < n; ++row)
      if (cost[row * n + col] < cost[best * n + col]) best = row;
    price[col] = cost[best * n + col];
    if (col_of[best] != none) continue;
    col_of[best] = col;
    row_of[col] = best;
  }
  std::vector<char> is_final(n);
  for (index_t start = 0; start < n; ++start) {
    if (col_of[start] != none) continue;
    // The shortest way from this row to a column that nobody has.
    std::fill(is_final.begin(), is_final.end(), char{0});
    for (index_t col = 0; col < n; ++col) {
      least[col] = cost[start * n + col] - price[col];
      before[col] = start;
    }
    index_t end = none;
    number length = 0;
    while (end == none) {
      index_t next = none;
      for (index_t col = 0; col < n; ++col)
        if (is_final[col] == 0 &&
            (next == none || least[col] < least[next] ||
             (least[col] == least[next] && row_of[col] == none && row_of[next] != none)))
          next = col;
      is_final[next] = 1;
      length = least[next];
      if (row_of[next] == none) {
        end = next;
        break;
      }
      const index_t row = row_of[next];
      const number base = length - (cost[row * n + next] - price[next]);
      for (index_t col = 0; col < n; ++col) {
        if (is_final[col] != 0) continue;
        const number way = base + cost[row * n + col] - price[col];
        if (way >= least[col]) continue;
        least[col] = way;
        before[col] = row;
      }
    }
    for (index_t col = 0; col < n; ++col)
      if (is_final[col] != 0) price[col] += least[col] - length;
    for (index_t col = end;;) {  // each row on the way takes the next column
      const index_t row = before[col];
      row_of[col] = row;
      std::swap(col_of[row], col);
      if (row == start) break;
    }
  }
  return col_of;
}

/// The same by taking the largest gain that is left, again and again, and the lowest free
/// numbers where no gain is left: at least half of the best sum. `pairs` are (gain, row, column),
/// those without gain left out.
/// Cost    O(m log m) for m pairs.
template <class = void>
[[nodiscard]] std::vector<index_t> greedy_assignment(
    index_t n, std::vector<std::tuple<index_t, index_t, index_t>> pairs) {
  constexpr index_t none = ~index_t{0};
  std::sort(pairs.begin(), pairs.end(), [](auto const& a, auto const& b) {
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) > std::get<0>(b);
    return a < b;
  });
  std::vector<index_t> col_of(n, none);
  std::vector<char> taken(n, 0);
  for (auto const& [gain, row, col] : pairs) {
    if (col_of[row] != none || taken[col] != 0) continue;
    col_of[row] = col;
    taken[col] = 1;
  }
  index_t free = 0;
  for (index_t& col : col_of) {
    if (col != none) continue;
    while (taken[free] != 0) ++free;
    taken[free] = 1;
    col = free;
  }
  return col_of;
}

}  // namespace bmmc
