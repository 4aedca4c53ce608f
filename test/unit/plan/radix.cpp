// SPDX-License-Identifier: BSL-1.0

// Exchanges in rounds: every block arrives, by as few messages as stated.

#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/radix.hpp>

#include "support/catch.hpp"
#include "support/oracle.hpp"

using bmmc::index_t;
using bmmc::radix_plan;

namespace {

/// Blocks of all processes, by where they come from, after all rounds. Every message is carried
/// block by block: rounds() and partners are all that is taken from the plan.
std::vector<std::vector<index_t>> carried(radix_plan const& made, index_t procs, index_t blocks) {
  std::vector<std::vector<index_t>> now(procs, std::vector<index_t>(blocks));
  for (index_t q = 0; q < procs; ++q)
    for (index_t b = 0; b < blocks; ++b) now[q][b] = q * blocks + b;
  for (unsigned j = 0; j < made.rounds(); ++j) {
    auto next = now;
    for (index_t v = 0; v < made.messages(j); ++v) {
      std::vector<int> received(procs, 0);
      for (index_t q = 0; q < procs; ++q) {
        const index_t to = made.target(q, j, v);
        REQUIRE(made.source(to, j, v) == q);
        ++received[to];
        for (index_t run = 0; run < made.runs(j); ++run)
          for (index_t i = 0; i < made.run_blocks(j); ++i) {
            const index_t b = made.block(j, v) + (run << (made.first(j) + made.bits(j))) + i;
            next[to][b] = now[q][b];
          }
      }
      REQUIRE(received == std::vector<int>(procs, 1));  // each round renames processes
    }
    now = next;
  }
  return now;
}

}  // namespace

TEST_CASE("every block arrives, in as many rounds as there are groups of bits", "[radix]") {
  oracle::generator random(3);
  for (unsigned seed = 0; seed < 120; ++seed) {
    const unsigned p = 1 + seed % 5, n = p + seed % 7;
    const auto a = seed % 9 == 0   ? bmmc::bit_reversal(n)
                   : seed % 9 == 1 ? bmmc::gray_encode(n)
                                   : bmmc::random_permutation(n, random);
    const bmmc::plan plan(a, p);
    const auto moves = plan.moves();
    const unsigned r = plan.rank();
    for (unsigned k = 1; k <= r + 2; ++k) {
      const radix_plan made(plan, k);
      CHECK(made.rounds() == std::max(1U, (r + k - 1) / k));
      const auto now = carried(made, plan.procs(), plan.messages());
      for (index_t q = 0; q < plan.procs(); ++q)
        for (index_t b = 0; b < plan.messages(); ++b) {
          const index_t to = moves(q * plan.messages() + b);
          REQUIRE(now[to / plan.messages()][b] == q * plan.messages() + b);
        }
    }
  }
}

TEST_CASE("what leaves a process is known before", "[radix]") {
  oracle::generator random(4);
  for (unsigned seed = 0; seed < 60; ++seed) {
    const unsigned p = 1 + seed % 6, n = 2 * p + seed % 3;
    const bmmc::plan plan(bmmc::random_permutation(n, random), p);
    for (unsigned k = 1; k <= std::max(1U, plan.rank()); ++k) {
      const radix_plan made(plan, k);
      index_t most = 1;  // in the first round all may leave, in the others one message stays
      for (unsigned j = 0; j < made.rounds(); ++j) most += made.messages(j) - 1;
      for (index_t q = 0; q < plan.procs(); ++q) {
        const auto sent = made.sent(q);
        CHECK(sent.messages <= most);
        CHECK(sent.messages + 1 >= most);
        if (k >= plan.rank()) {
          const auto straight = pattern_of(plan, q).sent();
          CHECK(sent.messages == straight.messages);
          CHECK(sent.elements * plan.message_elements() == straight.elements);
        }
      }
    }
  }
  CHECK_THROWS_AS(radix_plan(bmmc::plan(bmmc::bit_reversal(4), 2), 0), bmmc::bad_value);
}

TEST_CASE("1024 processes: from 1023 messages to 10", "[radix]") {
  constexpr auto plan =
      bmmc::make_plan(bmmc::bit_reversal<20>(), bmmc::layout::processor_major(), 1024);
  static_assert(plan.rank() == 10);
  CHECK(radix_plan(plan, 10).sent(1).messages == 1023);
  CHECK(radix_plan(plan, 5).sent(1).messages == 62);
  CHECK(radix_plan(plan, 2).sent(1).messages == 15);
  CHECK(radix_plan(plan, 1).sent(1).messages == 10);
  CHECK(radix_plan(plan, 1).sent(1).elements == 10 * 512);
}
