// SPDX-License-Identifier: BSL-1.0

// Plans in pieces: what is gathered, sent and scattered piece by piece is the whole permutation.

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/pieces.hpp>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"

namespace {

using bmmc::bit;
using bmmc::index_t;
using chunks = std::vector<std::vector<index_t>>;

/// What all processes hold after every piece has been moved as the class says, one by one.
chunks moved(bmmc::plan const& p, bmmc::pieces const& cut, chunks const& source) {
  chunks target(p.procs(), std::vector<index_t>(p.chunk_elements(), ~index_t{0}));
  for (index_t piece = 0; piece < cut.count(); ++piece) {
    chunks sent(p.procs(), std::vector<index_t>(cut.elements())), received = sent;
    for (index_t k = 0; k < p.procs(); ++k) {
      auto from = cut.gather_from(k);
      from.complement = cut.source_offset(k, piece);
      for (index_t s = 0; s < cut.elements(); ++s) sent[k][cut.gather_to()(s)] = source[k][from(s)];
    }
    for (index_t k = 0; k < p.procs(); ++k)
      for (index_t i = 0; i < cut.messages(); ++i) {
        const index_t to = p.target(k, cut.block(piece, i));
        REQUIRE(p.source(to, cut.block(piece, i)) == k);
        for (index_t j = 0; j < cut.message_elements(); ++j)
          received[to][i * cut.message_elements() + j] = sent[k][i * cut.message_elements() + j];
      }
    for (index_t k = 0; k < p.procs(); ++k) {
      auto to = cut.scatter(k);
      to.complement = cut.scatter_offset(k, piece);
      for (index_t t = 0; t < cut.elements(); ++t) target[k][to(t)] = received[k][t];
    }
  }
  return target;
}

/// Whether every element of every piece is as far from the piece's first in the source as in the
/// buffer.
bool lie_in_source(bmmc::pieces const& cut, index_t proc) {
  for (index_t piece = 0; piece < cut.count(); ++piece) {
    auto from = cut.gather_from(proc);
    from.complement = cut.source_offset(proc, piece);
    for (index_t s = 0; s < cut.elements(); ++s)
      if (from(s) != from.complement + cut.gather_to()(s)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("what a gather leaves as it is needs none") {
  for (unsigned lg_elements = 0; lg_elements < 9; ++lg_elements)
    for (index_t k = 0; k < 4; ++k) {
      const bmmc::plan reversed(bmmc::vector_reversal(10), 2);
      CHECK(bmmc::pieces(reversed, lg_elements).are_gathered(k));
    }
}

TEST_CASE("pieces of every size carry out the plan") {
  oracle::generator random(1612);
  unsigned gathered = 0, others = 0;
  for (int turn = 0; turn < 1500; ++turn) {
    const auto n = static_cast<unsigned>(random() % 12),
               p = static_cast<unsigned>(random() % (n + 1));
    const auto map = turn % 4 == 0   ? bmmc::bit_reversal(n)
                     : turn % 4 == 1 ? bmmc::transpose(n / 2, n - n / 2)
                     : turn % 8 == 2 ? bmmc::vector_reversal(n)
                                     : bmmc::random_permutation(n, random);
    const bmmc::plan plan(map, p);
    const auto lg_elements = static_cast<unsigned>(random() % (n - p + 2));
    const bmmc::pieces cut(plan, lg_elements);
    CHECK(cut.elements() == bit(std::min(lg_elements, n - p)));
    CHECK(cut.elements() * cut.count() == plan.chunk_elements());
    CHECK(cut.messages() * cut.message_elements() == cut.elements());
    for (index_t k = 0; k < plan.procs(); ++k) {
      const bool are_gathered = lie_in_source(cut, k);
      CHECK(cut.are_gathered(k) == are_gathered);
      ++(are_gathered ? gathered : others);
    }
    CHECK(cut.messages() <= plan.messages());
    chunks source(plan.procs());
    for (index_t x = 0; x < bit(n); ++x) source[x >> (n - p)].push_back(x);
    const auto target = moved(plan, cut, source);
    const auto expected = oracle::read_affine(map);
    for (index_t x = 0; x < bit(n); ++x) {
      const index_t y = expected(x);
      REQUIRE(target[y >> (n - p)][y & (plan.chunk_elements() - 1)] == x);
    }
  }
  CHECK(gathered > 1000);
  CHECK(others > 1000);
}

TEST_CASE("a piece reads and writes runs") {
  // 2^20 elements by 4 processes, pieces of 2^12: six low bits on both sides at least
  const bmmc::plan plan(bmmc::bit_reversal(20), 2);
  const bmmc::pieces cut(plan, 12);
  const auto from = cut.gather_from(0);
  const auto to = cut.scatter(0);
  for (unsigned j = 0; j < 6; ++j) {
    CHECK(from.matrix.column[j] == bit(j));
    CHECK(bmmc::solve(to.matrix, bit(j)).has_value());
  }
}
