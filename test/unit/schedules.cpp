// SPDX-License-Identifier: BSL-1.0

// Schedules of cube swaps: every one is moved element by element, on a simulator that shares no
// code with the library, and takes the steps that the theorems promise.

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>

#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace {

using namespace bmmc;

/// Steps that a schedule takes, or -1 where it goes wrong. Every step is looked at by itself.
int simulate(schedule const& s, std::vector<index_t> const& target_of) {
  std::map<std::pair<index_t, unsigned>, index_t> where;
  for (index_t x = 0; x < target_of.size(); ++x)
    for (unsigned k = 0; k < s.elements; ++k) where[{x, k}] = x;
  std::map<unsigned, std::vector<crossing>> steps;
  for (auto const& c : s.crossings) steps[c.step].push_back(c);
  for (auto const& [step, together] : steps) {
    std::set<std::pair<index_t, index_t>> channels;
    auto moved = where;
    for (auto const& c : together) {
      const index_t next = c.node ^ oracle::power(c.dimension);
      if (!channels.insert({c.node, next}).second) return -1;
      if (where.at({c.source, c.number}) != c.node || next >= target_of.size()) return -1;
      if (moved.at({c.source, c.number}) != c.node) return -1;
      moved.at({c.source, c.number}) = next;
    }
    where = moved;
  }
  for (auto const& [element, place] : where)
    if (place != target_of[element.first]) return -1;
  return steps.empty() ? 0 : static_cast<int>(steps.rbegin()->first) + 1;
}

/// Steps of a schedule for the change from one Gray coded axis to axes that begin above the
/// dimensions `cut`; -1 where it goes wrong, -2 where the library's own check differs.
int steps_of(schedule const& s, permutation<> const& p, std::vector<index_t> const& target_of) {
  const int found = simulate(s, target_of);
  if (fault_of(s, p).empty() != (found >= 0)) return -2;
  if (found >= 0 && static_cast<int>(s.steps()) != found) return -2;
  return found;
}

/// A reshape by its definition: address of every index before and after, from Gray code lists. The
/// axes of a shape end below the dimensions in a set, and at n.
using tops = std::vector<unsigned>;  // highest dimensions of all axes but the most significant
index_t gray_address(unsigned n, tops const& highest, index_t i) {
  index_t address = 0;
  unsigned low = 0;
  for (std::size_t a = 0; a <= highest.size(); ++a) {
    const unsigned bits = (a < highest.size() ? highest[a] + 1 : n) - low;
    address += oracle::gray_list(bits)[i % oracle::power(bits)] * oracle::power(low);
    i /= oracle::power(bits);
    low += bits;
  }
  return address;
}
struct change {
  permutation<> p;
  std::vector<index_t> target_of;
  dimension_order dimensions;  // that only one of the two has
};
change between(unsigned n, tops const& from, tops const& to) {
  change c{identity_permutation(n), std::vector<index_t>(oracle::power(n)), {}};
  for (index_t i = 0; i < oracle::power(n); ++i)
    c.target_of[gray_address(n, from, i)] = gray_address(n, to, i);
  for (unsigned d = 0; d < n; ++d)
    if (std::count(from.begin(), from.end(), d) != std::count(to.begin(), to.end(), d))
      c.dimensions.push_back(d);
  bit_matrix<> a(n, n);
  for (unsigned j = 0; j < n; ++j) a.column[j] = c.target_of[oracle::power(j)];
  c.p = permutation<>(a);
  return c;
}
change split_at(unsigned n, tops const& dimensions) { return between(n, {}, dimensions); }
std::vector<std::vector<unsigned>> subsets(unsigned n) {
  std::vector<std::vector<unsigned>> all;
  for (unsigned set = 0; set < oracle::power(n); ++set) {
    std::vector<unsigned> chosen;
    for (unsigned j = 0; j < n; ++j)
      if (((set >> j) & 1) != 0) chosen.push_back(j);
    all.push_back(chosen);
  }
  return all;
}
bool has_neighbours(std::vector<unsigned> const& dimensions) {
  for (std::size_t j = 1; j < dimensions.size(); ++j)
    if (dimensions[j] == dimensions[j - 1] + 1) return true;
  return false;
}
int ceil_div(unsigned a, unsigned b) { return static_cast<int>((a + b - 1) / b); }

}  // namespace

TEST_CASE("the checker finds every kind of fault", "[schedule]") {
  const auto p = flip(2, 0);  // 0 <-> 1, 2 <-> 3
  const schedule good{2, 1, {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}, {0, 2, 0, 2, 0}, {0, 3, 0, 3, 0}}};
  CHECK(fault_of(good, p) == "");
  CHECK(good.steps() == 1);
  CHECK(fault_of(good, flip(2, 1)) != "");              // they arrive elsewhere
  CHECK(fault_of({2, 1, {{0, 0, 0, 0, 0}}}, p) != "");  // most do not move
  CHECK(fault_of({2, 2, good.crossings}, p) != "");     // second elements stay
  CHECK(fault_of({3, 1, good.crossings}, p) != "");     // another cube
  auto bad = good;
  bad.crossings[1].node = 3;  // not where the element is
  CHECK(fault_of(bad, p).find("is not on node 3 but on 1") != std::string::npos);
  bad = good;
  bad.crossings.push_back({0, 1, 1, 0, 0});  // twice in one step
  CHECK(fault_of(bad, p).find("crosses two channels") != std::string::npos);
  bad = good;
  bad.crossings[0].number = 1;
  CHECK(fault_of(bad, p).find("does not exist") != std::string::npos);
  schedule crowded{1, 2, {{0, 0, 0, 0, 0}, {0, 0, 0, 0, 1}, {0, 1, 0, 1, 0}, {1, 1, 0, 1, 1}}};
  CHECK(fault_of(crowded, flip(1, 0)) == "1 channels are used twice in a step");
  crowded.crossings[1].step = 1;
  CHECK(fault_of(crowded, flip(1, 0)) == "");
  CHECK(crowded.steps() == 2);
}

TEST_CASE("theorem 2 and the older schedules: every split on up to 5 dimensions", "[schedule]") {
  for (unsigned n = 1; n <= 5; ++n)
    for (auto const& chosen : subsets(n - 1)) {
      const auto c = split_at(n, chosen);
      const auto delta = static_cast<unsigned>(chosen.size());
      CHECK(changed_dimensions(c.p) == c.dimensions);
      for (unsigned k : {1U, 2U, 3U, 7U, 8U}) {
        const int K = static_cast<int>(k), D = static_cast<int>(delta);
        const int sequential =
            steps_of(sequential_schedule(c.p, k, c.dimensions), c.p, c.target_of);
        const int pipelined = steps_of(pipelined_schedule(c.p, k, c.dimensions), c.p, c.target_of);
        const int together = steps_of(concurrent_schedule(c.p, k, c.dimensions), c.p, c.target_of);
        CHECK(sequential == D * K);
        CHECK(pipelined == (D == 0 ? 0 : K + D - 1));
        CHECK(together == (D == 0 ? 0 : D * ceil_div(k, delta)));
        if (D != 0) {
          CHECK(2 * std::min({sequential, pipelined, together}) >= K);  // theorem 1
          CHECK(fewest_steps(k) == static_cast<unsigned>(ceil_div(k, 2)));
        }
      }
    }
}

TEST_CASE("theorems 2, 3 and 4 between any two shapes", "[schedule]") {
  unsigned squares = 0, pairs = 0;
  for (unsigned n = 2; n <= 5; ++n)
    for (auto const& from : subsets(n - 1))
      for (auto const& to : subsets(n - 1)) {
        const auto c = between(n, from, to);
        const unsigned delta = c.dimensions.size();
        if (delta == 0) continue;
        const int D = static_cast<int>(delta);
        const auto run = [&](schedule const& s) { return steps_of(s, c.p, c.target_of); };
        CHECK(run(pipelined_schedule(c.p, 5, c.dimensions)) == 5 + D - 1);
        CHECK(run(concurrent_schedule(c.p, 5, c.dimensions)) == D * ceil_div(5, delta));
        const tops chosen(c.dimensions.begin(), c.dimensions.end());
        if (has_neighbours(chosen)) continue;
        ++squares;
        const unsigned k = 4 * delta + 1;
        CHECK(run(square_schedule(c.p, k, c.dimensions)) == D * ceil_div(k, 2 * delta) + 1);
        dimension_order spares;
        for (unsigned d : c.dimensions) spares.push_back(d + 1);
        CHECK(run(two_path_schedule(c.p, k, c.dimensions, spares)) == ceil_div(k, 2) + 2 * D - 1);
        pairs += delta == 2;
      }
  CHECK(squares > 100);
  CHECK(pairs > 20);
}

TEST_CASE("theorems 2, 3 and 4 between random shapes on 512 nodes", "[schedule]") {
  oracle::generator random(9);
  for (int i = 0; i < 4; ++i) {
    const auto sets = subsets(8);
    change c = split_at(9, {});
    do c = between(9, sets[random() % sets.size()], sets[random() % sets.size()]);
    while (c.dimensions.size() < 2 ||
           has_neighbours(tops(c.dimensions.begin(), c.dimensions.end())));
    const unsigned delta = c.dimensions.size(), k = 4 * delta + 1 + static_cast<unsigned>(i);
    const int D = static_cast<int>(delta);
    dimension_order spares;
    for (unsigned d : c.dimensions) spares.push_back(d + 1);
    const auto run = [&](schedule const& s) { return steps_of(s, c.p, c.target_of); };
    CHECK(run(concurrent_schedule(c.p, k, c.dimensions)) == D * ceil_div(k, delta));
    CHECK(run(square_schedule(c.p, k, c.dimensions)) == D * ceil_div(k, 2 * delta) + 1);
    CHECK(run(two_path_schedule(c.p, k, c.dimensions, spares)) == ceil_div(k, 2) + 2 * D - 1);
  }
}

TEST_CASE("theorem 1: half of the nodes send everything across each dimension", "[schedule]") {
  for (auto const& chosen : subsets(4)) {
    const auto c = split_at(5, chosen);
    for (unsigned d : chosen) {
      unsigned must_cross = 0;
      for (index_t x = 0; x < 32; ++x)
        must_cross += static_cast<unsigned>(((x ^ c.target_of[x]) >> d) & 1);
      CHECK(must_cross == 16);
    }
  }
}

TEST_CASE("theorem 5 and corollary 3: Gray to binary and back, in every order", "[schedule]") {
  for (unsigned n = 2; n <= 5; ++n) {
    std::vector<unsigned> order(n - 1);
    std::iota(order.begin(), order.end(), 0U);
    const auto list = oracle::gray_list(n);
    std::vector<index_t> decoded(list.size());
    for (index_t i = 0; i < list.size(); ++i) decoded[list[i]] = i;
    do {
      dimension_order given;
      for (unsigned d : order) given.push_back(d);
      for (unsigned k : {1U, n - 1, 2 * (n - 1), 5U}) {
        const int bound = static_cast<int>(n - 1) * ceil_div(k, n - 1);
        const int down =
            steps_of(concurrent_schedule(gray_decode(n), k, given), gray_decode(n), decoded);
        const int up =
            steps_of(concurrent_schedule(gray_encode(n), k, given), gray_encode(n), list);
        CHECK((down == bound && up == bound));
        CHECK(steps_of(pipelined_schedule(gray_decode(n), k, given), gray_decode(n), decoded) ==
              static_cast<int>(k + n - 2));
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("theorem 3: detours over the next dimension, without conflicts", "[schedule]") {
  for (unsigned n = 2; n <= 8; ++n)
    for (auto const& chosen : subsets(n - 1)) {
      const auto delta = static_cast<unsigned>(chosen.size());
      if (delta == 0 || has_neighbours(chosen) || (n > 6 && delta < 3)) continue;
      const auto c = split_at(n, chosen);
      for (unsigned k = 2 * delta + 1; k <= 6 * delta + 3; ++k) {
        const int D = static_cast<int>(delta), half = ceil_div(k, 2 * delta);
        const int found = steps_of(square_schedule(c.p, k, c.dimensions), c.p, c.target_of);
        const int bound = D * half + 1;
        if (found != bound) FAIL_CHECK(n << " bits, " << delta << ", " << k << ": " << found);
        CHECK(2 * found >= static_cast<int>(k));
      }
    }
}

TEST_CASE("theorem 3: small parts find their ways through every square", "[schedule]") {
  for (unsigned phases = 1; phases <= 6; ++phases)
    for (unsigned turns = 0; turns < oracle::power(phases); turns += 2)
      CHECK(bmmc::detail::search_for_ways(phases, turns).is_complete());
}

TEST_CASE("theorem 3: five dimensions", "[schedule]") {
  const auto c = split_at(10, {0, 2, 4, 6, 8});
  for (unsigned k : {11U, 15U, 20U, 21U}) {
    const auto s = square_schedule(c.p, k, c.dimensions);
    CHECK(fault_of(s, c.p) == "");
    CHECK(static_cast<int>(s.steps()) == 5 * ceil_div(k, 10) + 1);
  }
}

TEST_CASE("theorem 3: six dimensions", "[schedule]") {
  const auto c = split_at(12, {0, 2, 4, 6, 8, 10});
  for (unsigned k : {13U, 24U}) {  // parts of 3, 3, 3, 3, 1 elements, and of 4
    const auto s = square_schedule(c.p, k, c.dimensions);
    CHECK(fault_of(s, c.p) == "");
    CHECK(s.steps() == 2 * 6 + 1);
  }
}

#ifndef BMMC_TEST_FEWER
TEST_CASE("theorem 3: seven dimensions, in two groups of phases", "[schedule]") {
  const auto c = split_at(14, {0, 2, 4, 6, 8, 10, 12});
  const auto s = square_schedule(c.p, 15, c.dimensions);  // five parts of 3 elements
  CHECK(fault_of(s, c.p) == "");
  CHECK(s.steps() == 2 * 7 + 2);  // the promise is one less: open
}
#endif

TEST_CASE("theorem 3: the schedule in its proof has channel conflicts", "[schedule]") {
  const auto c = split_at(4, {0, 2});
  const auto printed = detail::square_schedule_as_printed(c.p, 8, c.dimensions);
  CHECK(channel_conflicts(printed) == 8);
  CHECK(printed.steps() == 5);
  CHECK(simulate(printed, c.target_of) == -1);
  CHECK(steps_of(square_schedule(c.p, 8, c.dimensions), c.p, c.target_of) == 5);
  const auto one = split_at(4, {1});
  CHECK(channel_conflicts(detail::square_schedule_as_printed(one.p, 8, one.dimensions)) == 0);
  // the dimension above must be in the cube, and must not change
  CHECK_THROWS_AS(square_schedule(gray_decode(3), 9, {0, 1}), bad_value);
  CHECK_THROWS_AS(square_schedule(flip(3, 2), 9, {2}), bad_value);
}

TEST_CASE("theorem 4: two pipelines, with spare dimensions of their own", "[schedule]") {
  unsigned cases = 0;
  for (unsigned n = 2; n <= 7; ++n)
    for (auto const& chosen : subsets(n - 1)) {
      const auto delta = static_cast<unsigned>(chosen.size());
      if (delta == 0) continue;
      dimension_order spares;  // from the top: the highest dimension takes the highest that is free
      unsigned next = n;
      for (std::size_t j = chosen.size(); j-- > 0;) {
        do --next;
        while (next > chosen[j] && std::count(chosen.begin(), chosen.end(), next) != 0);
        if (next <= chosen[j]) break;
        spares.push_back(next);
      }
      if (spares.size() != delta) continue;
      std::reverse(spares.item.begin(), spares.item.begin() + delta);
      ++cases;
      const auto c = split_at(n, chosen);
      for (unsigned k : {1U, delta, 2 * delta, 2 * delta + 1, 4 * delta + 2, 13U}) {
        const int found =
            steps_of(two_path_schedule(c.p, k, c.dimensions, spares), c.p, c.target_of);
        const int D = static_cast<int>(delta);
        CHECK(found == (k < 2 * delta ? static_cast<int>(k) + D - 1 : ceil_div(k, 2) + 2 * D - 1));
        CHECK(2 * found >= static_cast<int>(k));
      }
    }
  CHECK(cases > 50);
}

TEST_CASE("theorem 4 needs its conditions", "[schedule]") {
  const auto c = split_at(5, {0, 2});
  CHECK(steps_of(two_path_schedule(c.p, 8, {0, 2}, {3, 4}), c.p, c.target_of) == 7);
  // one spare dimension for two
  CHECK(fault_of(two_path_schedule(c.p, 8, {0, 2}, {4, 4}), c.p).find("used twice") !=
        std::string::npos);
  // another order: the exchange of dimension 2, done before, cancels what 4 decides
  CHECK_THROWS_AS(two_path_schedule(c.p, 8, {2, 0}, {3, 4}), bad_value);
  CHECK(steps_of(two_path_schedule(c.p, 8, {2, 0}, {3, 1}), c.p, c.target_of) == 7);
  CHECK_THROWS_AS(two_path_schedule(c.p, 8, {0, 2}, {2, 4}), bad_value);  // 2 changes
  CHECK_THROWS_AS(two_path_schedule(c.p, 8, {0, 2}, {1, 1}), bad_value);  // 1 is below 2
  CHECK_THROWS_AS(two_path_schedule(c.p, 8, {0, 2}, {3, 5}), bad_value);  // no such dimension
  CHECK_THROWS_AS(two_path_schedule(c.p, 8, {0, 2}, {3}), bad_value);
}

TEST_CASE("conjecture 1 is false on three dimensions", "[schedule]") {
  const auto list = oracle::gray_list(3);
  std::vector<index_t> decoded(8);
  for (index_t i = 0; i < 8; ++i) decoded[list[i]] = i;
  for (unsigned k : {1U, 2U, 5U, 6U, 60U, 61U, 240U}) {
    const int found = steps_of(three_cube_schedule(k), gray_decode(3), decoded);
    CHECK((0 < found && found <= 3 * ceil_div(k, 5) + 2));
  }
  CHECK(three_cube_schedule(60).steps() == 38);    // conjectured to be 40 at least
  CHECK(three_cube_schedule(240).steps() == 146);  // conjectured to be 160 at least
}

TEST_CASE("conjecture 1 is false on four dimensions", "[schedule]") {
  const auto list = oracle::gray_list(4);
  std::vector<index_t> decoded(16);
  for (index_t i = 0; i < 16; ++i) decoded[list[i]] = i;
  for (unsigned k : {1U, 2U, 5U, 6U, 60U, 61U, 240U}) {
    const int found = steps_of(four_cube_schedule(k), gray_decode(4), decoded);
    CHECK((0 < found && found <= 3 * ceil_div(k, 5) + 9));
  }
  CHECK(four_cube_schedule(240).steps() == 153);  // conjectured to be 180 at least
  // a channel that would serve too much is found
  const auto crowded = [](index_t x, unsigned) { return x < 2 ? "0" : ""; };
  CHECK(batch_schedule(2, 4, 2, 2, crowded).steps() == 4);
  CHECK_THROWS_AS(batch_schedule(2, 4, 2, 1, crowded), bad_value);
}

TEST_CASE("no schedule converts Gray code in fewer than 3 K / 5 steps, for n >= 3", "[schedule]") {
  // Channels across the three highest dimensions have weights by the three highest bits of their
  // node, those across the others none. They sum to 10 in each of the 2^(n-3) copies, and the
  // lightest ways of the 8 elements with the same low bits to 6. A step moves elements over all of
  // the weight at most once, so 10 T >= 6 K.
  const std::array<std::array<int, 3>, 8> weight{
      {{0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 1, 1}}};
  for (unsigned n = 3; n <= 6; ++n) {
    const unsigned nodes = 1U << n, low = n - 3;
    std::vector<std::vector<int>> distance(nodes, std::vector<int>(nodes, 100));
    int weights = 0, needed = 0;
    for (unsigned x = 0; x < nodes; ++x) {
      distance[x][x] = 0;
      for (unsigned d = 0; d < n; ++d) {
        const int w = d < low ? 0 : weight[x >> low][d - low];
        distance[x][x ^ (1U << d)] = w;
        weights += w;
      }
    }
    for (unsigned k = 0; k < nodes; ++k)
      for (unsigned i = 0; i < nodes; ++i)
        for (unsigned j = 0; j < nodes; ++j)
          distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
    const auto list = oracle::gray_list(n);
    for (index_t i = 0; i < nodes; ++i) needed += distance[list[i]][i];
    CHECK(5 * needed == 3 * weights);
    CHECK(weights == 10 << low);
  }
  for (unsigned k : {5U, 60U, 240U}) {
    CHECK(5 * three_cube_schedule(k).steps() >= 3 * k);
    CHECK(5 * four_cube_schedule(k).steps() >= 3 * k);
  }
}

TEST_CASE("theorem 4: two pipelines of equal length take the same time", "[schedule]") {
  unsigned cases = 0;
  for (unsigned n = 2; n <= 8; n += 2) {
    tops chosen;
    dimension_order order, spares;
    for (unsigned delta = 1; 2 * delta <= n; ++delta) {
      chosen.push_back(delta - 1);
      order.push_back(delta - 1);
      spares.push_back(n - delta);  // every dimension has a spare of its own, above all of them
      const auto c = split_at(n, chosen);
      for (unsigned k : {2U, 3U, delta, 2 * delta, 2 * delta + 1, 13U}) {
        if (k < 2) continue;
        ++cases;
        const auto s = equal_paths_schedule(c.p, k, order, spares);
        CHECK(steps_of(s, c.p, c.target_of) == ceil_div(k, 2) + 2 * static_cast<int>(delta) - 1);
        // no element is longer under way than 2 delta + 1 channels, or 2 delta for an even delta
        std::map<std::pair<index_t, unsigned>, unsigned> crossed;
        unsigned longest = 0;
        for (auto const& each : s.crossings)
          longest = std::max(longest, ++crossed[{each.source, each.number}]);
        CHECK(longest <= 2 * delta + delta % 2);
      }
    }
  }
  CHECK(cases > 40);
}

TEST_CASE("EHJ section 3: pipelines of any product of exchanges use half of the channels",
          "[schedule]") {
  oracle::generator random(50);
  for (unsigned turn = 0; turn < 20; ++turn) {
    const unsigned n = 4 + turn % 2, k = 3 * n;
    bit_matrix<> lower = identity_matrix(n), upper = identity_matrix(n);
    for (unsigned j = 0; j < n; ++j) {
      lower.column[j] |= random() % bit(n) & ~low_bits(j + 1);
      upper.column[j] |= random() % bit(j);
    }
    const permutation<> p(lower * upper);  // any matrix with nonsingular leading minors
    const auto exchanges = *exchange_factors(p);
    unsigned active = 0;
    for (auto const& e : exchanges) active += !e.is_identity();
    std::vector<index_t> target_of;
    for (index_t x = 0; x < bit(n); ++x) target_of.push_back(p(x));
    const auto s = pipelined_schedule(p, k, ascending_order(n));
    CHECK(simulate(s, target_of) >= 0);
    std::map<unsigned, std::size_t> used;  // channels in each step
    for (auto const& c : s.crossings) ++used[c.step];
    for (unsigned step = n - 1; step < k; ++step)
      CHECK(2 * used[step] ==
            active * bit(n));  // of n 2^n channels, n 2^n / 2 where all are active
    // one exchange after the other: half of the channels of one dimension
    for (auto const& [step, count] : [&] {
           std::map<unsigned, std::size_t> one;
           for (auto const& c : sequential_schedule(p, 2, ascending_order(n)).crossings)
             ++one[c.step];
           return one;
         }())
      CHECK(2 * count == bit(n));
  }
  // an unconditional exchange uses all of its dimension: it is the condition that costs the half
  CHECK(pipelined_schedule(flip(3, 1), 1, {1}).crossings.size() == 8);
}

TEST_CASE("what is no product of exchanges has no schedule", "[schedule]") {
  CHECK_THROWS_AS(pipelined_schedule(shuffle(3), 4, {0, 1, 2}), bad_value);
  CHECK_THROWS_AS(pipelined_schedule(gray_decode(3), 4, {0}), bad_value);
  CHECK_THROWS_AS(pipelined_schedule(gray_decode(3), 4, {0, 1, 3}), bad_value);
  CHECK_THROWS_AS(concurrent_schedule(gray_decode(3), 4, {0, 0, 1}), bad_value);
}
