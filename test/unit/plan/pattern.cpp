// SPDX-License-Identifier: BSL-1.0

// One message pattern for plans, maps and routes, against what element by element must travel.

#include <map>
#include <set>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/plan/pattern.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"
#include "support/singular.hpp"

namespace {

using bmmc::index_t;
using bmmc::message;
using bmmc::message_pattern;

/// What one process sends to another comes there in the same round, from where it was sent, as much
/// as was sent; nothing comes that nobody sent.
bool is_consistent(std::vector<message_pattern> const& all) {
  std::map<std::pair<index_t, index_t>, index_t> sent, received;
  for (auto const& one : all)
    for (auto const& round : one.rounds) {
      if (round.sent.elements != 0) sent[{one.proc, round.sent.proc}] += round.sent.elements;
      if (round.received.elements != 0)
        received[{round.received.proc, one.proc}] += round.received.elements;
    }
  return sent == received;
}

/// In constant expressions as well.
constexpr bool sends_everywhere() {
  const auto p = bmmc::bit_reversal(6);
  const bmmc::plan made(p, 2);
  const auto pattern = pattern_of(made, 1);
  return pattern.rounds.size() == 4 && pattern.sent() == bmmc::traffic{3, 12} &&
         pattern.received() == pattern.sent() && pattern.rounds[0].sent.first == 0 &&
         pattern.rounds[3].sent.first == 12;
}
static_assert(sends_everywhere());

}  // namespace

TEST_CASE("the pattern of a plan says what the plan says", "[pattern]") {
  oracle::generator random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const auto n = static_cast<unsigned>(1 + random() % 9);
    const auto p = static_cast<unsigned>(random() % std::min(n + 1, 5U));
    const auto map = bmmc::random_permutation(n, random);
    const bmmc::plan made(map, p);
    std::vector<message_pattern> all;
    for (index_t k = 0; k < made.procs(); ++k) {
      all.push_back(pattern_of(made, k));
      REQUIRE(all.back().rounds.size() == made.messages());
      for (index_t b = 0; b < made.messages(); ++b) {
        auto const& round = all.back().rounds[b];
        CHECK(round.sent ==
              message{made.target(k, b), b * made.message_elements(), made.message_elements()});
        CHECK(round.received ==
              message{made.source(k, b), b * made.message_elements(), made.message_elements()});
      }
    }
    CHECK(is_consistent(all));
  }
}

TEST_CASE("the patterns of maps have all pairs that need each other", "[pattern]") {
  oracle::generator random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const auto p = static_cast<unsigned>(random() % 4);
    const auto n = static_cast<unsigned>(p + random() % 6),
               m = static_cast<unsigned>(p + random() % 6);
    const auto rank = static_cast<unsigned>(random() % (std::min(n, m) + 1));
    const bmmc::affine_map map{to_library(singular::random_of_rank(n, m, rank, random)),
                               random() % oracle::power(n)};
    const bmmc::gather_plan gather(map, p);
    const bmmc::reduce_plan reduce(map, p);
    std::vector<message_pattern> gathers, reduces;
    std::set<std::pair<index_t, index_t>> needs, has;  // reader, owner
    for (index_t y = 0; y < oracle::power(m); ++y) needs.insert({y >> (m - p), map(y) >> (n - p)});
    for (index_t k = 0; k < oracle::power(p); ++k) {
      gathers.push_back(pattern_of(gather, k));
      reduces.push_back(pattern_of(reduce, k));
      CHECK(gathers.back().sent() == gather.sent(k));
      CHECK(gathers.back().received() == gather.received(k));
      CHECK(reduces.back().sent() == reduce.sent(k));
      index_t before = 0;
      for (auto const& round : gathers.back().rounds) {
        if (round.received.elements != 0) has.insert({k, round.received.proc});
        const index_t other = round.sent.elements != 0 ? round.sent.proc : round.received.proc;
        CHECK((other ^ k) + 1 > before);  // rounds ascend by exclusive or
        before = (other ^ k) + 1;
        if (round.sent.elements != 0 && round.received.elements != 0)
          CHECK(round.sent.proc == round.received.proc);
      }
    }
    CHECK(has == needs);
    CHECK(is_consistent(gathers));
    CHECK(is_consistent(reduces));
  }
}

TEST_CASE("the pattern of a route counts what each process sends to each", "[pattern]") {
  for (const index_t procs : {1U, 3U, 4U, 7U})
    for (const index_t elements : {7U, 30U, 64U}) {
      const bmmc::layout::blocks layout(elements, procs);
      const bmmc::stride_permutation stride(elements, elements == 30 ? 7 : 5, 2);
      std::vector<message_pattern> all;
      for (index_t k = 0; k < procs; ++k) {
        const bmmc::stride_route route(stride, layout, k);
        all.push_back(pattern_of(route, k, procs));
        REQUIRE(all.back().rounds.size() == procs);
        index_t first = 0;
        for (auto const& round : all.back().rounds) {
          index_t count = 0;
          for (index_t x = layout.first(k); x < layout.first(k) + layout.count(k); ++x)
            count += layout.place(stride(x)).proc == round.sent.proc ? 1 : 0;
          CHECK(round.sent.elements == count);
          CHECK(round.sent.first == first);
          first += count;
        }
        CHECK(first == layout.count(k));
      }
      CHECK(is_consistent(all));
    }
}
