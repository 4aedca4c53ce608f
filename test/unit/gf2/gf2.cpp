// SPDX-License-Identifier: BSL-1.0

#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/print.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

const std::vector<unsigned> sizes{0, 1, 2, 5, 31, 32, 33, 63, 64};

/// A random matrix of at most the given rank: a product through so narrow a waist.
oracle::matrix random_narrow(unsigned rows, unsigned cols, unsigned waist,
                             oracle::generator& random) {
  return oracle::times(oracle::random_matrix(rows, waist, random),
                       oracle::random_matrix(waist, cols, random));
}

/// All laws of one matrix and the oracle's figures; `words` has its size in the type or not.
void check_algebra(auto const& words, oracle::matrix const& a, oracle::generator& random) {
  REQUIRE(oracle::read(words) == a);
  CHECK(oracle::read(transposed(words)) == oracle::flipped(a));
  CHECK(matrix_rank(words) == oracle::rank(a));
  for (int trial = 0; trial < 8; ++trial) {
    const index_t x = random() & low_bits(a.cols);
    CHECK(words * x == oracle::to_number(oracle::times(a, oracle::to_bits(x, a.cols))));
  }
  if constexpr (requires { inverse(words); }) {  // square, or known to be so only now
    if (a.rows != a.cols) return;
    CHECK(oracle::read(words * words) == oracle::times(a, a));
    if (oracle::rank(a) != a.cols) return;
    const auto undo = inverse(words);
    CHECK(oracle::times(oracle::read(undo), a) == oracle::unit(a.cols));
    CHECK(oracle::times(a, oracle::read(undo)) == oracle::unit(a.cols));
  }
}

template <unsigned R, unsigned C>
void check_static(oracle::generator& random) {
  INFO(R << " x " << C);
  for (int trial = 0; trial < 4; ++trial) {
    const auto a = oracle::random_matrix(R, C, random);
    check_algebra(to_static<R, C>(to_library(a)), a, random);
  }
  if constexpr (R == C) {
    const auto a = oracle::random_nonsingular(R, random);
    check_algebra(to_static<R>(to_library(a)), a, random);
  }
}

/// The basis is one, every other column is the stated sum of basis columns, and no basis holds
/// more of the last k columns.
void check_basis(oracle::matrix const& a) {
  const auto found = find_column_basis(to_library(a));
  const auto d = oracle::read(found.dependency);
  REQUIRE(d.rows == a.cols);
  REQUIRE(d.cols == a.cols);
  const auto chosen = oracle::to_bits(found.basis, a.cols);
  for (unsigned j = 0; j < a.cols; ++j) {
    oracle::number sum = 0;
    for (unsigned i = 0; i < a.cols; ++i)
      if (d.row[i][j] != 0) {
        CHECK(chosen[i] != 0);
        sum ^= oracle::column_word(a, i);
      }
    CHECK(sum == (chosen[j] != 0 ? 0 : oracle::column_word(a, j)));
  }
  unsigned held = 0;
  for (unsigned k = 1; k <= a.cols; ++k) {
    held += chosen[a.cols - k] != 0 ? 1 : 0;
    REQUIRE(held == oracle::rank(oracle::part(a, 0, a.rows, a.cols - k, k)));
  }
}

}  // namespace

TEST_CASE("matrices agree with the oracle, size at run time", "[gf2]") {
  oracle::generator random(1);
  for (const unsigned rows : sizes)
    for (const unsigned cols : sizes) {
      INFO(rows << " x " << cols);
      const auto a = oracle::random_matrix(rows, cols, random);
      check_algebra(to_library(a), a, random);
      const auto narrow = random_narrow(rows, cols, std::min(rows, cols) / 2, random);
      check_algebra(to_library(narrow), narrow, random);
    }
  for (const unsigned n : sizes) {
    const auto a = oracle::random_nonsingular(n, random);
    check_algebra(to_library(a), a, random);
  }
}

TEST_CASE("matrices agree with the oracle, size in the type", "[gf2]") {
  oracle::generator random(2);
  check_static<0, 0>(random);
  check_static<1, 1>(random);
  check_static<31, 31>(random);
  check_static<32, 32>(random);
  check_static<33, 33>(random);
  check_static<63, 63>(random);
  check_static<64, 64>(random);
  check_static<64, 1>(random);
  check_static<0, 64>(random);
  check_static<33, 63>(random);
}

TEST_CASE("the identity and the zero matrix", "[gf2]") {
  for (const unsigned n : sizes) CHECK(oracle::read(identity_matrix(n)) == oracle::unit(n));
  CHECK(oracle::read(identity_matrix<0>()) == oracle::unit(0));
  CHECK(oracle::read(identity_matrix<33>()) == oracle::unit(33));
  CHECK(oracle::read(identity_matrix<64>()) == oracle::unit(64));
  CHECK(oracle::read(bit_matrix<>(64, 33)) == oracle::matrix(64, 33));
  CHECK_THROWS_AS(oracle::read(bit_matrix<3>{{8, 0, 0}}), std::logic_error);
}

TEST_CASE("products of matrices of different shapes", "[gf2]") {
  oracle::generator random(3);
  for (const unsigned rows : {0U, 3U, 32U, 64U})
    for (const unsigned inner : {0U, 1U, 33U, 64U})
      for (const unsigned cols : {0U, 31U, 64U}) {
        const auto a = oracle::random_matrix(rows, inner, random),
                   b = oracle::random_matrix(inner, cols, random);
        CHECK(oracle::read(to_library(a) * to_library(b)) == oracle::times(a, b));
      }
  const auto a = oracle::random_matrix(5, 33, random), b = oracle::random_matrix(33, 64, random);
  const bit_matrix<5, 64> product =
      to_static<5, 33>(to_library(a)) * to_static<33, 64>(to_library(b));
  CHECK(oracle::read(product) == oracle::times(a, b));
}

TEST_CASE("bits beyond the columns of a matrix count as zero", "[gf2]") {
  CHECK(identity_matrix(3) * index_t{0b11010} == 0b010);
  CHECK(identity_matrix<3>() * ~index_t{0} == 0b111);
  CHECK(bit_matrix<>{} * ~index_t{0} == 0);
}

TEST_CASE("solve finds a solution where there is one, and only there", "[gf2]") {
  oracle::generator random(4);
  for (const unsigned rows : sizes)
    for (const unsigned cols : sizes) {
      const auto a = random_narrow(rows, cols, std::min(rows, cols) / 2 + 1, random);
      const auto words = to_library(a);
      const index_t image = words * (random() & low_bits(cols));
      const auto x = solve(words, image);
      REQUIRE(x.has_value());
      CHECK(words * *x == image);
      CHECK((*x & ~find_column_basis(words).basis) == 0);

      const index_t y = random() & low_bits(rows);
      auto widened = oracle::matrix(rows, cols + 1);
      const auto extra = oracle::to_bits(y, rows);
      for (unsigned i = 0; i < rows; ++i) {
        for (unsigned j = 0; j < cols; ++j) widened.row[i][j] = a.row[i][j];
        widened.row[i][cols] = extra[i];
      }
      CHECK(solve(words, y).has_value() == (oracle::rank(widened) == oracle::rank(a)));
    }
  CHECK(solve(bit_matrix<2, 1>{{0b10}}, 0b10) == index_t{1});
  CHECK(solve(bit_matrix<2, 1>{{0b10}}, 0b01) == std::nullopt);
}

TEST_CASE("column basis and its dependencies", "[gf2]") {
  oracle::generator random(5);
  for (const unsigned rows : sizes)
    for (const unsigned cols : {0U, 1U, 2U, 7U, 32U, 63U, 64U})
      for (const unsigned waist : {0U, 1U, 3U, 64U}) {
        INFO(rows << " x " << cols << " through " << waist);
        check_basis(random_narrow(rows, cols, std::min({rows, cols, waist}), random));
      }
  // Columns 0 .. 3: the rightmost two are taken, column 1 is their sum, column 0 is column 3.
  const auto found = find_column_basis(bit_matrix<2, 4>{{0b10, 0b11, 0b01, 0b10}});
  CHECK(found.basis == 0b1100);
  CHECK(found.dependency == bit_matrix<4>{{0b1000, 0b1100, 0, 0}});
}

TEST_CASE("submatrix cuts a block out, up to the last row", "[gf2]") {
  oracle::generator random(6);
  const auto a = oracle::random_matrix(64, 63, random);
  for (const unsigned row : {0U, 1U, 31U, 63U, 64U})
    for (const unsigned col : {0U, 32U, 62U, 63U}) {
      const unsigned rows = (64 - row + 1) / 2, cols = 63 - col;
      CHECK(oracle::read(submatrix(to_library(a), row, rows, col, cols)) ==
            oracle::part(a, row, rows, col, cols));
    }
}

TEST_CASE("matrix errors name the figures", "[gf2][errors]") {
  CHECK_COMPLAINS(bad_value, bit_matrix<>(65, 3), "64 x 64", "65 x 3");
  CHECK_COMPLAINS(bad_value, bit_matrix<>(3, 65), "3 x 65");
  CHECK_COMPLAINS(bad_value, identity_matrix(4) * identity_matrix(5), "4 columns", "5 rows");
  CHECK_COMPLAINS(bad_value, (to_static<3, 4>(bit_matrix<>(3, 5))), "3 x 5", "3 x 4");
  CHECK_COMPLAINS(bad_value, submatrix(identity_matrix(4), 2, 3, 0, 1), "3 x 1", "(2, 0)", "4 x 4");
  CHECK_COMPLAINS(bad_value, submatrix(identity_matrix(4), 0, 1, 4, 1), "(0, 4)");
  CHECK_COMPLAINS(singular_matrix, inverse(bit_matrix<>(3, {1, 2, 3})), "rank 2", "3 bits");
  CHECK_COMPLAINS(singular_matrix, inverse(bit_matrix<2>{{3, 3}}), "rank 1", "2 bits");
  CHECK_COMPLAINS(singular_matrix, inverse(bit_matrix<>(2, 3)), "2 x 3", "square");
  CHECK_COMPLAINS(singular_matrix, inverse(bit_matrix<64>{}), "rank 0", "64 bits");
}

TEST_CASE("every exception is met as std::exception and as bmmc::error", "[gf2][errors]") {
  CHECK_THROWS_AS(inverse(bit_matrix<1>{}), bmmc::error);
  CHECK_THROWS_AS(inverse(bit_matrix<1>{}), std::exception);
  CHECK_THROWS_AS(inverse(bit_matrix<1>{}), std::invalid_argument);
  CHECK_THROWS_AS(inverse(bit_matrix<1>{}), bad_value);
  CHECK_THROWS_AS(throw transport_error("lost"), std::runtime_error);
  CHECK_THROWS_AS(throw transport_error("lost"), bmmc::error);
}

TEST_CASE("a matrix prints row 0 first, column 0 leftmost", "[gf2]") {
  CHECK(to_string(bit_matrix<2, 3>{{0b01, 0b10, 0b10}}) == "1 . .\n. 1 1\n");
  CHECK(to_string(bit_matrix<>(1, {1, 0})) == "1 .\n");
  CHECK(to_string(bit_matrix<0>{}).empty());
  std::ostringstream out;
  out << bit_matrix<1>{{1}};
  CHECK(out.str() == "1\n");
}

TEST_CASE("entry reads row i, column j", "[gf2]") {
  const bit_matrix<64> top{{bit(63)}};
  CHECK(entry(top, 63, 0));
  CHECK_FALSE(entry(top, 62, 0));
  CHECK_FALSE(entry(top, 63, 1));
}
