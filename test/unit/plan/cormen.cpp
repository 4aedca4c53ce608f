// SPDX-License-Identifier: BSL-1.0

// What Cormen 1997 states and the tests of the rooms do not name: theorem 2, the worked example of
// section 3, the pseudocode of section 5 and of the appendices, run as printed where that works.

#include <bit>
#include <random>

#include <bmmc/local/reference.hpp>
#include <bmmc/planning.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"

using namespace bmmc;

namespace {

bit_matrix<> from_rows(std::initializer_list<std::initializer_list<int>> rows) {
  bit_matrix<> a(static_cast<unsigned>(rows.size()), static_cast<unsigned>(rows.begin()->size()));
  unsigned i = 0;
  for (auto const& row : rows) {
    unsigned j = 0;
    for (int entry : row) a.column[j++] |= static_cast<index_t>(entry) << i;
    ++i;
  }
  return a;
}

}  // namespace

TEST_CASE("Cormen, theorem 2: row rank equals column rank", "[cormen]") {
  oracle::generator random(2);
  const auto column_rank = [](oracle::matrix const& a) {  // the largest set without a zero sum
    unsigned most = 0;
    for (oracle::number set = 0; set < oracle::power(a.cols); ++set) {
      bool independent = true;
      for (oracle::number sub = set; sub != 0 && independent; sub = (sub - 1) & set) {
        oracle::number sum = 0;
        for (unsigned j = 0; j < a.cols; ++j)
          if ((sub >> j & 1) != 0) sum ^= oracle::column_word(a, j);
        independent = sum != 0;
      }
      if (independent) most = std::max(most, static_cast<unsigned>(std::popcount(set)));
    }
    return most;
  };
  for (unsigned rows = 1; rows <= 5; ++rows)
    for (unsigned cols = 1; cols <= 5; ++cols)
      for (int turn = 0; turn < 12; ++turn) {
        const auto a = oracle::random_matrix(rows, cols, random);
        CHECK(column_rank(a) == column_rank(oracle::flipped(a)));
        CHECK(matrix_rank(to_library(a)) == column_rank(a));
        CHECK(matrix_rank(transposed(to_library(a))) == column_rank(a));
      }
}

TEST_CASE("Cormen, section 3: the column-addition example A M = A'", "[cormen]") {
  const auto a = from_rows({{1, 0, 1, 1}, {0, 1, 1, 0}, {1, 1, 0, 0}, {0, 1, 0, 1}});
  const auto m = from_rows({{1, 1, 1, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 1}});
  const auto product = from_rows({{1, 0, 0, 1}, {0, 1, 1, 0}, {1, 0, 1, 0}, {0, 0, 0, 1}});
  CHECK(a * m == product);
  CHECK(product.column[1] == (a.column[0] ^ a.column[1] ^ a.column[3]));
  CHECK(product.column[2] == (a.column[0] ^ a.column[2]));
  // the dependency restriction: a column that is added to stays out of all sums; then M M = 1
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j)
      for (unsigned k = 0; k < 4; ++k)
        if (i != j && k != j && entry(m, i, j)) CHECK_FALSE(entry(m, j, k));
  CHECK(m * m == identity_matrix(4));
}

TEST_CASE("Cormen, section 5: the loops move the data; line 8 as printed reads block 0",
          "[cormen]") {
  std::mt19937_64 random(5);
  for (unsigned n = 4; n <= 7; ++n)
    for (unsigned p = 1; p <= 3; ++p) {
      const auto map = random_permutation(n, random);
      const unsigned m = n - p;
      const auto f = factor(map.matrix(), p);
      const index_t c = map.complement(), procs = bit(p), chunk = bit(m);
      std::vector<std::vector<index_t>> data(procs, std::vector<index_t>(chunk)), temp = data;
      for (index_t k = 0; k < procs; ++k)
        for (index_t x = 0; x < chunk; ++x) {
          data[k][x] = k << m | x;
          temp[k][(f.w * (k << m | x)) & low_bits(m)] = data[k][x];  // the first program
        }
      auto printed = data;
      const index_t block = chunk >> f.rank;
      for (index_t b = 0; b < bit(f.rank); ++b) {
        auto received = temp;
        for (index_t k = 0; k < procs; ++k) {
          const index_t target = (f.v * (k << m | b * block) ^ c) >> m;
          for (index_t j = 0; j < block; ++j)
            received[target][b * block + j] = temp[k][b * block + j];
        }
        temp = received;
        for (index_t k = 0; k < procs; ++k) {
          index_t source = 0;  // who sends to k in this round
          while (((f.v * (source << m | b * block) ^ c) >> m) != k) ++source;
          for (index_t j = 0; j < block; ++j) {
            const index_t t = (f.v * (source << m | b * block | j) ^ c) & low_bits(m);
            data[k][t] = temp[k][b * block + j];
            printed[k][t] = temp[k][j];
          }
        }
      }
      bool right = true, right_as_printed = true;
      for (index_t x = 0; x < bit(n); ++x) {
        const index_t y = map(x);
        right = right && data[y >> m][y & low_bits(m)] == x;
        right_as_printed = right_as_printed && printed[y >> m][y & low_bits(m)] == x;
      }
      CHECK(right);
      CHECK(right_as_printed == (f.rank == 0));
    }
}

TEST_CASE("Cormen, section 6: Q, its inverse, and Q A Q^-1", "[cormen]") {
  std::mt19937_64 random(6);
  for (unsigned n = 1; n <= 6; ++n)
    for (unsigned p = 0; p <= n; ++p)
      for (unsigned f = 0; f <= n - p; ++f) {
        bit_matrix<> q(n, n);  // rows: f, n-p-f, p. columns: f, p, n-p-f, as printed
        for (unsigned j = 0; j < n; ++j)
          q.column[j] = bit(j < f ? j : j < f + p ? j + (n - p - f) : j - p);
        // the matrix takes an index to its processor-major address, which is what a plan needs
        CHECK(layout::banded(f).physical(n, p) == permutation<>(q));
        if (f == n - p) CHECK(q == identity_matrix(n));
        const auto map = random_permutation(n, random);
        const permutation<> adjusted(q * map.matrix() * inverse(q), q * map.complement());
        CHECK(make_plan(map, layout::banded(f), bit(p)).rank() ==
              make_plan(adjusted, layout::processor_major{}, bit(p)).rank());
      }
}

TEST_CASE("Cormen, appendix A: the pseudocode finds the basis and dependencies", "[cormen]") {
  oracle::generator random(1);
  for (int turn = 0; turn < 200; ++turn) {
    const auto rows = static_cast<unsigned>(1 + random() % 7),
               cols = static_cast<unsigned>(1 + random() % 7);
    const auto original = to_library(oracle::random_matrix(rows, cols, random));
    auto a = original;
    index_t basis = 0;
    bit_matrix<> d(cols, cols);
    for (unsigned j = cols; j-- > 0;) {
      if (a.column[j] == 0) continue;
      basis |= bit(j);
      const auto i = static_cast<unsigned>(std::countr_zero(a.column[j]));
      for (unsigned k = 0; k < j; ++k)
        if (entry(a, i, k)) {
          a.column[k] ^= a.column[j];
          d.column[k] ^= d.column[j] ^ bit(j);
        }
      d.column[j] = 0;
    }
    const auto found = find_column_basis(original);
    CHECK(found.basis == basis);
    CHECK(found.dependency == d);
    for (unsigned j = 0; j < cols; ++j)  // d_ij = 1, not 0, where column j depends on column i
      if ((basis & bit(j)) == 0) CHECK(original * d.column[j] == original.column[j]);
  }
}

TEST_CASE("Cormen, appendix B: 2 N - 1 bits are looked at; the printed sum is 2 lg N + 1 less",
          "[cormen]") {
  for (unsigned n = 1; n <= 16; ++n) {
    const index_t size = bit(n);
    index_t looked_at = 0, by_nibbles = 0, printed = 0;
    for (index_t j = 1; j <= size; ++j) {
      for (index_t rest = j;; rest >>= 1) {
        ++looked_at;
        if ((rest & 1) != 0) break;
      }
      // the program with the table `flips`
      index_t q = j, i = 0;
      for (; (q & 15) == 0; q /= 16) i += 4, ++by_nibbles;
      const std::array<unsigned, 16> flips{0, 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0};
      i += flips[q & 15];
      CHECK(i == static_cast<index_t>(std::countr_zero(j)));
    }
    for (index_t i = 0; i < n; ++i) printed += i * (size >> i);
    CHECK(looked_at == 2 * size - 1);
    CHECK(looked_at - printed == 2 * n + 1);
    CHECK(looked_at < 2 * size);
    // the body of its loop is executed for one number in 16 (and again for one in 256, ..)
    CHECK(15 * by_nibbles <= size);
  }
}

TEST_CASE("Cormen, appendix B: the Gray-code loop computes every target index", "[cormen]") {
  std::mt19937_64 random(3);
  for (unsigned n = 0; n <= 8; ++n) {
    const auto p = random_permutation(n, random);
    std::vector<index_t> source(bit(n)), target(bit(n));
    for (index_t x = 0; x < bit(n); ++x) source[x] = x;
    local::gray_code_loop(source.data(), target.data(), p);
    for (index_t x = 0; x < bit(n); ++x) CHECK(target[p(x)] == x);
  }
}

TEST_CASE("Cormen, appendix C: the examples, and how few permutations are BMMC", "[cormen]") {
  // a q x r matrix: the blocks of its characteristic matrix are lg r wide, then lg q
  for (unsigned lg_q = 0; lg_q <= 3; ++lg_q)
    for (unsigned lg_r = 0; lg_r <= 3; ++lg_r) {
      bit_matrix<> right(lg_q + lg_r, lg_q + lg_r), printed = right;
      for (unsigned j = 0; j < lg_q + lg_r; ++j) {
        right.column[j] = bit(j < lg_r ? lg_q + j : j - lg_r);
        printed.column[j] = bit(j < lg_q ? lg_r + j : j - lg_q);
      }
      CHECK(transpose(lg_q, lg_r).matrix() == right);
      CHECK((right == printed) == (lg_q == lg_r || lg_q == 0 || lg_r == 0));
    }
  CHECK(shuffle(6) == transpose(1, 5));
  CHECK(unshuffle(6) == transpose(5, 1));
  CHECK(bit_reversal(4).matrix() ==
        from_rows({{0, 0, 0, 1}, {0, 0, 1, 0}, {0, 1, 0, 0}, {1, 0, 0, 0}}));
  CHECK(vector_reversal(5) == permutation<>(identity_matrix(5), 31));
  CHECK(gray_encode(6).matrix() == from_rows({{1, 1, 0, 0, 0, 0},  // equation (6)
                                              {0, 1, 1, 0, 0, 0},
                                              {0, 0, 1, 1, 0, 0},
                                              {0, 0, 0, 1, 1, 0},
                                              {0, 0, 0, 0, 1, 1},
                                              {0, 0, 0, 0, 0, 1}}));
}
