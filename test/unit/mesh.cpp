// SPDX-License-Identifier: BSL-1.0

// The mesh machine and its programs: every formula by running the machine, every result by moving
// real data, every condition by trying all or many permutations.

#include <algorithm>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <functional>
#include <numeric>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"
#include "support/throws.hpp"

namespace {

namespace mesh = bmmc::mesh;
using bmmc::index_t;
using bmmc::permutation;
using mesh::machine;
using list = std::vector<index_t>;

const std::vector<unsigned> sizes{4, 6, 8, 10, 12};
index_t root(unsigned n) { return index_t{1} << n / 2; }

list random_list(index_t n, std::mt19937_64& random) {
  list targets(n);
  std::iota(targets.begin(), targets.end(), index_t{0});
  for (index_t i = n; i > 1; --i) std::swap(targets[i - 1], targets[random() % i]);
  return targets;
}
list targets_of(oracle::affine const& map, unsigned n) {
  list y;
  for (index_t x = 0; x < oracle::power(n); ++x) y.push_back(map(x));
  return y;
}
list targets_of(permutation<> const& p) { return targets_of(oracle::read_affine(p), p.bits()); }

machine loaded(unsigned n, list const& targets) {
  machine m(n);
  m.load([&](index_t i) { return targets[i]; });
  return m;
}
/// Every datum, tag and value, is where it must be.
bool is_right(machine const& m, list const& targets) {
  for (index_t i = 0; i < targets.size(); ++i)
    if (m[targets[i]].x.value != i || m[targets[i]].x.tag != targets[i]) return false;
  return m.is_done();
}

struct cost {
  index_t r = 0, l = 0;
  friend bool operator==(cost, cost) = default;
  friend std::ostream& operator<<(std::ostream& out, cost c) {
    return out << "R = " << c.r << ", L = " << c.l;
  }
};
cost counted(machine const& m) { return {m.routes(), m.unit_route_count()}; }

/// Counts of a program that must do its work, and of the same with its masks at hand.
std::pair<cost, cost> run(unsigned n, list const& targets,
                          std::function<void(machine&)> const& program) {
  auto m = loaded(n, targets);
  program(m);
  CHECK(is_right(m, targets));
  auto again = loaded(n, targets);
  again.replay(m.trace());
  CHECK(is_right(again, targets));
  return {counted(m), counted(again)};
}

/// Unit routes from element 0 to each, by breadth-first search over the four links.
list distances(unsigned n) {
  const index_t size = oracle::power(n);
  list steps(size, size);
  std::queue<index_t> open({0});
  steps[0] = 0;
  while (!open.empty()) {
    const index_t at = open.front();
    open.pop();
    for (const index_t next : {(at + 1) % size, (at + size - 1) % size, (at + root(n)) % size,
                               (at + size - root(n)) % size})
      if (steps[next] == size) {
        steps[next] = steps[at] + 1;
        open.push(next);
      }
  }
  return steps;
}

/// All leading minors of a are 1, by the oracle's ranks.
bool has_lu(oracle::matrix const& a) {
  for (unsigned k = 1; k <= a.rows; ++k)
    if (oracle::rank(oracle::part(a, 0, k, 0, k)) != k) return false;
  return true;
}

/// Calls f(a) for every nonsingular n x n matrix.
void for_all_of_gl(unsigned n, auto f) {
  for (oracle::number word = 0; word < oracle::power(n * n); ++word) {
    oracle::matrix a(n, n);
    for (unsigned k = 0; k < n * n; ++k) a.row[k / n][k % n] = static_cast<char>((word >> k) & 1);
    if (oracle::rank(a) == n) f(a);
  }
}

/// The least k for which Q_k is no permutation, by sets; 0 where there is none.
unsigned first_bad_step(unsigned n, list const& targets) {
  for (unsigned k = 1; k <= n; ++k) {
    std::set<index_t> places;
    for (index_t i = 0; i < targets.size(); ++i)
      places.insert(targets[i] % oracle::power(k) + i / oracle::power(k) * oracle::power(k));
    if (places.size() != targets.size()) return k;
  }
  return 0;
}

}  // namespace

TEST_CASE("routes take the least number of unit routes and move every word as far", "[mesh]") {
  for (const unsigned n : {2U, 4U, 6U, 8U}) {
    const auto expected = distances(n);
    CHECK(*std::max_element(expected.begin(), expected.end()) == root(n) - 1);
    for (index_t d = 0; d < oracle::power(n); ++d)
      for (const auto distance :
           {std::int64_t(d), std::int64_t(d) - std::int64_t(1) * std::int64_t(oracle::power(n))}) {
        const auto units = mesh::shortest_routes(n, distance);
        REQUIRE(units.length() == expected[d]);
        if (n > 6 && d % 7 != 0) continue;
        machine m(n);
        m.load([](index_t i) { return i; });
        m.route(&mesh::registers::x, &mesh::registers::temp, distance);
        bool right = true;
        for (index_t i = 0; i < m.size(); ++i)
          right = right && m[(i + d) % m.size()].temp.value == i;
        REQUIRE(right);
        REQUIRE(counted(m) == cost{1, expected[d]});
      }
  }
  CHECK_COMPLAINS(bmmc::bad_value, machine(5), "even", "not 5");
  CHECK_COMPLAINS(bmmc::bad_value, machine(0), "not 0");
}

TEST_CASE("disabled elements store nothing and compute nothing", "[mesh]") {
  machine m(4);
  m.load([](index_t i) { return i; });
  m.enable([](index_t i, mesh::registers const&) { return i % 3 == 0; });
  m.route(&mesh::registers::x, &mesh::registers::temp, 5);
  m.where_enabled([](index_t, mesh::registers& r) { r.mask1 = true; });
  for (index_t i = 0; i < 16; ++i) {
    CHECK(m[i].temp.value == (i % 3 == 0 ? (i + 11) % 16 : 0));
    CHECK(m[i].mask1 == (i % 3 == 0));
  }
  CHECK(m.time(100, 1) == 100 + 2);  // a R + b L: distance 5 = 4 + 1
}

TEST_CASE("perfect shuffle: R = 3 (n - 1), L = 6 (sqrt N - 1)", "[mesh]") {
  for (const unsigned n : sizes) {
    const auto [all, reused] = run(n, targets_of(bmmc::shuffle(n)), mesh::perfect_shuffle);
    CHECK(all == cost{3 * (n - 1), 6 * (root(n) - 1)});
    CHECK(reused == cost{2 * (n - 1), 4 * (root(n) - 1)});
  }
}

TEST_CASE("bit reversal: R = 3 n / 2, L = 6 sqrt N - 9 and not (11/2) sqrt N - 9", "[mesh]") {
  for (const unsigned n : sizes) {
    const auto [all, reused] = run(n, targets_of(bmmc::bit_reversal(n)), mesh::bit_reversal);
    CHECK(all == cost{3 * n / 2, 6 * root(n) - 9});
    CHECK(all.l != 11 * root(n) / 2 - 9);
    CHECK(reused == cost{n, 4 * root(n) - 6});
  }
}

TEST_CASE("general algorithm: R = 4 n, L = 8 (sqrt N - 1)", "[mesh]") {
  for (const unsigned n : sizes) {
    const auto targets = targets_of(bmmc::gray_decode(n));
    const auto [all, reused] = run(n, targets, [](machine& m) { CHECK_FALSE(mesh::general(m)); });
    CHECK(all == cost{4 * n, 8 * (root(n) - 1)});
    CHECK(reused == cost{2 * n, 4 * (root(n) - 1)});
  }
}

TEST_CASE("universal algorithm: R = 2 n^2 + 2 n, L = 2 n sqrt N - 6 n + 16 sqrt N - 16", "[mesh]") {
  std::mt19937_64 random(7);
  for (const unsigned n : sizes) {
    const auto [all, reused] =
        run(n, random_list(oracle::power(n), random), [](machine& m) { mesh::universal(m); });
    CHECK(all == cost{2 * n * n + 2 * n, 2 * n * root(n) - 6 * n + 16 * root(n) - 16});
    CHECK(reused == cost{n * n + n, all.l / 2});
  }
  for (int turn = 0; turn < 200; ++turn)
    run(4, random_list(16, random), [](machine& m) { mesh::universal(m); });
}

TEST_CASE("all 24 permutations of 4 elements: sorting, checker and general algorithm", "[mesh]") {
  list targets{0, 1, 2, 3};
  do {
    run(2, targets, [](machine& m) { mesh::universal(m); });
    run(2, targets, [](machine& m) { (void)mesh::composite(m); });
    auto m = loaded(2, targets);
    const bool refused = mesh::general(m).has_value();
    CHECK(refused == (first_bad_step(2, targets) != 0));
    CHECK((refused || is_right(m, targets)));
  } while (std::next_permutation(targets.begin(), targets.end()));
}

TEST_CASE("the comparison of section VII as printed sorts downwards", "[mesh]") {
  std::mt19937_64 random(70);
  auto m = loaded(4, random_list(16, random));
  for (unsigned j = 0; j < 4; ++j)
    for (unsigned k = j + 1; k-- > 0;) {
      m.enable([](index_t, mesh::registers const&) { return true; });
      m.route(&mesh::registers::x, &mesh::registers::temp, -std::int64_t(1 << k));
      m.everywhere([=](index_t i, mesh::registers& r) {
        r.mask1 = (i >> k) % 2 == 0 && (r.temp.tag > r.x.tag) != ((i >> (j + 1)) % 2 != 0);
      });
      m.exchange_pairs(index_t{1} << k);
    }
  for (index_t i = 0; i < 16; ++i) CHECK(m[i].x.tag == 15 - i);
}

TEST_CASE("straightforward method: N - 1 routes of +1", "[mesh]") {
  std::mt19937_64 random(1);
  for (const unsigned n : {2U, 4U, 6U, 8U}) {
    const auto targets = random_list(oracle::power(n), random);
    auto m = loaded(n, targets);
    mesh::straightforward(m);
    CHECK(is_right(m, targets));
    CHECK(counted(m) == cost{m.size() - 1, m.size() - 1});
  }
}

TEST_CASE("the general algorithm accepts exactly what Q_k allows; checker and machine agree",
          "[mesh]") {
  std::mt19937_64 random(5);
  int accepted = 0, refused = 0;
  const auto check = [&](unsigned n, list const& targets) {
    const auto found = mesh::find_conflict(n, [&](index_t i) { return targets[i]; });
    const unsigned expected = first_bad_step(n, targets);
    REQUIRE((found ? found->k : 0) == expected);
    auto m = loaded(n, targets);
    const auto stopped = mesh::general(m);
    REQUIRE(stopped.has_value() == (expected != 0));
    if (!stopped) {
      ++accepted;
      REQUIRE(is_right(m, targets));
      return;
    }
    ++refused;
    REQUIRE(stopped->bit == expected - 1);
    REQUIRE(m.routes() == 4 * stopped->bit + 1);
    // both named sources meet; both ends of the named pair want the same side
    REQUIRE(found->first < found->second);
    const auto place = [&](index_t i) { return mesh::place_after(found->k, i, targets[i]); };
    REQUIRE(place(found->first) == place(found->second));
    const index_t high = stopped->low + oracle::power(stopped->bit);
    REQUIRE(m[stopped->low].x.tag >> stopped->bit % 64 << 63 == m[high].x.tag >> stopped->bit % 64
                                                                                     << 63);
  };
  for (int turn = 0; turn < 3000; ++turn) check(4, random_list(16, random));
  for (int turn = 0; turn < 600; ++turn) {
    // exchanges of pairs only, so that some are accepted and others fail late
    const unsigned n = turn % 2 == 0 ? 4 : 6;
    auto targets = random_list(oracle::power(n), random);
    std::iota(targets.begin(), targets.end(), index_t{0});
    for (unsigned k = n; k-- > 0;)
      for (index_t i = 0; i < targets.size(); ++i)
        if (i / oracle::power(k) % 2 == 0 && random() % 2 == 0)
          std::swap(targets[i], targets[i + oracle::power(k)]);
    if (turn % 3 == 0) std::swap(targets[random() % targets.size()], targets[0]);
    check(n, targets);
  }
  CHECK(accepted > 300);
  CHECK(refused > 300);
}

TEST_CASE("an affine permutation is accepted exactly when all leading minors are 1", "[mesh]") {
  index_t accepted[5] = {}, all[5] = {};
  std::mt19937_64 random(20160);
  for (unsigned n = 1; n <= 4; ++n)
    for_all_of_gl(n, [&](oracle::matrix const& a) {
      const oracle::affine map{a, oracle::to_bits(random() % oracle::power(n), n)};
      const auto targets = targets_of(map, n);
      const auto found = mesh::find_conflict(n, [&](index_t i) { return targets[i]; });
      REQUIRE(found.has_value() != has_lu(a));
      const auto minor = mesh::first_singular_minor(to_library(a));
      REQUIRE(minor.has_value() == found.has_value());
      if (found) REQUIRE(*minor == found->k);
      ++all[n];
      accepted[n] += !found;
      if (n % 2 != 0) return;
      auto m = loaded(n, targets);
      REQUIRE(mesh::general(m).has_value() == found.has_value());
      REQUIRE((found || is_right(m, targets)));
    });
  CHECK(all[4] == 20160);
  for (unsigned n = 1; n <= 4; ++n)
    CHECK(accepted[n] == oracle::power(n * (n - 1)));  // L U: 2^(n^2-n)
  for (int turn = 0; turn < 300; ++turn) {
    const unsigned n = turn % 2 == 0 ? 6 : 8;
    auto map = random_affine(n, random);
    if (turn % 3 == 0) {  // a product of a lower and an upper triangle
      auto lower = oracle::unit(n), upper = oracle::unit(n);
      for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < i; ++j) {
          lower.row[i][j] = static_cast<char>(random() % 2);
          upper.row[j][i] = static_cast<char>(random() % 2);
        }
      map.a = oracle::times(lower, upper);
      REQUIRE(has_lu(map.a));
    }
    const auto targets = targets_of(map, n);
    auto m = loaded(n, targets);
    REQUIRE(mesh::general(m).has_value() != has_lu(map.a));
  }
}

TEST_CASE("p-ordered vectors never conflict", "[mesh]") {
  for (const unsigned n : {2U, 4U, 6U, 8U})
    for (index_t q = 1; q < oracle::power(n); q += n == 8 ? 6 : 2)
      for (const index_t r : {index_t{0}, index_t{3}}) {
        const bmmc::stride_permutation s(oracle::power(n), q, r);
        list targets;
        for (index_t i = 0; i < s.size(); ++i) targets.push_back((q * i + r) % s.size());
        const auto [all, reused] =
            run(n, targets, [](machine& m) { CHECK_FALSE(mesh::general(m)); });
        CHECK(all.r == 4 * n);
        CHECK_FALSE(mesh::find_conflict(n, s));
      }
}

TEST_CASE("shuffle and bit reversal conflict at once", "[mesh]") {
  for (const unsigned n : sizes) {
    CHECK(mesh::first_singular_minor(bmmc::shuffle(n).matrix()) == 1U);
    CHECK(mesh::find_conflict(n, bmmc::bit_reversal(n)) == mesh::first_conflict{1, 0, 1});
    auto m = loaded(n, targets_of(bmmc::shuffle(n)));
    CHECK(mesh::general(m) == mesh::conflict{0, 0});
  }
}

TEST_CASE("composite: the general algorithm, then sorting inside the groups", "[mesh]") {
  std::mt19937_64 random(77);
  std::set<unsigned> stops;
  for (int turn = 0; turn < 400; ++turn) {
    const unsigned n = turn % 4 == 0 ? 8 : 6;
    const auto map = random_affine(n, random);
    const auto targets = targets_of(map, n);
    const unsigned bad = first_bad_step(n, targets);
    const auto [all, reused] = run(n, targets, [](machine& m) { (void)mesh::composite(m); });
    stops.insert(bad);
    if (bad == 0) {
      CHECK(all.r == 4 * n);
      continue;
    }
    const unsigned k = bad - 1, m = n - k;
    CHECK(all.r == 4 * k + 1 + 2 * m * m + 2 * m);
    CHECK(reused.r == 2 * k + m * m + m);
    const index_t sorting = 2 * n * n + 2 * n;
    CHECK((k == 0 ? all.r == sorting + 1 : all.r < sorting));  // it wins from k = 1 on
  }
  CHECK(stops.size() >= 6);
  for (int turn = 0; turn < 200; ++turn)
    run(4, random_list(16, random), [](machine& m) { (void)mesh::composite(m); });
}

TEST_CASE("composite wins where step 0 has no conflict: how often that is", "[mesh]") {
  // of all permutations 2^(N/2) / binomial(N, N/2), of affine ones 2^(n-1) / (2^n - 1)
  const auto wins = [](unsigned n, list const& targets) {
    auto m = loaded(n, targets);
    (void)mesh::composite(m);
    return m.routes() < 2 * n * n + 2 * n;
  };
  list targets{0, 1, 2, 3};
  int count = 0;
  do count += wins(2, targets);
  while (std::next_permutation(targets.begin(), targets.end()));
  CHECK(count == 24 * 4 / 6);
  count = 0;
  for_all_of_gl(4, [&](oracle::matrix const& a) {
    count += wins(4, targets_of(oracle::affine{a, oracle::bits(4, 0)}, 4));
  });
  CHECK(count == 20160 * 8 / 15);
  std::mt19937_64 random(16);
  count = 0;
  for (int turn = 0; turn < 20000; ++turn) count += wins(4, random_list(16, random));
  CHECK(count > 20000 * 0.0199 - 80);  // four standard deviations
  CHECK(count < 20000 * 0.0199 + 80);
}

TEST_CASE("a general algorithm that fetches the partner's datum once needs 3 n routes", "[mesh]") {
  for (const unsigned n : sizes) {
    const auto targets = targets_of(bmmc::gray_encode(n));
    auto m = loaded(n, targets);
    for (unsigned k = 0; k < n; ++k) {
      const auto d = std::int64_t(oracle::power(k));
      m.enable([](index_t, mesh::registers const&) { return true; });
      m.route(&mesh::registers::x, &mesh::registers::temp, -d);
      m.everywhere([=](index_t i, mesh::registers& r) {
        r.mask1 = (i >> k) % 2 == 0 && (r.x.tag >> k) % 2 == 1 && (r.temp.tag >> k) % 2 == 0;
      });
      m.route(&mesh::registers::mask1, &mesh::registers::mask2, d);
      m.enable([](index_t, mesh::registers const& r) { return r.mask2; });
      m.route(&mesh::registers::x, &mesh::registers::temp, d);
      m.enable([](index_t, mesh::registers const& r) { return r.mask1 || r.mask2; });
      m.where_enabled([](index_t, mesh::registers& r) { r.x = r.temp; });
    }
    CHECK(is_right(m, targets));
    CHECK(counted(m) == cost{3 * n, 6 * (root(n) - 1)});
  }
}

TEST_CASE("conditional exchanges for every matrix of GL(4,2)", "[mesh]") {
  std::mt19937_64 random(4);
  index_t most = 0;
  for_all_of_gl(4, [&](oracle::matrix const& a) {
    const oracle::affine map{a, oracle::to_bits(random() % 16, 4)};
    const auto targets = targets_of(map, 4);
    const auto program = mesh::make_affine_program(to_library(map));
    auto m = loaded(4, targets);
    mesh::run(m, program);
    REQUIRE(is_right(m, targets));
    REQUIRE(m.routes() == 3 * program.size());
    if (has_lu(a))
      for (auto const& step : program) REQUIRE_FALSE(step.other);
    auto again = loaded(4, targets);
    again.replay(m.trace());
    REQUIRE(is_right(again, targets));
    REQUIRE(again.routes() == 2 * program.size());
    most = std::max<index_t>(most, program.size());
  });
  CHECK(most <= 4 + 3);
}

TEST_CASE("conditional exchanges for the catalogue and random (A, c)", "[mesh]") {
  std::mt19937_64 random(10);
  for (const unsigned n : sizes) {
    std::vector<permutation<>> all{bmmc::identity_permutation(n),
                                   bmmc::shuffle(n),
                                   bmmc::unshuffle(n),
                                   bmmc::bit_reversal(n),
                                   bmmc::transpose(n / 2, n - n / 2),
                                   bmmc::gray_encode(n),
                                   bmmc::gray_decode(n),
                                   bmmc::vector_reversal(n),
                                   bmmc::morton_encode(n),
                                   bmmc::morton_decode(n),
                                   bmmc::rotate_bits(n, 3),
                                   bmmc::swap_bits(n, 1, n - 1)};
    for (int turn = 0; turn < 20; ++turn) all.push_back(bmmc::random_permutation(n, random));
    for (auto const& p : all) {
      const auto program = mesh::make_affine_program(p);
      INFO(n << " bits\n" << p);
      const auto [counts, reused] =
          run(n, targets_of(p), [&](machine& m) { mesh::run(m, program); });
      CHECK(counts.r == 3 * program.size());
      CHECK(reused.r == 2 * program.size());
      CHECK(program.size() <= 2 * n - 1);
    }
    CHECK(mesh::make_affine_program(all[0]).empty());
    // a shuffle by exchanges of neighbouring bits is shorter than the paper's: (9/2) sqrt N - 6
    const auto [shuffled, s2] = run(n, targets_of(all[1]), [&](machine& m) {
      mesh::run(m, mesh::make_affine_program(bmmc::shuffle(n)));
    });
    CHECK(shuffled == cost{3 * (n - 1), 9 * root(n) / 2 - 6});
    const auto [reversed, r2] = run(n, targets_of(all[3]), [&](machine& m) {
      mesh::run(m, mesh::make_affine_program(bmmc::bit_reversal(n)));
    });
    CHECK(reversed == cost{3 * n / 2, 6 * root(n) - 9});
  }
}

TEST_CASE("the best of six affine programs is chosen, by routes and then by length", "[mesh]") {
  std::mt19937_64 random(66);
  unsigned fewer = 0, shorter = 0;  // cases in which the choice matters
  for (int turn = 0; turn < 100; ++turn) {
    const unsigned n = turn % 2 == 0 ? 4 : 6;
    const auto p = bmmc::random_permutation(n, random);
    const auto targets = targets_of(p);
    const auto count = [&](mesh::affine_program const& program) {
      auto m = loaded(n, targets);
      mesh::run(m, program);
      CHECK(is_right(m, targets));
      return std::pair(m.routes(), m.unit_route_count());
    };
    auto best = count(mesh::affine_programs(p)[0]), worst = best;
    for (auto const& program : mesh::affine_programs(p)) {
      best = std::min(best, count(program));
      worst = std::max(worst, count(program));
    }
    CHECK(count(mesh::make_affine_program(p)) == best);
    fewer += best.first < worst.first;
    shorter += best.first == worst.first && best.second < worst.second;
  }
  CHECK(fewer > 20);
  CHECK(shorter > 0);
}

TEST_CASE("queues: every permutation, R <= 4 (sqrt N - 1), L = O(N); bit reversal needs it all",
          "[mesh]") {
  std::mt19937_64 random(8);
  const auto sent = [](unsigned n, list const& targets) {
    auto m = loaded(n, targets);
    const auto longest = mesh::queued(m);
    CHECK(is_right(m, targets));
    CHECK(longest <= root(n));
    return std::pair(counted(m), longest);
  };
  const auto most = [](unsigned n) {
    const index_t size = oracle::power(n);
    return cost{4 * (root(n) - 1), 2 * (size - 1) / 3 + n * root(n) / 2};
  };
  for (const unsigned n : {2U, 4U, 6U, 8U}) {
    const auto [reversal, longest] = sent(n, targets_of(bmmc::bit_reversal(n)));
    CHECK(reversal == most(n));
    CHECK(longest == root(n));
    for (int turn = 0; turn < 40; ++turn) {
      const auto [any, held] = sent(n, random_list(oracle::power(n), random));
      CHECK((any.r <= most(n).r && any.l <= most(n).l));
      // without conflict nobody holds two for long: two routes for each bit that moves
      const auto lower = bmmc::gray_decode(n);
      CHECK(sent(n, targets_of(lower)).first.r <= 2 * n);
    }
  }
  list targets{0, 1, 2, 3};
  do sent(2, targets);
  while (std::next_permutation(targets.begin(), targets.end()));
}
