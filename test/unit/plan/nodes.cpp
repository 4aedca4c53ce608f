// SPDX-License-Identifier: BSL-1.0

// Nodes whose processes share memory: every element arrives, by as few messages as stated.

#include <map>
#include <utility>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/nodes.hpp>
#include <bmmc/plan/pattern.hpp>

#include "support/catch.hpp"
#include "support/oracle.hpp"

using bmmc::index_t;
using bmmc::node_plan;

namespace {

/// Where an element comes to: its node permutes its array, the part of a process travels block by
/// block, and the node that then has it permutes its array.
index_t carried(node_plan const& nodes, index_t x) {
  bmmc::plan const& among = nodes.among();
  const index_t array = among.chunk_elements(), block = nodes.message_elements();
  const index_t node = x / array;
  const index_t gathered = node * array + among.gather(node)(x % array);
  const index_t moved = nodes.moves()(gathered / block) * block + gathered % block;
  return moved / array * array + among.scatter(moved / array)(moved % array);
}

}  // namespace

TEST_CASE("every element arrives by way of nodes, in the place of its process", "[nodes]") {
  oracle::generator random(17);
  for (unsigned seed = 0; seed < 150; ++seed) {
    const unsigned p = seed % 5, n = p + seed % 7;
    const auto a = seed % 9 == 0 ? bmmc::bit_reversal(n) : bmmc::random_permutation(n, random);
    const bmmc::plan plan(a, p);
    for (unsigned w = 0; w <= p; ++w) {
      const node_plan nodes(plan, w);
      for (index_t x = 0; x < bmmc::bit(n); ++x) REQUIRE(carried(nodes, x) == a(x));
      const auto moves = nodes.moves();
      CHECK(bmmc::bit(moves.bits() - p) == nodes.messages());
      for (index_t own = 0; own < bmmc::bit(moves.bits()); ++own) {
        const index_t from = own / nodes.messages(), to = moves(own) / nodes.messages();
        REQUIRE(from % bmmc::bit(w) == to % bmmc::bit(w));
      }
    }
  }
  CHECK_THROWS_AS(node_plan(bmmc::plan(bmmc::bit_reversal(4), 2), 3), bmmc::bad_value);
}

TEST_CASE("between two nodes goes one message, and processes send equally many", "[nodes]") {
  for (unsigned w = 0; w <= 3; ++w)
    for (unsigned v = w; v <= 4; ++v) {  // 2^v nodes
      const unsigned p = v + w;
      const bmmc::plan plan(bmmc::bit_reversal(2 * p + 1), p);
      const node_plan nodes(plan, w);
      std::map<std::pair<index_t, index_t>, int> between;
      for (index_t k = 0; k < plan.procs(); ++k) {
        const auto pattern = pattern_of(nodes.moves(), p, k, nodes.message_elements());
        CHECK(pattern.rounds.size() == bmmc::bit(v - w));
        for (auto const& round : pattern.rounds) ++between[{k >> w, round.sent.proc >> w}];
      }
      CHECK(between.size() == bmmc::bit(2 * v));
      for (auto const& [pair, messages] : between) CHECK(messages == 1);
      CHECK(plan.messages() == bmmc::bit(p));  // and so 4^w between two nodes
    }
}
