// SPDX-License-Identifier: BSL-1.0

// Conditional exchanges: which matrices are products of them, in which orders, and what they do to
// data. The oracle multiplies all products out, or takes minors by brute force.

#include <algorithm>
#include <numeric>
#include <set>

#include <bmmc/planning.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"
#include "support/orders.hpp"
#include "support/throws.hpp"

namespace {

using namespace bmmc;

bool is_upper(oracle::matrix const& a) {
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = 0; j < i; ++j)
      if (a.row[i][j] != 0) return false;
  return true;
}
bool is_lower(oracle::matrix const& a) {
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = i + 1; j < a.cols; ++j)
      if (a.row[i][j] != 0) return false;
  return true;
}

dimension_order to_library(std::vector<unsigned> const& order) {
  dimension_order list;
  for (unsigned k : order) list.push_back(k);
  return list;
}

oracle::matrix matrix_number(unsigned n, oracle::number code) {
  oracle::matrix a(n, n);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j, code /= 2) a.row[i][j] = static_cast<char>(code % 2);
  return a;
}
template <class Use>
void for_all_matrices(unsigned n, Use use) {
  for (oracle::number code = 0; code < oracle::power(n * n); ++code) use(matrix_number(n, code));
}
template <class Use>
void for_all_nonsingular(unsigned n, Use use) {
  for_all_matrices(n, [&](oracle::matrix const& a) {
    if (oracle::rank(a) == n) use(a);
  });
}

/// The matrices that are products of one exchange per dimension, in this order, by trying them all.
/// With projections, too, where they are allowed.
std::set<std::vector<oracle::bits>> all_products(std::vector<unsigned> const& order,
                                                 bool projections = false) {
  const auto n = static_cast<unsigned>(order.size());
  std::vector<oracle::matrix> made{oracle::unit(n)};
  for (unsigned k : order) {
    std::vector<oracle::matrix> longer;
    for (oracle::number code = 0; code < oracle::power(n); ++code) {
      auto e = oracle::unit(n);
      e.row[k] = oracle::to_bits(code, n);
      if (e.row[k][k] == 0 && !projections) continue;
      for (auto const& a : made) longer.push_back(oracle::times(e, a));
    }
    made = std::move(longer);
  }
  std::set<std::vector<oracle::bits>> rows;
  for (auto const& a : made) rows.insert(a.row);
  return rows;
}

/// Statement 2 of theorem 3.1 as data movement: taking bit after bit from its old to its new value,
/// no two elements ever meet.
bool bits_can_be_changed_one_by_one(oracle::matrix const& a, std::vector<unsigned> const& order) {
  const unsigned n = a.rows;
  oracle::number changed = 0;
  for (unsigned k : order) {
    changed += oracle::power(k);
    std::set<oracle::number> places;
    for (oracle::number x = 0; x < oracle::power(n); ++x) {
      const auto y = oracle::to_number(oracle::times(a, oracle::to_bits(x, n)));
      places.insert((y & changed) | (x & ~changed));
    }
    if (places.size() != oracle::power(n)) return false;
  }
  return true;
}

/// Statement 4.
bool minors_are_nonsingular(oracle::matrix const& a, std::vector<unsigned> const& order) {
  for (unsigned k = 1; k <= a.rows; ++k) {
    oracle::matrix minor(k, k);
    for (unsigned i = 0; i < k; ++i)
      for (unsigned j = 0; j < k; ++j) minor.row[i][j] = a.row[order[i]][order[j]];
    if (oracle::rank(minor) != k) return false;
  }
  return true;
}

bool multiply_to(exchange_list const& list, oracle::matrix const& a) {
  auto made = oracle::unit(a.rows);
  for (auto const& e : list) {
    auto step = oracle::unit(a.rows);
    step.row[e.dimension] = oracle::to_bits(e.row, a.rows);
    made = oracle::times(step, made);
  }
  return made == a;
}
bool visits(exchange_list const& list, std::vector<unsigned> const& order) {
  return std::equal(list.begin(), list.end(), order.begin(), order.end(),
                    [](auto const& e, unsigned k) { return e.dimension == k; });
}

/// Nonsingular minors by construction: lower times upper triangular.
oracle::matrix random_with_minors(unsigned n, oracle::generator& random) {
  auto lower = oracle::random_matrix(n, n, random), upper = lower;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j) {
      if (i <= j) lower.row[i][j] = i == j;
      if (i >= j) upper.row[i][j] = i == j;
    }
  return oracle::times(lower, upper);
}

constexpr unsigned random_cases =
#ifdef BMMC_TEST_FEWER
    30;
#else
    300;
#endif

}  // namespace

TEST_CASE("a conditional exchange is its matrix, and undoes itself", "[exchange]") {
  for (unsigned k = 0; k < 4; ++k)
    for (index_t row = 0; row < 16; ++row)
      for (bool flip : {false, true}) {
        const conditional_exchange e{k, row, flip};
        auto matrix = oracle::unit(4);
        matrix.row[k] = oracle::to_bits(row, 4);
        CHECK(oracle::read(exchange_matrix(4, e)) == matrix);
        CHECK(e.is_projection() == (oracle::rank(matrix) == 3));  // lemma 3.1
        std::set<index_t> images;
        for (index_t x = 0; x < 16; ++x) {
          const index_t y = oracle::to_number(oracle::times(matrix, oracle::to_bits(x, 4))) ^
                            (flip ? oracle::power(k) : 0);
          CHECK(e(x) == y);
          images.insert(e(x));
          if (!e.is_projection()) CHECK(e(e(x)) == x);
        }
        CHECK(images.size() == (e.is_projection() ? 8U : 16U));
        CHECK(e.is_identity() == (row == oracle::power(k) && !flip));
      }
}

TEST_CASE("theorem 3.1: the four statements agree on all 3 x 3 and 4 x 4 matrices", "[exchange]") {
  for (unsigned n : {1U, 2U, 3U, 4U}) {
    const auto order = all_orders(n).front();
    const auto products = all_products(order);
    unsigned with = 0, all = 0;
    for_all_nonsingular(n, [&](oracle::matrix const& a) {
      ++all;
      const bool is_product = products.count(a.row) != 0;           // 1
      const bool moves = bits_can_be_changed_one_by_one(a, order);  // 2
      const auto found = exchange_factors(to_library(a));           // 3
      const bool minors = minors_are_nonsingular(a, order);         // 4
      if (is_product != moves || moves != found.has_value() || found.has_value() != minors)
        FAIL_CHECK(to_library(a));
      with += minors;
      if (found && (!multiply_to(*found, a) || !visits(*found, order))) FAIL_CHECK(to_library(a));
      if (has_nonsingular_minors(to_library(a)) != minors) FAIL_CHECK(to_library(a));
      if (lu(to_library(a)).has_value() != minors) FAIL_CHECK(to_library(a));  // corollary 3.1
    });
    CHECK(with == products.size());
    CHECK(with == oracle::power(n * (n - 1)));
    if (n == 4) CHECK(all == 20160);
  }
}

TEST_CASE("theorem 3.1 and corollary 3.2 on random matrices", "[exchange]") {
  oracle::generator random(31);
  unsigned with = 0;
  for (unsigned i = 0; i < random_cases; ++i) {
    const auto n = static_cast<unsigned>(5 + random() % 4);
    const auto a =
        i % 2 == 0 ? random_with_minors(n, random) : oracle::random_nonsingular(n, random);
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0U);
    if (i % 3 != 0) std::shuffle(order.begin(), order.end(), random);
    const bool minors = minors_are_nonsingular(a, order);
    const auto found = exchange_factors(to_library(a), to_library(order));
    CHECK(found.has_value() == minors);
    CHECK(bits_can_be_changed_one_by_one(a, order) == minors);
    CHECK(has_nonsingular_minors(to_library(a), to_library(order)) == minors);
    if (found) CHECK((multiply_to(*found, a) && visits(*found, order)));
    with += minors;
  }
  CHECK(with > random_cases / 10);
  CHECK(with < random_cases);
  const auto large = random_with_minors(64, random);
  REQUIRE(exchange_factors(to_library(large)));
  CHECK(multiply_to(*exchange_factors(to_library(large)), large));
}

TEST_CASE("corollary 3.2: every order of every 3 x 3 matrix", "[exchange]") {
  for (auto const& order : all_orders(3)) {
    const auto products = all_products(order);
    for_all_nonsingular(3, [&](oracle::matrix const& a) {
      CHECK(exchange_factors(to_library(a), to_library(order)).has_value() ==
            (products.count(a.row) != 0));
    });
  }
}

TEST_CASE("the search finds an order exactly where there is one", "[exchange]") {
  const auto agrees = [](oracle::matrix const& a) {
    bool some = false;
    for (auto const& order : all_orders(a.rows)) some = some || minors_are_nonsingular(a, order);
    const auto found = find_exchange_order(to_library(a));
    return found.has_value() == some && (!some || exchange_factors(to_library(a), *found));
  };
  unsigned none = 0;
  for (unsigned n : {1U, 2U, 3U, 4U})
    for_all_nonsingular(n, [&](oracle::matrix const& a) {
      if (!agrees(a)) FAIL_CHECK(to_library(a));
      none += !find_exchange_order(to_library(a));
    });
  CHECK(none > 100);
  oracle::generator random(32);
  for (unsigned i = 0; i < random_cases / 10; ++i)
    CHECK(agrees(oracle::random_nonsingular(6, random)));
  CHECK_THROWS_AS(find_exchange_order(identity_matrix(25)), bad_value);
  // two axes that must change places, behind 16 that need nothing: all 2^16 sets are dead ends
  CHECK(!find_exchange_order(swap_bits(18, 16, 17).matrix()));
}

TEST_CASE("corollary 3.3: triangular matrices in every order", "[exchange]") {
  for_all_nonsingular(4, [&](oracle::matrix const& a) {
    if (!is_upper(a) && !is_lower(a)) return;
    for (auto const& order : all_orders(4)) {
      const auto found = exchange_factors(to_library(a), to_library(order));
      CHECK((found && multiply_to(*found, a)));
    }
  });
}

TEST_CASE("corollaries 3.4 and 3.5: no order for zero diagonals, nor for bit permutations",
          "[exchange]") {
  unsigned zero_diagonals = 0;
  for_all_nonsingular(4, [&](oracle::matrix const& a) {
    for (unsigned i = 0; i < 4; ++i)
      if (a.row[i][i] != 0) return;
    ++zero_diagonals;
    CHECK(!find_exchange_order(to_library(a)));
  });
  CHECK(zero_diagonals > 100);
  for (unsigned n : {1U, 2U, 3U, 4U, 5U})
    for (auto const& target_of : all_orders(n)) {
      const auto p = bit_permutation(std::span<unsigned const>(target_of));
      CHECK(find_exchange_order(p.matrix()).has_value() == is_identity(p));
    }
}

TEST_CASE("corollary 3.6: every matrix is P L U and L U P, singular ones too", "[exchange]") {
  const auto is_permutation = [](oracle::matrix const& p) {
    for (unsigned i = 0; i < p.rows; ++i)
      if (std::count(p.row[i].begin(), p.row[i].end(), 1) != 1) return false;
    return oracle::rank(p) == p.rows;
  };
  const auto right = [&](oracle::matrix const& a) {
    const auto f = plu(to_library(a)), g = lup(to_library(a));
    bool good = true;
    for (auto const* each : {&f, &g}) {
      const auto l = oracle::read(each->lower), u = oracle::read(each->upper);
      for (unsigned i = 0; i < a.rows; ++i) {
        for (unsigned j = i + 1; j < a.rows; ++j) good &= l.row[i][j] == 0 && u.row[j][i] == 0;
        good &= (each == &f ? l : u).row[i][i] == 1;
      }
      good &= is_permutation(oracle::read(each->permuting));
    }
    using oracle::read, oracle::times;
    return good && times(read(f.permuting), times(read(f.lower), read(f.upper))) == a &&
           times(times(read(g.lower), read(g.upper)), read(g.permuting)) == a;
  };
  for (unsigned n : {1U, 2U, 3U, 4U})
    for_all_matrices(n, [&](oracle::matrix const& a) {
      if (!right(a)) FAIL_CHECK(to_library(a));
    });
  oracle::generator random(36);
  for (unsigned i = 0; i < random_cases; ++i) CHECK(right(oracle::random_matrix(20, 20, random)));
  CHECK(right(oracle::random_nonsingular(64, random)));
}

TEST_CASE("corollary 3.6 as data movement, with complements", "[exchange]") {
  oracle::generator random(37);
  for (unsigned i = 0; i < random_cases; ++i) {
    const auto map = random_affine(7, random);
    const auto p = to_library(map);
    const auto later = exchange_then_rename(p), before = rename_then_exchange(p);
    CHECK(is_bit_permutation(later.renaming));
    CHECK(is_bit_permutation(before.renaming));
    for (oracle::number x = 0; x < 128; ++x) {
      index_t y = x, z = before.renaming(x);
      for (unsigned k = 0; k < 7; ++k) {
        CHECK((later.exchanges[k].dimension == k && before.exchanges[k].dimension == k));
        y = later.exchanges[k](y);
        z = before.exchanges[k](z);
      }
      if (later.renaming(y) != map(x) || z != map(x)) FAIL_CHECK(p.matrix());
    }
  }
}

TEST_CASE("exchanges of an affine map carry its complement", "[exchange]") {
  oracle::generator random(38);
  for (unsigned i = 0; i < random_cases; ++i) {
    const oracle::affine map{random_with_minors(6, random), oracle::to_bits(random() % 64, 6)};
    const auto found = exchange_factors(to_library(map));
    REQUIRE(found);
    CHECK(compose_exchanges(6, *found) == to_library(map));
    for (oracle::number x = 0; x < 64; ++x) {
      index_t y = x;
      for (auto const& e : *found) y = e(y);
      if (y != map(x)) FAIL_CHECK(map(x));
    }
  }
}

TEST_CASE("corollary 3.7: two codes and a renaming are exchanges in standard order, renamed",
          "[exchange]") {
  const auto as_matrix = [](std::vector<unsigned> const& target_of) {
    oracle::matrix p(static_cast<unsigned>(target_of.size()),
                     static_cast<unsigned>(target_of.size()));
    for (unsigned j = 0; j < p.rows; ++j) p.row[target_of[j]][j] = 1;
    return p;
  };
  const auto is_made = [](permutation<> const& map, permutation<> const& renaming) {
    const auto parts = exchange_then_rename(map, renaming);
    if (!parts || parts->renaming != renaming) return false;
    for (index_t x = 0; x < bit(map.bits()); ++x) {
      index_t y = x;
      for (unsigned k = 0; k < map.bits(); ++k) {
        if (parts->exchanges[k].dimension != k) return false;
        y = parts->exchanges[k](y);
      }
      if (renaming(y) != map(x)) return false;
    }
    return true;
  };
  // all upper triangles of 3 bits on both sides of all renamings, and random ones of 6 bits
  std::vector<oracle::matrix> upper;
  for_all_nonsingular(3, [&](oracle::matrix const& a) {
    if (is_upper(a)) upper.push_back(a);
  });
  CHECK(upper.size() == 8);
  for (auto const& target_of : all_orders(3))
    for (auto const& left : upper)
      for (auto const& right : upper) {
        const auto p = as_matrix(target_of);
        const permutation<> map(to_library(oracle::times(left, oracle::times(p, right))), 5);
        if (!is_made(map, permutation<>(to_library(p)))) FAIL_CHECK(map);
      }
  oracle::generator random(370);
  unsigned reversed = 0, unrenamed = 0;
  for (unsigned i = 0; i < random_cases; ++i) {
    auto left = oracle::random_matrix(6, 6, random), right = left;
    right = oracle::random_matrix(6, 6, random);
    for (unsigned r = 0; r < 6; ++r)
      for (unsigned c = 0; c <= r; ++c) left.row[r][c] = right.row[r][c] = r == c;
    std::vector<unsigned> target_of{0, 1, 2, 3, 4, 5};
    std::shuffle(target_of.begin(), target_of.end(), random);
    const auto p = as_matrix(target_of);
    const permutation<> map(to_library(oracle::times(left, oracle::times(p, right))),
                            random() % 64);
    const permutation<> renaming(to_library(p));
    if (!is_made(map, renaming)) FAIL_CHECK(map);
    reversed += exchange_factors(compose(inverse(renaming), map), descending_order(6)).has_value();
    unrenamed += exchange_factors(map).has_value();
  }
  CHECK(reversed > 0);
  CHECK(reversed < random_cases / 2);   // in the reversed order most of them fail
  CHECK(unrenamed < random_cases / 2);  // and without the renaming nearly all
  // what the minors need: with an upper triangle on the left alone they can be lost
  CHECK(!exchange_factors(bit_matrix<>{2, {0b10, 0b01}}));
  CHECK(!exchange_then_rename(gray_decode(2), swap_bits(2, 0, 1)));
  CHECK_THROWS_AS(exchange_then_rename(gray_decode(2), gray_decode(2)), bad_value);
  CHECK_THROWS_AS(exchange_then_rename(gray_decode(2), flip(2, 0)), bad_value);
  CHECK_THROWS_AS(exchange_then_rename(gray_decode(2), swap_bits(3, 0, 1)), bad_value);
}

TEST_CASE("singular matrices: exchanges and projections, as few as the rank allows", "[exchange]") {
  for (unsigned n : {1U, 2U, 3U}) {
    for (auto const& order : all_orders(n)) {
      const auto products = all_products(order, true);
      for_all_matrices(n, [&](oracle::matrix const& a) {
        const auto found = conditional_factors(to_library(a), to_library(order));
        CHECK(found.has_value() == (products.count(a.row) != 0));
        if (!found) return;
        CHECK((multiply_to(*found, a) && visits(*found, order)));
        const auto projections = std::count_if(found->begin(), found->end(),
                                               [](auto const& e) { return e.is_projection(); });
        CHECK(static_cast<unsigned>(projections) == n - oracle::rank(a));
      });
    }
  }
  // every singular matrix, too, is P times such a product
  oracle::generator random(39);
  for (unsigned i = 0; i < random_cases; ++i) {
    const auto a = oracle::random_matrix(9, 9, random);
    const auto f = plu(to_library(a));
    const auto found = conditional_factors(f.lower * f.upper);
    REQUIRE(found);
    CHECK(multiply_to(*found, oracle::read(f.lower * f.upper)));
  }
  // but not such a product after a renaming: here the two columns are alike
  const auto alike = bit_matrix<>{2, {0b10, 0b10}};
  CHECK(!conditional_factors(alike));
  CHECK(!conditional_factors(alike * swap_bits(2, 0, 1).matrix()));
  CHECK(conditional_factors(swap_bits(2, 0, 1).matrix() * alike));
}

TEST_CASE("what is no square matrix and no order is refused", "[exchange]") {
  CHECK_THROWS_AS(exchange_factors(bit_matrix<>(2, 3)), singular_matrix);
  CHECK_THROWS_AS(find_exchange_order(bit_matrix<>(3, 2)), singular_matrix);
  CHECK_THROWS_AS(plu(bit_matrix<>(3, 2)), singular_matrix);
  CHECK_THROWS_AS(exchange_factors(identity_matrix(3), {0, 1}), bad_value);
  CHECK_THROWS_AS(exchange_factors(identity_matrix(3), {0, 1, 1}), bad_value);
  CHECK_THROWS_AS(exchange_factors(identity_matrix(3), {0, 1, 3}), bad_value);
  CHECK_THROWS_AS(to_permutation(3, {1, 0b101}), singular_matrix);
  CHECK_THROWS_AS(ascending_order(65), bad_value);
}
