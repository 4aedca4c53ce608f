// SPDX-License-Identifier: BSL-1.0

// Numbers for the processes of a result, such that most stays: against all numberings.

#include <algorithm>
#include <bmmc/plan/relabel_grid.hpp>
#include <numeric>

#include "support/catch.hpp"
#include "support/grid_cases.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::index_t;

std::vector<index_t> counting(index_t n) {
  std::vector<index_t> all(n);
  std::iota(all.begin(), all.end(), index_t{0});
  return all;
}
index_t sum(std::vector<index_t> const& gains, std::vector<index_t> const& col_of) {
  index_t all = 0;
  for (index_t row = 0; row < col_of.size(); ++row) all += gains[row * col_of.size() + col_of[row]];
  return all;
}
bool is_permutation(std::vector<index_t> list) {
  std::sort(list.begin(), list.end());
  return list == counting(list.size());
}
index_t best_of_all(std::vector<index_t> const& gains, index_t n) {
  auto each = counting(n);
  index_t best = 0;
  do best = std::max(best, sum(gains, each));
  while (std::next_permutation(each.begin(), each.end()));
  return best;
}
/// What stays, counted element by element.
index_t staying(oracle::array const& from, oracle::array const& to,
                std::vector<index_t> const& numbers) {
  const auto home = from.homes(), next = to.homes();
  index_t all = 0;
  for (index_t x = 0; x < home.size(); ++x) all += numbers[home[x].proc] == next[x].proc ? 1 : 0;
  return all;
}

}  // namespace

TEST_CASE("the best assignment is the best of all, the greedy one half of it", "[relabel]") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 1500; ++i) {
    const index_t n = 1 + random() % 6, range = 1 + random() % 9;
    std::vector<index_t> gains(n * n);
    std::vector<std::tuple<index_t, index_t, index_t>> pairs;
    for (index_t k = 0; k < gains.size(); ++k) {
      gains[k] = random() % 3 != 0 ? random() % range : 0;
      if (gains[k] != 0) pairs.emplace_back(gains[k], k / n, k % n);
    }
    const auto exact =
        bmmc::best_assignment(n, [&](index_t row, index_t col) { return gains[row * n + col]; });
    const auto greedy = bmmc::greedy_assignment(n, pairs);
    const index_t best = best_of_all(gains, n);
    CHECK(is_permutation(exact));
    CHECK(is_permutation(greedy));
    CHECK(sum(gains, exact) == best);
    CHECK(2 * sum(gains, greedy) >= best);
  }
  // 700 rows that each want one column, in a scrambled order
  auto wanted = counting(700);
  std::shuffle(wanted.begin(), wanted.end(), random);
  CHECK(bmmc::best_assignment(700, [&](index_t row, index_t col) -> index_t {
          return wanted[row] == col ? 3 : (row + col) % 3;
        }) == wanted);
}

TEST_CASE("with new numbers as much stays as with any", "[relabel]") {
  std::mt19937_64 random(4);
  for (int i = 0; i < 60; ++i) {
    const oracle::positions each{1 + random() % 9, 1 + random() % 9};
    const auto from = oracle::random_array(each, 6, random),
               to = oracle::random_array(each, 6, random);
    const bmmc::grid_plan plan(cases::layout_of(from), cases::layout_of(to));
    const index_t procs = plan.procs() + static_cast<index_t>(i % 2);
    const auto numbers = process_numbers(plan, procs);
    auto any = counting(procs);
    index_t best = 0;
    do best = std::max(best, staying(from, to, any));
    while (std::next_permutation(any.begin(), any.end()));
    CHECK(is_permutation(numbers));
    CHECK(staying(from, to, numbers) == best);
    CHECK(plan.renumbered(numbers).stays() == best);
    if (plan.stays() == best) CHECK(numbers == counting(procs));
  }
}

TEST_CASE("more than 1024 processes: greedy, here exact", "[relabel]") {
  const bmmc::grid_layout a{bmmc::grid_axis::blocks(3000, 1500)},
      b{bmmc::grid_axis::blocks(3000, 1500).beginning_on(7)};
  const bmmc::grid_plan plan(a, b);
  const auto numbers = process_numbers(plan, 1500);
  CHECK(plan.stays() == 0);
  CHECK(numbers[0] == 7);
  CHECK(plan.renumbered(numbers).is_local());
  CHECK(explain(plan.renumbered(numbers)).find("other numbers") != std::string::npos);
  CHECK_COMPLAINS(bmmc::bad_value, process_numbers(plan, 1499), "1500 processes");
}
