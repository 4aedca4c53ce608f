// SPDX-License-Identifier: BSL-1.0

// The matrix forms of Cormen 1997, sections 3 and 4.

#include <bmmc/plan/factoring.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"

using namespace bmmc;
using oracle::matrix;

namespace {

bool is_zero(matrix const& a) { return a == matrix(a.rows, a.cols); }

/// A column that has others added to it is added to none.
bool keeps_dependency_restriction(matrix const& added) {
  for (unsigned j = 0; j < added.cols; ++j) {
    bool receives = false, gives = false;
    for (unsigned k = 0; k < added.cols; ++k) {
      if (k == j) continue;
      receives |= added.row[k][j] != 0;
      gives |= added.row[j][k] != 0;
    }
    if (receives && gives) return false;
  }
  return true;
}

/// [ * * ]      the form of all factors that move elements inside their process only
/// [ 0 1 ]
bool is_intraprocessor(matrix const& a, unsigned m, unsigned p) {
  return is_zero(oracle::part(a, m, p, 0, m)) && oracle::part(a, m, p, m, p) == oracle::unit(p);
}

void check_trailer(matrix const& t, unsigned m, unsigned p) {
  CHECK(is_intraprocessor(t, m, p));
  CHECK(oracle::part(t, 0, m, 0, m) == oracle::unit(m));
  CHECK(keeps_dependency_restriction(t));
}

void check_reducer(matrix const& r, unsigned m, unsigned p) {
  CHECK(is_intraprocessor(r, m, p));
  CHECK(is_zero(oracle::part(r, 0, m, m, p)));
  for (unsigned j = 0; j < m; ++j) CHECK(r.row[j][j] == 1);
  CHECK(keeps_dependency_restriction(r));
}

void check_swapper(matrix const& s, unsigned m, unsigned p) {
  CHECK(is_intraprocessor(s, m, p));
  CHECK(is_zero(oracle::part(s, 0, m, m, p)));
  for (unsigned j = 0; j < m; ++j) {
    unsigned ones = 0;
    for (unsigned i = 0; i < m; ++i) ones += s.row[i][j] != 0 ? 1 : 0;
    CHECK(ones == 1);
  }
  CHECK(oracle::times(s, s) == oracle::unit(m + p));  // pairs of columns
}

void check_factoring(matrix const& a, unsigned p) {
  const unsigned n = a.cols, m = n - p;
  INFO("n = " << n << ", p = " << p);
  const factoring f = factor(to_library(a), p);
  const matrix t = oracle::read(f.trailer), r = oracle::read(f.reducer),
               s = oracle::read(f.swapper), v = oracle::read(f.v), w = oracle::read(f.w);
  check_trailer(t, m, p);
  check_reducer(r, m, p);
  check_swapper(s, m, p);
  CHECK(oracle::times(v, w) == a);
  CHECK(v == oracle::times(a, oracle::times(t, oracle::times(r, s))));
  CHECK(is_intraprocessor(w, m, p));
  CHECK(f.rank == oracle::rank(oracle::part(a, m, p, 0, m)));
  CHECK(is_zero(oracle::part(v, m, p, 0, m - f.rank)));                      // reduced form
  CHECK(oracle::rank(oracle::part(v, m, p, m - f.rank, f.rank)) == f.rank);  // gamma''
  CHECK(oracle::rank(oracle::part(v, m, p, m, p)) == p);                     // delta
}

bool has_nonsingular_leading_minors(matrix const& a) {
  for (unsigned k = 1; k <= a.cols; ++k)
    if (oracle::rank(oracle::part(a, 0, k, 0, k)) != k) return false;
  return true;
}

/// Some delta + gamma X has nonsingular leading minors: all 2^(m p) X are tried.
bool some_block_has_them(matrix const& a, unsigned m, unsigned p) {
  const matrix gamma = oracle::part(a, m, p, 0, m), delta = oracle::part(a, m, p, m, p);
  for (oracle::number word = 0; word < oracle::power(m * p); ++word) {
    matrix block = delta, x(m, p);
    for (unsigned k = 0; k < m * p; ++k) x.row[k / p][k % p] = static_cast<char>(word >> k & 1);
    const matrix added = oracle::times(gamma, x);
    for (unsigned i = 0; i < p; ++i)
      for (unsigned j = 0; j < p; ++j)
        block.row[i][j] = static_cast<char>(block.row[i][j] ^ added.row[i][j]);
    if (has_nonsingular_leading_minors(block)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("delta has nonsingular leading minors where any choice gives them", "[factoring]") {
  oracle::generator random(3);
  unsigned with = 0, without = 0;
  for (unsigned n = 0; n <= 6; ++n)
    for (unsigned p = 0; p <= std::min(n, 4U); ++p)
      for (unsigned rank = 0; rank <= std::min(p, n - p); ++rank)
        for (int trial = 0; trial < 20; ++trial) {
          const unsigned m = n - p;
          const matrix a = oracle::random_of_rank(n, p, rank, random);
          const factoring f = factor(to_library(a), p);
          const matrix delta = oracle::part(oracle::read(f.v), m, p, m, p);
          const bool found = has_nonsingular_leading_minors(delta);
          CHECK(found == some_block_has_them(a, m, p));
          ++(found ? with : without);
          if (rank == p) CHECK(delta == oracle::unit(p));
        }
  CHECK(with > 100);
  CHECK(without > 100);
}

TEST_CASE("bit reversal of 4 bits on 8 processes has no such choice", "[factoring]") {
  matrix reversal(4, 4);
  for (unsigned i = 0; i < 4; ++i) reversal.row[i][3 - i] = 1;
  CHECK_FALSE(some_block_has_them(reversal, 1, 3));
  CHECK(some_block_has_them(reversal, 2, 2));
}

TEST_CASE("A = V W in the forms of sections 3 and 4", "[factoring]") {
  oracle::generator random(1);
  for (unsigned n = 0; n <= 10; ++n)
    for (unsigned p = 0; p <= n; ++p) {
      check_factoring(oracle::unit(n), p);
      check_factoring(oracle::random_nonsingular(n, random), p);
      for (unsigned rank = 0; rank <= std::min(p, n - p); ++rank)
        check_factoring(oracle::random_of_rank(n, p, rank, random), p);
    }
}

TEST_CASE("factoring reaches 63 bits", "[factoring]") {
  oracle::generator random(2);
  for (const unsigned p : {0U, 1U, 31U, 32U, 62U, 63U})
    check_factoring(oracle::random_nonsingular(63, random), p);
  for (const unsigned rank : {0U, 1U, 16U, 31U})
    check_factoring(oracle::random_of_rank(63, 31, rank, random), 31);
}

TEST_CASE("the forms are told apart", "[factoring]") {
  matrix chain = oracle::unit(3);  // column 0 into 1, column 1 into 2
  chain.row[0][1] = chain.row[1][2] = 1;
  CHECK_FALSE(keeps_dependency_restriction(chain));
  chain.row[1][2] = 0;
  CHECK(keeps_dependency_restriction(chain));
  CHECK(is_intraprocessor(chain, 2, 1));
  chain.row[2][0] = 1;
  CHECK_FALSE(is_intraprocessor(chain, 2, 1));
}
