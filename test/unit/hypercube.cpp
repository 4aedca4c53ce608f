// SPDX-License-Identifier: BSL-1.0

// Contention of affine traffic on hypercubes and the mappings that lower it, against messages that
// walk their e-cube paths one by one and against all orders of the dimensions.

#include <algorithm>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/orders.hpp"
#include "support/paths.hpp"
#include "support/throws.hpp"

namespace {

namespace cube = bmmc::cube;
using bmmc::index_t;
using bmmc::permutation;
using cube::objective;

#ifdef BMMC_TEST_FEWER
constexpr int hundred = 10;
#else
constexpr int hundred = 100;
#endif

/// A communication as single bits: message (x, s) joins node x and node a (x, s) + c.
struct sample {
  oracle::affine map{};
  bool pulled = false;

  [[nodiscard]] unsigned n() const { return map.a.rows; }
  [[nodiscard]] cube::communication library() const {
    const bmmc::affine_map f{to_library(map.a), oracle::to_number(map.c)};
    return pulled ? cube::pull(f) : cube::push(f);
  }
  [[nodiscard]] paths::list messages() const {
    paths::list all;
    for (index_t x = 0; x < oracle::power(map.a.cols); ++x) {
      const index_t node = x % oracle::power(n()), other = map(x);
      all.push_back(pulled ? paths::message{other, node, 1} : paths::message{node, other, 1});
    }
    return all;
  }
};

oracle::matrix numbered_matrix(unsigned n, index_t number) {
  oracle::matrix a(n, n);
  for (unsigned k = 0; k < n * n; ++k) a.row[k / n][k % n] = static_cast<char>((number >> k) & 1);
  return a;
}
/// Of any rank: a random matrix, or a product of two thin ones, with rows of the identity.
oracle::matrix any_matrix(unsigned n, unsigned cols, oracle::generator& random) {
  auto a = oracle::random_matrix(n, cols, random);
  if (random() % 2 == 0) {
    const auto thin = 1 + static_cast<unsigned>(random() % n);
    a = oracle::times(oracle::random_matrix(n, thin, random),
                      oracle::random_matrix(thin, cols, random));
  }
  for (unsigned i = 0; i < n; ++i)
    if (random() % 4 == 0)
      for (unsigned j = 0; j < cols; ++j) a.row[i][j] = i == j;
  return a;
}
oracle::bits any_bits(unsigned n, oracle::generator& random) {
  return oracle::to_bits(random() % 2 == 0 ? 0 : random() % oracle::power(n), n);
}
sample any_sample(unsigned n, oracle::generator& random, bool pulled) {
  auto a = random() % 3 == 0 ? oracle::random_nonsingular(n, random) : any_matrix(n, n, random);
  return {{std::move(a), any_bits(n, random)}, pulled};
}

/// The formula gives what the paths carry, in every dimension.
bool agrees(sample const& s) {
  const auto c = s.library();
  const auto counted = paths::by_dimension(s.n(), s.messages());
  index_t degree = 0;
  for (unsigned j = 0; j < s.n(); ++j) {
    if (counted[j] != paths::dimension{cube::contention(c, j), true}) return false;
    degree = std::max(degree, counted[j].most);
  }
  return cube::contention(c) == degree;
}

/// The same messages when old dimension order[k] becomes dimension k.
paths::list renamed(paths::list all, std::vector<unsigned> const& order) {
  const auto rename = [&](index_t x) {
    index_t y = 0;
    for (std::size_t k = order.size(); k-- > 0;) y = 2 * y + (x >> order[k]) % 2;
    return y;
  };
  for (auto& m : all) m = {rename(m.source), rename(m.target), m.size};
  return all;
}
std::vector<unsigned> list_of(cube::dimension_order const& order) {
  return {order.dimension.begin(), order.dimension.begin() + order.count};
}

/// An objective of counted contentions.
index_t value_of(std::vector<std::vector<paths::dimension>> const& counted, objective wanted) {
  index_t worst = 0, together = 0, total = 0;
  for (std::size_t j = 0; j < counted[0].size(); ++j) {
    index_t sum = 0;
    for (auto const& one : counted) sum += one[j].most, worst = std::max(worst, one[j].most);
    together = std::max(together, sum);
    total += sum;
  }
  return wanted == objective::worst ? worst : wanted == objective::together ? together : total;
}
index_t value_under(std::vector<sample> const& set, std::vector<unsigned> const& order,
                    objective wanted) {
  std::vector<std::vector<paths::dimension>> counted;
  for (auto const& s : set)
    counted.push_back(paths::by_dimension(s.n(), renamed(s.messages(), order)));
  return value_of(counted, wanted);
}
/// The least of all n! orders, with the least total among those that reach it.
std::pair<index_t, index_t> least_of_all(std::vector<sample> const& set, objective wanted) {
  std::pair<index_t, index_t> least{~index_t{0}, 0};
  for (auto const& order : all_orders(set[0].n())) {
    std::vector<std::vector<paths::dimension>> counted;
    for (auto const& s : set)
      counted.push_back(paths::by_dimension(s.n(), renamed(s.messages(), order)));
    least = std::min(least, {value_of(counted, wanted), value_of(counted, objective::total)});
  }
  return least;
}

index_t degree_under(sample const& s, std::vector<unsigned> const& order) {
  return value_under({s}, order, objective::worst);
}

const oracle::matrix scaling = [] {  // example 5: (px, py) from (px / 2, py / 2)
  oracle::matrix a(8, 8);
  for (const unsigned i : {0U, 1U, 2U, 4U, 5U, 6U}) a.row[i][i + 1] = 1;
  return a;
}();

}  // namespace

TEST_CASE("contention: all 3 x 3 matrices with all b, pushed and pulled", "[cube]") {
  int theorem_1_fails = 0, singular = 0;
  for (index_t number = 0; number < 512; ++number) {
    const auto a = numbered_matrix(3, number);
    for (index_t b = 0; b < 8; ++b) {
      const sample pushed{{a, oracle::to_bits(b, 3)}, false}, pulled{pushed.map, true};
      REQUIRE(agrees(pushed));
      REQUIRE(agrees(pulled));
      if (oracle::rank(a) == 3) {
        const auto back = inverse(permutation<>(to_library(pushed.map)));
        REQUIRE(cube::contention(pulled.library()) == cube::contention(cube::push(back)));
        continue;
      }
      ++singular;
      // theorem 1 as printed is for x -> A x + b; a scatter goes the other way
      theorem_1_fails += cube::contention(pushed.library()) != cube::contention(pulled.library());
    }
  }
  CHECK(singular == (512 - 168) * 8);
  CHECK(theorem_1_fails == 1376);
}

TEST_CASE("contention: random matrices of any rank up to n = 10", "[cube]") {
  oracle::generator random(10);
  for (int turn = 0; turn < 10 * hundred; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 10);
    const auto s = any_sample(n, random, false);
    REQUIRE(agrees(s));
    REQUIRE(agrees({s.map, true}));
  }
}

TEST_CASE("contention: several messages for each node", "[cube]") {
  oracle::generator random(3);
  for (int turn = 0; turn < 5 * hundred; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 6);
    const auto r = static_cast<unsigned>(random() % 4);
    const oracle::affine map{any_matrix(n, n + r, random), any_bits(n, random)};
    REQUIRE(agrees({map, false}));
    REQUIRE(agrees({map, true}));
  }
}

TEST_CASE("contention: the formula at n = 12, 16 and 20", "[cube]") {
  oracle::generator random(20);
  for (const unsigned n : {12U, 16U, hundred == 100 ? 20U : 14U})
    for (const bool pulled : {false, true}) {
      const auto a = oracle::times(oracle::random_matrix(n, n - 2, random),
                                   oracle::random_matrix(n - 2, n, random));
      const sample s{{a, any_bits(n, random)}, pulled};
      std::vector<index_t> image{oracle::to_number(s.map.c)};  // of all x: each column doubles it
      for (unsigned j = 0; j < n; ++j)
        for (std::size_t x = 0, half = image.size(); x < half; ++x)
          image.push_back(image[x] ^ oracle::column_word(a, j));
      paths::list all;
      for (index_t x = 0; x < image.size(); ++x)
        all.push_back(pulled ? paths::message{image[x], x, 1} : paths::message{x, image[x], 1});
      const auto counted = paths::by_dimension(n, all);
      for (unsigned j = 0; j < n; ++j)
        CHECK(counted[j] == paths::dimension{cube::contention(s.library(), j), true});
    }
}

TEST_CASE("contention: any set of dimensions before j", "[cube]") {
  oracle::generator random(6);
  for (int turn = 0; turn < 3 * hundred; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 6);
    const auto s = any_sample(n, random, turn % 2 != 0);
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (unsigned k = n; k > 1; --k) std::swap(order[k - 1], order[random() % k]);
    const auto counted = paths::by_dimension(n, renamed(s.messages(), order));
    index_t before = 0;
    for (unsigned k = 0; k < n; ++k) {
      REQUIRE(cube::contention(s.library(), before, order[k]) == counted[k].most);
      before += oracle::power(order[k]);
    }
  }
}

TEST_CASE("theorem 2: messages between mapped nodes", "[cube]") {
  oracle::generator random(2);
  for (int turn = 0; turn < hundred; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 6);
    const sample s{
        {any_matrix(n, n + static_cast<unsigned>(turn % 3), random), any_bits(n, random)},
        turn % 2 != 0};
    const auto q = random_affine(n, random);  // any affine mapping, not a reordering alone
    const auto after = cube::remapped(s.library(), to_library(q));
    CHECK(after.pulled == s.pulled);
    for (index_t x = 0; x < oracle::power(s.map.a.cols); ++x) {
      const index_t node = x % oracle::power(n), message = x - node;
      REQUIRE(after.map(q(node) + message) == q(s.map(x)));
    }
  }
  CHECK_COMPLAINS(bmmc::bad_value,
                  cube::remapped(cube::push(bmmc::shuffle(3)), bmmc::identity_permutation(4)),
                  "4 and 3 bits");
}

TEST_CASE("examples 3 and 4: matrix transpose, from degree 8 to 1", "[cube]") {
  const auto transpose = cube::push(bmmc::transpose<4, 4>());
  const std::vector<index_t> example_3{1, 2, 4, 8, 8, 4, 2, 1};
  for (unsigned j = 0; j < 8; ++j) CHECK(cube::contention(transpose, j) == example_3[j]);
  CHECK(cube::contention(transpose) == 8);

  const auto found = cube::find_mapping(transpose);
  CHECK(cube::contention(found.after) == 1);
  CHECK(list_of(found.order) == std::vector<unsigned>{0, 4, 2, 6, 1, 5, 3, 7});
  for (unsigned k = 0; k < 8; ++k) {
    CHECK(found.q.matrix().column[found.order[k]] == oracle::power(k));
    CHECK(found.after.map.matrix.column[k] == oracle::power(k ^ 1));  // D as printed
    CHECK(cube::contention(found.after, k) == 1);
  }
  CHECK(found.after.map.complement == 0);

  // Q as printed has a 1 in column 7 of row 3, and none in column 6: no mapping
  auto printed = found.order;
  printed[3] = 7;
  CHECK_COMPLAINS(bmmc::bad_value, cube::reordering(printed), "cannot go to");
}

TEST_CASE("example 5: scaling is a scatter of degree 2, not 4", "[cube]") {
  const sample scatter{{scaling, oracle::bits(8, 0)}, true}, gather{scatter.map, false};
  CHECK(degree_under(scatter, list_of(cube::dimension_order::ascending(8))) == 2);
  CHECK(cube::contention(scatter.library()) == 2);
  CHECK(cube::contention(gather.library()) == 4);  // what theorem 1 says of it
  const auto found = cube::find_mapping(scatter.library());
  CHECK(cube::contention(found.after) == 2);  // 2^(8 - 1 - rank 6)
}

TEST_CASE("example 6: transpose and bit reversal together, degrees 2 and 1", "[cube]") {
  const std::vector set{cube::push(bmmc::transpose(4, 4)), cube::push(bmmc::bit_reversal(8))};
  CHECK(cube::contention(set[1]) == 8);
  const auto found = cube::find_mapping(set);
  CHECK(found.value == 2);
  CHECK(cube::contention(found.after[0]) + cube::contention(found.after[1]) == 3);

  cube::dimension_order printed{{3, 4, 0, 7, 2, 5, 1, 6}, 8};
  const auto q = cube::reordering(printed);
  CHECK(cube::contention(cube::remapped(set[0], q)) == 2);
  CHECK(cube::contention(cube::remapped(set[1], q)) == 1);
  const std::vector paper{cube::remapped(set[0], q), cube::remapped(set[1], q)};
  for (const auto wanted : {objective::worst, objective::together, objective::total})
    CHECK(cube::evaluate(found.after, wanted) == cube::evaluate(paper, wanted));
}

TEST_CASE("section 6.1: transpose, bit reversal and reverse-flip, degrees 2, 1 and 1", "[cube]") {
  const auto reversal = bmmc::bit_reversal(8);
  const std::vector set{cube::push(bmmc::transpose(4, 4)), cube::push(reversal),
                        cube::push(compose(bmmc::vector_reversal(8), reversal))};
  const auto found = cube::find_mapping(set);
  CHECK(cube::contention(found.after[0]) == 2);
  CHECK(cube::contention(found.after[1]) == 1);
  CHECK(cube::contention(found.after[2]) == 1);
}

TEST_CASE("corollary 1: every permutation has a mapping without contention", "[cube]") {
  oracle::generator random(1);
  const auto check = [](sample const& s) {
    const auto found = cube::find_mapping(s.library());
    const auto order = list_of(found.order);
    const bool fixed = s.map.a == oracle::unit(s.n()) && oracle::to_number(s.map.c) == 0;
    REQUIRE(degree_under(s, order) == (fixed ? 0 : 1));
    REQUIRE(found.after == cube::remapped(s.library(), found.q));
    const auto d = oracle::read(found.after.map.matrix);  // theorem 3
    for (unsigned i = 0; i < s.n() && !s.pulled; ++i)
      REQUIRE(oracle::rank(oracle::part(d, 0, i + 1, 0, i)) == i);
  };
  for (const unsigned n : {1U, 2U, 3U, 4U})
    for (index_t number = 0; number < oracle::power(n * n); ++number) {
      const auto a = numbered_matrix(n, number);
      if (oracle::rank(a) != n) continue;
      const auto b = oracle::to_bits(random() % oracle::power(n), n);
      check({{a, b}, false});
      check({{a, b}, true});
    }
  for (int turn = 0; turn < hundred; ++turn) {
    const auto n = 5 + static_cast<unsigned>(random() % 6);
    check({random_affine(n, random), turn % 2 != 0});
  }
  for (const unsigned n : {20U, 32U, 63U})
    for (int turn = 0; turn < 20; ++turn) {
      const auto p = bmmc::random_permutation(n, random);
      CHECK(cube::contention(cube::find_mapping(cube::push(p)).after) == 1);
    }
}

TEST_CASE("corollary 2: every gather and scatter reaches 2^(n-1-rank), and no order less",
          "[cube]") {
  oracle::generator random(2);
  const auto check = [](sample const& s) {
    const index_t bound = oracle::power(s.n() - 1 - oracle::rank(s.map.a));
    const auto found = cube::find_mapping(s.library());
    REQUIRE(degree_under(s, list_of(found.order)) == bound);
    REQUIRE(cube::contention(found.after) == bound);
    REQUIRE(least_of_all({s}, objective::worst).first == bound);
  };
  for (index_t number = 0; number < 512; ++number) {
    const auto a = numbered_matrix(3, number);
    if (oracle::rank(a) == 3) continue;
    for (index_t b = 0; b < 8; ++b) {
      check({{a, oracle::to_bits(b, 3)}, false});
      check({{a, oracle::to_bits(b, 3)}, true});
    }
  }
  for (int turn = 0; turn < hundred; ++turn) {
    const auto n = 4 + static_cast<unsigned>(random() % 3);
    const auto s = any_sample(n, random, turn % 2 != 0);
    if (oracle::rank(s.map.a) < n) check(s);
  }
  for (int turn = 0; turn < hundred; ++turn) {  // larger ones, by the formula and the oracle's rank
    const auto n = 7 + static_cast<unsigned>(random() % 14);
    const auto s = any_sample(n, random, turn % 2 != 0);
    if (const auto rank = oracle::rank(s.map.a); rank < n)
      CHECK(cube::contention(cube::find_mapping(s.library()).after) == oracle::power(n - 1 - rank));
  }
}

TEST_CASE("the gather's order reversed is the scatter's", "[cube]") {
  oracle::generator random(4);
  for (int turn = 0; turn < hundred; ++turn) {
    const auto s = any_sample(6, random, false);
    auto order = list_of(cube::find_mapping(s.library()).order);
    std::reverse(order.begin(), order.end());
    CHECK(order == list_of(cube::find_mapping(sample{s.map, true}.library()).order));
  }
}

TEST_CASE("the gather's own order may leave a scatter more contention than need be", "[cube]") {
  // all singular 3 x 3 matrices: corollary 2 holds for scatters in the reversed order only
  unsigned more = 0, singular = 0;
  for (index_t number = 0; number < 512; ++number) {
    const sample gather{{numbered_matrix(3, number), oracle::bits(3, 0)}, false};
    const sample scatter{gather.map, true};
    const auto rank = oracle::rank(gather.map.a);
    if (rank == 3) continue;
    ++singular;
    const auto own = cube::find_mapping(gather.library()).q;
    const auto least = cube::contention(cube::find_mapping(scatter.library()).after);
    CHECK(least == oracle::power(2 - rank));
    more += cube::contention(cube::remapped(scatter.library(), own)) > least;
  }
  CHECK(singular == 344);
  CHECK(more > 0);
  CHECK(more < singular);
}

TEST_CASE("sets of communications: dynamic programming equals a search of all orders", "[cube]") {
  oracle::generator random(5);
  const auto wanted = GENERATE(objective::worst, objective::together, objective::total);
  for (int turn = 0; turn < 2 * hundred; ++turn) {
    const unsigned n = turn % 4 == 0 ? 6 : 1 + static_cast<unsigned>(turn % 5);
    std::vector<sample> set;
    std::vector<cube::communication> in_library;
    for (index_t k = 0, count = 1 + random() % 4; k < count; ++k) {
      set.push_back(any_sample(n, random, random() % 3 == 0));
      if (random() % 4 == 0) set.back().map.a = any_matrix(n, n + 1, random);
      in_library.push_back(set.back().library());
    }
    const auto found = cube::find_mapping(in_library, wanted);
    const auto [least, total] = least_of_all(set, wanted);
    REQUIRE(found.value == least);
    REQUIRE(value_under(set, list_of(found.order), wanted) == least);
    REQUIRE(value_under(set, list_of(found.order), objective::total) == total);
    REQUIRE(cube::evaluate(in_library, wanted) ==
            value_under(set, list_of(cube::dimension_order::ascending(n)), wanted));
    REQUIRE(cube::evaluate(found.after, wanted) == least);
  }
}

TEST_CASE("the image library of example 5: no order of the 8! is better", "[cube]") {
  const auto transpose = bmmc::transpose<4, 4>();
  std::vector<cube::communication> set;
  for (const index_t b : {0x00U, 0xffU, 0x0fU, 0xf0U}) {
    const permutation<8> mirror(bmmc::identity_matrix<8>(), b);
    set.push_back(cube::push(compose(mirror, transpose)));
    set.push_back(cube::push(mirror));
  }
  set.push_back(sample{{scaling, oracle::bits(8, 0)}, true}.library());
  set.push_back(cube::push(bmmc::bit_reversal<8>()));
  for (const unsigned first : {0U, 4U}) {  // bit reversal of rows, of columns
    auto a = oracle::unit(8);
    std::reverse(a.row.begin() + first, a.row.begin() + first + 4);
    set.push_back(sample{{a, oracle::bits(8, 0)}, false}.library());
  }
  struct cost {
    index_t worst = 0, sum = 0;
  };
  std::vector<cost> costs(256 * 8);  // of dimension j behind a set of others
  for (index_t before = 0; before < 256; ++before)
    for (unsigned j = 0; j < 8; ++j)
      for (auto const& c : set) {
        const index_t t = cube::contention(c, before, j);
        auto& [worst, sum] = costs[before * 8 + j];
        worst = std::max(worst, t);
        sum += t;
      }
  index_t worst = ~index_t{0}, together = worst, total = worst;
  for (auto const& order : all_orders(8)) {
    cost most;
    index_t sum = 0, before = 0;
    for (const unsigned j : order) {
      auto const& one = costs[before * 8 + j];
      most = {std::max(most.worst, one.worst), std::max(most.sum, one.sum)};
      sum += one.sum;
      before += oracle::power(j);
    }
    worst = std::min(worst, most.worst);
    together = std::min(together, most.sum);
    total = std::min(total, sum);
  }
  CHECK(worst == 4);
  CHECK(cube::find_mapping(set, objective::worst).value == worst);
  CHECK(cube::find_mapping(set, objective::together).value == together);
  CHECK(cube::find_mapping(set, objective::total).value == total);
}

TEST_CASE("sets of communications on 16 dimensions", "[cube]") {
  oracle::generator random(16);
  const unsigned n = hundred == 100 ? 16 : 10;
  std::vector set{cube::push(bmmc::bit_reversal(n))};
  CHECK(cube::find_mapping(set, objective::total).value == n);  // 1 in each dimension
  set.push_back(cube::push(bmmc::transpose(n / 2, n / 2)));
  for (int k = 0; k < 4; ++k) set.push_back(any_sample(n, random, k % 2 != 0).library());
  for (const auto wanted : {objective::worst, objective::together, objective::total}) {
    const auto found = cube::find_mapping(set, wanted);
    CHECK(cube::evaluate(found.after, wanted) == found.value);
    CHECK(found.value <= cube::evaluate(set, wanted));
  }
}

TEST_CASE("the steps of any plan: one order frees them all; all at once are counted", "[cube]") {
  oracle::generator random(7);
  for (int turn = 0; turn < 2 * hundred; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 8);
    const auto p = static_cast<unsigned>(random() % (n + 1));
    const auto map = bmmc::random_permutation(n, random);
    const auto plan = bmmc::make_plan(map, bmmc::layout::processor_major{}, bmmc::bit(p));
    const auto order = list_of(cube::find_mapping(cube::step(plan, 0)).order);
    paths::list all;
    for (index_t s = 0; s < plan.messages(); ++s) {
      paths::list one;
      for (index_t k = 0; k < plan.procs(); ++k) one.push_back({k, plan.target(k, s), 1});
      const auto counted = paths::by_dimension(p, one);
      for (unsigned j = 0; j < p; ++j)
        REQUIRE(counted[j].most == cube::contention(cube::step(plan, s), j));
      for (auto const& d : paths::by_dimension(p, renamed(one, order))) REQUIRE(d.most <= 1);
      all.insert(all.end(), one.begin(), one.end());
    }
    const auto counted = paths::by_dimension(p, all);
    for (unsigned j = 0; j < p; ++j)
      REQUIRE(counted[j] == paths::dimension{cube::contention(cube::all_steps(plan), j), true});
  }
}

TEST_CASE("bad values of communications and mappings", "[cube]") {
  using bmmc::bad_value;
  using matrix = bmmc::bit_matrix<>;
  CHECK_COMPLAINS(bad_value, cube::push({matrix{3, 2}, 0}), "3 x 2");
  CHECK_COMPLAINS(bad_value, cube::pull({matrix{2, 64}, 0}), "2 x 64");
  CHECK_COMPLAINS(bad_value, cube::push({matrix{2, 2}, 4}), "node 4", "2^2");
  CHECK_COMPLAINS(bad_value, cube::push({matrix(2, {1, 4}), 0}), "beyond a hypercube of 2^2");
  CHECK_COMPLAINS(bad_value, cube::find_mapping(cube::push({matrix{2, 3}, 0})), "not 2^1");
  std::vector<cube::communication> set;
  CHECK_COMPLAINS(bad_value, cube::find_mapping(set), "at least one");
  set = {cube::push(bmmc::shuffle(3)), cube::push(bmmc::shuffle(4))};
  CHECK_COMPLAINS(bad_value, cube::find_mapping(set), "3 and 4");
  set = {cube::push(bmmc::shuffle(21))};
  CHECK_COMPLAINS(bad_value, cube::find_mapping(set), "at most 20", "21");
  set = {cube::push(bmmc::identity_permutation(5))};  // no order is better: it stays as it is
  CHECK(cube::find_mapping(set).order == cube::dimension_order::ascending(5));
  const auto nothing = cube::push(bmmc::identity_permutation(0));  // one node
  CHECK(cube::contention(nothing) == 0);
  CHECK(cube::find_mapping(nothing).order.size() == 0);
  set = {nothing};
  CHECK(cube::find_mapping(set).value == 0);
}
