// SPDX-License-Identifier: BSL-1.0

#include <sstream>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/circuit.hpp>
#include <bmmc/index/print.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

void check_same(permutation<> const& p, std::function<index_t(index_t)> const& expected) {
  for (index_t x = 0; x < bit(p.bits()); ++x) REQUIRE(p(x) == expected(x));
}

/// f after g on some indices, for each pair of static and dynamic spelling.
template <unsigned N>
void check_mixed(oracle::generator& random) {
  const auto f = random_affine(N, random), g = random_affine(N, random);
  const permutation<> df = to_library(f), dg = to_library(g);
  const permutation<N> sf(df), sg(dg);
  const permutation<> both_dynamic = compose(df, dg);
  const permutation<N> both_static = compose(sf, sg), left = compose(sf, dg),
                       right = compose(df, sg);
  CHECK(both_static == left);
  CHECK(both_static == right);
  CHECK(permutation<>(both_static) == both_dynamic);
  for (int trial = 0; trial < 16; ++trial) {
    const index_t x = random() % bit(N);
    CHECK(both_static(x) == f(g(x)));
  }
}

}  // namespace

TEST_CASE("a permutation applies A x + c", "[index]") {
  oracle::generator random(1);
  for (unsigned n = 0; n <= 9; ++n) {
    const auto map = random_affine(n, random);
    const auto p = to_library(map);
    CHECK(p.bits() == n);
    check_same(p, map);
  }
  for (const unsigned n : {31U, 32U, 33U, 63U}) {
    const auto map = random_affine(n, random);
    for (int trial = 0; trial < 64; ++trial) {
      const index_t x = random() % bit(n);
      REQUIRE(to_library(map)(x) == map(x));
    }
  }
}

TEST_CASE("the default permutation is the identity", "[index]") {
  CHECK(is_identity(permutation<7>{}));
  CHECK(permutation<7>{} == identity_permutation<7>());
  CHECK(permutation<>{}.bits() == 0);
  CHECK(identity_permutation(63)(bit(62) + 5) == bit(62) + 5);
  CHECK_FALSE(is_identity(flip(3, 2)));
  CHECK_FALSE(is_identity(cnot<3>(0, 1)));
}

TEST_CASE("inverse undoes, and compose is f after g", "[index]") {
  oracle::generator random(2);
  for (const unsigned n : {0U, 1U, 2U, 8U, 32U, 33U, 63U}) {
    const auto f = to_library(random_affine(n, random)), g = to_library(random_affine(n, random));
    CHECK(is_identity(compose(inverse(f), f)));
    CHECK(is_identity(compose(f, inverse(f))));
    CHECK(inverse(compose(f, g)) == compose(inverse(g), inverse(f)));
    CHECK(compose(f, identity_permutation(n)) == f);
    CHECK(inverse(inverse(g)) == g);
  }
  // A flip before a shift is not a flip after it.
  CHECK(compose(shuffle(3), flip(3, 0))(0) == 0b010);
  CHECK(compose(flip(3, 0), shuffle(3))(0) == 0b001);
}

TEST_CASE("static and dynamic permutations compose with each other", "[index]") {
  oracle::generator random(3);
  check_mixed<0>(random);
  check_mixed<1>(random);
  check_mixed<8>(random);
  check_mixed<33>(random);
  check_mixed<63>(random);
  STATIC_REQUIRE(std::is_convertible_v<permutation<4>, permutation<>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<permutation<>, permutation<4>>);
  STATIC_REQUIRE(std::is_constructible_v<permutation<4>, permutation<>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<permutation<4>, permutation<5>>);
}

TEST_CASE("permutation errors name the figures", "[index][errors]") {
  using dynamic = permutation<>;
  CHECK_COMPLAINS(singular_matrix, permutation<2>(bit_matrix<2>{{3, 3}}), "rank 1", "2 bits");
  CHECK_COMPLAINS(singular_matrix, dynamic(bit_matrix<>(3, {1, 2, 3})), "rank 2", "3 bits");
  CHECK_COMPLAINS(singular_matrix, dynamic(bit_matrix<>(2, 3)), "2 x 3");
  CHECK_COMPLAINS(bad_value, dynamic(identity_matrix(64)), "63", "64");
  CHECK_COMPLAINS(bad_value, permutation<64>(identity_matrix<64>()), "63", "64");
  CHECK_COMPLAINS(bad_value, dynamic(identity_matrix(3), 8), "complement 8", "3 bits");
  CHECK_COMPLAINS(bad_value, dynamic(identity_matrix(0), 1), "complement 1", "0 bits");
  CHECK_COMPLAINS(bad_value, dynamic(bit_matrix<>(2, {1, 6})), "column 1", "2 bits");
  CHECK_COMPLAINS(bad_value, compose(dynamic(shuffle(3)), shuffle(4)), "3", "4");
  CHECK_COMPLAINS(bad_value, compose(shuffle<3>(), shuffle(4)), "3", "4");
  CHECK_COMPLAINS(bad_value, compose(shuffle(4), shuffle<3>()), "3", "4");
  CHECK_COMPLAINS(bad_value, permutation<3>(shuffle(4)), "4 x 4", "3 x 3");
  CHECK_NOTHROW(dynamic(identity_matrix(63), low_bits(63)));
}

TEST_CASE("a permutation prints its rows and its complement", "[index]") {
  CHECK(to_string(permutation<>(bit_matrix<>(3, {0b001, 0b011, 0b100}), 0b101)) ==
        "1 1 . | 1\n. 1 . | .\n. . 1 | 1\n");
  CHECK(to_string(permutation<0>{}).empty());
  std::ostringstream out;
  out << flip<2>(1);
  CHECK(out.str() == "1 . | .\n. 1 | 1\n");
}

TEST_CASE("bit permutations are told from others", "[index]") {
  CHECK(is_bit_permutation(compose(bit_reversal(6), flip(6, 3))));
  CHECK(is_bit_permutation(identity_permutation(0)));
  CHECK_FALSE(is_bit_permutation(gray_encode(2)));
}

TEST_CASE("gates do what their names say", "[index][gates]") {
  const unsigned n = 5;
  for (unsigned i = 0; i < n; ++i) {
    check_same(flip(n, i), [=](index_t x) { return x ^ bit(i); });
    for (unsigned j = 0; j < n; ++j) {
      check_same(swap_bits(n, i, j), [=](index_t x) {
        auto b = oracle::to_bits(x, n);
        std::swap(b[i], b[j]);
        return oracle::to_number(b);
      });
      CHECK(swap_bits<5>(i, j) == permutation<5>(swap_bits(n, i, j)));
      if (i == j) continue;
      check_same(cnot(n, i, j), [=](index_t x) {
        auto b = oracle::to_bits(x, n);
        if (b[i] != 0) b[j] = b[j] == 0 ? 1 : 0;
        return oracle::to_number(b);
      });
      CHECK(cnot<5>(i, j) == permutation<5>(cnot(n, i, j)));
    }
    CHECK(flip<5>(i) == permutation<5>(flip(n, i)));
  }
}

TEST_CASE("a circuit is its gates from left to right", "[index][gates]") {
  oracle::generator random(7);
  for (unsigned n = 2; n <= 8; ++n) {
    circuit<> built(n);
    std::vector<permutation<>> gates;
    for (int g = 0; g < 40; ++g) {
      const auto i = static_cast<unsigned>(random() % n);
      const auto j = static_cast<unsigned>((i + 1 + random() % (n - 1)) % n);
      switch (random() % 4) {
        case 0:
          built.cnot(i, j), gates.push_back(cnot(n, i, j));
          break;
        case 1:
          built.swap(i, j), gates.push_back(swap_bits(n, i, j));
          break;
        case 2:
          built.flip(i), gates.push_back(flip(n, i));
          break;
        default: {
          const auto any = to_library(random_affine(n, random));
          built.then(any), gates.push_back(any);
        }
      }
    }
    CHECK(built.bits() == n);
    check_same(built, [&](index_t x) {
      for (auto const& gate : gates) x = gate(x);
      return x;
    });
  }
  const auto plan_free = compose(circuit<3>{}.flip(0), circuit<3>{}.flip(1));  // as permutations
  STATIC_REQUIRE(std::is_same_v<decltype(plan_free), permutation<3> const>);
  CHECK(plan_free(0) == 3);
  const permutation<3> written = circuit<3>{}.flip(0).cnot(0, 1).swap(1, 2);
  CHECK(written(0b000) == 0b101);
  CHECK(written(0b001) == 0b000);
}

TEST_CASE("gate errors name the bits", "[index][gates][errors]") {
  CHECK_COMPLAINS(bad_value, cnot(4, 2, 2), "bit 2");
  CHECK_COMPLAINS(bad_value, cnot(4, 4, 2), "4");
  CHECK_COMPLAINS(bad_value, cnot<4>(1, 5), "5", "4");
  CHECK_COMPLAINS(bad_value, swap_bits(4, 0, 7), "7", "4");
  CHECK_COMPLAINS(bad_value, swap_bits(4, 9, 0), "9", "4");
  CHECK_COMPLAINS(bad_value, flip(0, 0), "0");
  CHECK_COMPLAINS(bad_value, circuit<>(3).cnot(1, 1), "bit 1");
  CHECK_COMPLAINS(bad_value, circuit<>(3).cnot(3, 1), "3");
  CHECK_COMPLAINS(bad_value, circuit<3>().swap(0, 3), "3");
  CHECK_COMPLAINS(bad_value, circuit<3>().flip(3), "3");
  CHECK_COMPLAINS(bad_value, circuit<>(3).then(shuffle(4)), "3", "4");
}
