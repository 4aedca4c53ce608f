// SPDX-License-Identifier: BSL-1.0

// New process numbers for the result: how much stays, against a count of all elements and against
// all P! numberings.

#include <algorithm>
#include <numeric>
#include <set>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/print.hpp>
#include <bmmc/plan/relabel.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/simulate.hpp"
#include "support/throws.hpp"
#include "support/told_layouts.hpp"

using namespace bmmc;

namespace {

#ifdef BMMC_TEST_FEWER
constexpr unsigned random_cases = 200, each_matrix = 10;
#else
constexpr unsigned random_cases = 2000, each_matrix = 1;
#endif

/// Elements that stay where process k of the source is process number[k] of the result.
index_t stay(oracle::traffic const& t, std::vector<index_t> const& number) {
  index_t sum = 0;
  for (std::size_t k = 0; k < number.size(); ++k) sum += t.sent[k][number[k]];
  return sum;
}
/// The most that any of the P! numberings keeps.
index_t most_that_can_stay(oracle::traffic const& t) {
  std::vector<index_t> number(t.sent.size());
  std::iota(number.begin(), number.end(), index_t{0});
  index_t most = 0;
  do most = std::max(most, stay(t, number));
  while (std::next_permutation(number.begin(), number.end()));
  return most;
}

/// What the plan of the renamed permutation does to the indices themselves: afterwards process k
/// holds what the target layout gives to process number[k].
bool moves_all(plan const& made, oracle::affine const& map, unsigned p, told_layout const& source,
               told_layout const& target, std::vector<index_t> const& number) {
  const auto n = static_cast<unsigned>(map.c.size());
  chunks data(bit(p), std::vector<index_t>(bit(n - p)));
  for (index_t x = 0; x < bit(n); ++x) {
    const auto at = source.expected(n, p, x);
    data[at.proc][at.offset] = x;
  }
  const chunks moved = simulate(made, data);
  std::vector<index_t> process_of(number.size());
  for (index_t k = 0; k < number.size(); ++k) process_of[number[k]] = k;
  for (index_t x = 0; x < bit(n); ++x) {
    const auto at = target.expected(n, p, map(x));
    if (moved[process_of[at.proc]][at.offset] != x) return false;
  }
  return true;
}

void check_numbers(oracle::affine const& map, unsigned p, told_layout const& source,
                   told_layout const& target, bool try_all) {
  const auto n = static_cast<unsigned>(map.c.size());
  INFO("n = " << n << ", p = " << p << ", " << source.name << " to " << target.name << "\n"
              << to_string(to_library(map)));
  const auto counted = oracle::count_traffic(n, p, map, source.expected, target.expected);
  const layout::between between{source, target};
  const auto kept_numbers = make_plan(to_library(map), between, bit(p));
  const relabelled data(to_library(map), between);
  const auto number_of = data.numbers(bit(p));
  const plan made = make_plan(to_library(map), data, bit(p));

  std::vector<index_t> number;
  for (index_t k = 0; k < bit(p); ++k) number.push_back(number_of(k));
  REQUIRE(std::set<index_t>(number.begin(), number.end()).size() == bit(p));
  REQUIRE(number_of == process_numbers(kept_numbers));
  REQUIRE(made.rank() == kept_numbers.rank());
  REQUIRE(made.stays() == bit(n) / made.messages());
  REQUIRE(stay(counted, number) == made.stays());
  if (try_all) REQUIRE(most_that_can_stay(counted) == made.stays());
  REQUIRE(made.is_local() == (made.rank() == 0));
  for (index_t k = 0; k < bit(p); ++k) {
    REQUIRE(made.stays(k) == made.message_elements());
    if (counted.sent[k][k] != 0) REQUIRE(number[k] == k);
  }
  REQUIRE(moves_all(made, map, p, source, target, number));
}

/// Calls use(matrix) for every nonsingular n x n matrix; returns how many there are.
template <class Use>
unsigned for_all_nonsingular(unsigned n, Use use) {
  unsigned count = 0;
  for (index_t words = 0; words < bit(n * n); ++words) {
    oracle::matrix a(n, n);
    for (unsigned k = 0; k < n * n; ++k) a.row[k / n][k % n] = static_cast<char>((words >> k) & 1);
    if (oracle::rank(a) != n) continue;
    use(a, count++);
  }
  return count;
}

}  // namespace

TEST_CASE("all of GL(3,2) and GL(4,2): N / 2^rank elements stay, the most that can", "[relabel]") {
  CHECK(for_all_nonsingular(3, [](oracle::matrix const& a, unsigned turn) {
          for (unsigned p = 0; p <= 3; ++p)
            check_numbers({a, oracle::to_bits(turn % 8, 3)}, p, major, major,
                          p <= 2 || turn % 20 == 0);
        }) == 168);
  CHECK(for_all_nonsingular(4, [](oracle::matrix const& a, unsigned turn) {
          if (turn % each_matrix != 0) return;
          for (unsigned p = 0; p <= 4; ++p)
            check_numbers({a, oracle::to_bits(turn % 16, 4)}, p, major, major,
                          p <= 2 || (p == 3 && turn % 1000 == 0));
        }) == 20160);
}

TEST_CASE("random permutations between random layouts", "[relabel]") {
  oracle::generator random(1);
  for (unsigned i = 0; i < random_cases; ++i) {
    const unsigned n = i % 11, p = std::min(n, static_cast<unsigned>(random() % 6));
    oracle::affine map = random_affine(n, random);
    if (i % 2 == 0)
      map.a = oracle::random_of_rank(
          n, p, static_cast<unsigned>(random() % (std::min(p, n - p) + 1)), random);
    const auto layouts = all_layouts(n, p, random);
    check_numbers(map, p, layouts[random() % layouts.size()], layouts[random() % layouts.size()],
                  p <= 2);
  }
}

TEST_CASE("cycles of processes of any length: nothing moves", "[relabel]") {
  // x^p + .. + 1 irreducible: the companion matrix takes all numbers but 0 in one cycle
  for (auto const& [p, polynomial] : {std::pair(2U, index_t{0b11}),
                                      {3U, index_t{0b011}},
                                      {4U, index_t{0b0011}},
                                      {5U, index_t{0b00101}}}) {
    oracle::matrix a = oracle::unit(p + 3);
    for (unsigned i = 0; i < p; ++i)
      for (unsigned j = 0; j < p; ++j)
        a.row[3 + i][3 + j] =
            static_cast<char>(j + 1 < p ? i == j + 1 : (polynomial >> i & 1) != 0);
    const permutation<> cycle(to_library(a));
    const auto before = make_plan(cycle, layout::processor_major{}, bit(p));
    CHECK(before.stays() == 8);  // process 0 alone
    const relabelled data(cycle);
    CHECK(make_plan(cycle, data, bit(p)).is_local());
    index_t k = 1, length = 0;
    do k = data.numbers(bit(p))(k), ++length;
    while (k != 1);
    CHECK(length == bit(p) - 1);
  }
}

TEST_CASE("numbers that are good already are kept", "[relabel]") {
  // a transposition: every process keeps the block on the diagonal
  const relabelled reversal(bit_reversal(12));  // named: g++ 12 warns wrongly about temporaries
  const auto numbers = reversal.numbers(16);
  CHECK(is_identity(numbers));
  const relabelled transposition(transpose(5, 5)), whole_chunks(flip(6, 5));
  CHECK(is_identity(transposition.numbers(32)));
  CHECK_FALSE(is_identity(whole_chunks.numbers(4)));
}

TEST_CASE("a billion processes", "[relabel][big]") {
  oracle::generator random(5);
  for (auto const& [n, p] : {std::pair(50U, 20U), {63U, 31U}, {63U, 63U}, {63U, 0U}, {60U, 45U}})
    for (int trial = 0; trial < 6; ++trial) {
      const auto rank = static_cast<unsigned>(random() % (std::min(p, n - p) + 1));
      const permutation<> map(to_library(oracle::random_of_rank(n, p, rank, random)),
                              random() % bit(n));
      const plan made = make_plan(map, relabelled(map), bit(p));
      REQUIRE(made.rank() == rank);
      REQUIRE(made.stays() == bit(n - rank));
      REQUIRE(made.is_local() == (rank == 0));
    }
}

TEST_CASE("relabelling refuses what a plan refuses", "[relabel][errors]") {
  const relabelled data(shuffle(4));
  CHECK_COMPLAINS(bad_value, data.numbers(3), "power of two", "3");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(4), data, 32), "2^4", "2^5");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(5), data, 4), "4", "5");
}
