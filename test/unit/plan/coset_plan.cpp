// SPDX-License-Identifier: BSL-1.0

// Plans of permutations on cosets, carried out here on the chunks of all processes at once, against
// a loop over all elements.

#include <set>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/coset_plan.hpp>

#include "support/catch.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

constexpr index_t never = ~index_t{0};

/// Of numbers, how many low bits name processes of one node of 2^bits processes.
unsigned node_bits(coset_plan const& made, unsigned bits) {
  const index_t active = made.plan().procs();
  unsigned low = 0;
  const auto is_within = [&] {
    for (index_t k = 0; k < active; ++k)
      if (made.proc_of(k) >> bits != made.proc_of(k >> (low + 1) << (low + 1)) >> bits)
        return false;
    return true;
  };
  while (bit(low) < active && is_within()) ++low;
  return low;
}

/// What is wrong with the plan; nothing where all is well. Elements are their source addresses.
std::string fault(every_coset::sample const& s, unsigned p) {
  const coset_plan made(s.on_coset(), p);
  const unsigned m = s.n - p;
  const index_t procs = bit(p), part = made.part_elements();
  std::vector<std::vector<index_t>> chunk(procs), packed(procs), arrived(procs);
  std::set<index_t> moving;  // processes with elements that move
  std::vector<std::set<index_t>> partners(procs);
  std::vector<index_t> leave(procs);
  for (index_t x = 0; x < bit(s.n); ++x) {
    chunk[x >> m].push_back(x);
    const index_t to = s.target(x);
    if (to != x) moving.insert(x >> m);
    if (to >> m != x >> m) partners[x >> m].insert(to >> m), ++leave[x >> m];
  }
  if (made.is_identity() != moving.empty()) return "is_identity";
  if (made.is_identity()) return "";
  bool is_local = true;
  for (index_t k = 0; k < procs; ++k) is_local = is_local && leave[k] == 0;
  if (made.is_local() != is_local) return "is_local";
  for (index_t k = 0; k < procs; ++k) {
    if (moving.count(k) != 0 && !made.is_active(k)) return "a process with elements is left out";
    if (made.sent(k) != traffic{partners[k].size(), leave[k]}) return "traffic";
    if (!made.is_active(k)) continue;
    if (made.proc_of(made.number(k)) != k) return "numbers";
    packed[k].assign(part, never);
    arrived[k].assign(part, never);
    const index_t number = made.number(k);
    for (index_t t = 0; t < part; ++t)
      packed[k][made.gather(number)(t)] = chunk[k][made.offsets(number)(t)];
  }
  const plan travels = made.of_packed();
  if (!is_local && !travels.is_exchange_only()) return "packed parts do not only travel";
  if (travels.messages() != made.plan().messages()) return "messages";
  const unsigned e = travels.bits() - travels.proc_bits();
  for (index_t number = 0; number < travels.procs(); ++number)
    for (index_t t = 0; t < part; ++t) {
      const index_t to = travels.physical()(number << e | t);
      arrived[made.proc_of(to >> e)][to & low_bits(e)] = packed[made.proc_of(number)][t];
    }
  std::vector<std::vector<index_t>> result = chunk;
  for (index_t number = 0; number < travels.procs(); ++number) {
    const index_t k = made.proc_of(number);
    for (index_t t = 0; t < part; ++t) result[k][made.scatter(number)(t)] = arrived[k][t];
    if (!is_local) continue;
    for (index_t t = 0; t < part; ++t)
      if (result[k][made.offsets(number)(made.local(number)(t))] !=
          chunk[k][made.offsets(number)(t)])
        return "in one pass";
  }
  for (index_t x = 0; x < bit(s.n); ++x)
    if (const index_t y = s.target(x); result[y >> m][y & low_bits(m)] != x) return "elements";
  for (unsigned node = 0; node <= p; ++node)
    if (made.node_bits(node) != node_bits(made, node)) return "nodes";
  return "";
}

}  // namespace

TEST_CASE("coset_plan: every coset of up to 3 bits, every permutation, every number of processes",
          "[coset]") {
  for (unsigned n = 0; n <= 3; ++n)
    every_coset::for_each(n, [&](every_coset::sample const& s) {
      for (unsigned p = 0; p <= n; ++p)
        if (const auto text = fault(s, p); !text.empty())
          FAIL(text << ": " << s.describe() << ", 2^" << p << " processes");
    });
}

TEST_CASE("coset_plan: random cosets of up to 10 bits", "[coset]") {
  oracle::generator random(21);
  for (int k = 0; k < 2000; ++k) {
    const unsigned n = 4 + static_cast<unsigned>(random() % 7);
    const auto s = every_coset::random(n, random);
    const auto p = static_cast<unsigned>(random() % std::min(n + 1, 6U));
    if (const auto text = fault(s, p); !text.empty())
      FAIL(text << ": " << s.describe() << ", 2^" << p << " processes");
  }
}

TEST_CASE("coset_plan: a Toffoli and a controlled SWAP of 24 qubits", "[coset]") {
  // 4 processes: bits 22 and 23 name them
  const auto far = make_plan(controlled(flip(24, 23), bit(20) | bit(21)), {}, 4);
  CHECK(far.part_elements() == bit(20));
  CHECK((far.sent(1) == traffic{1, bit(20)}));
  CHECK(far.is_on_all());
  const auto swap = make_plan(controlled(swap_bits(24, 21, 23), bit(20)), {}, 4);
  CHECK((swap.sent(3) == traffic{1, bit(20)}));
  CHECK(swap.part_elements() == bit(20));  // a quarter of the chunk is packed, not half of it
  const auto by_process = make_plan(controlled(flip(24, 20), bit(22) | bit(23)), {}, 4);
  CHECK(by_process.is_local());
  CHECK(by_process.is_active(3));
  CHECK_FALSE(by_process.is_active(1));
  CHECK(explain(by_process).find("1 of 4 processes") != std::string::npos);
  const auto crossed = make_plan(controlled(flip(24, 23), bit(22) | bit(21)), {}, 4);
  CHECK((crossed.sent(1) == traffic{1, bit(21)}));
  CHECK((crossed.sent(2) == traffic{0, 0}));
  CHECK(explain(crossed).find("of 16777216 elements 4194304 may move, on 2 of 4 processes") !=
        std::string::npos);
  STATIC_REQUIRE(
      make_plan(controlled(flip(24, 23), bit(22)), layout::processor_major{}, 4).sent(3).elements ==
      bit(22));
}

TEST_CASE("coset_plan: what cannot be planned", "[coset]") {
  const auto c = controlled(flip(6, 1), bit(5));
  CHECK_COMPLAINS(bad_value, make_plan(c, layout::processor_major{}, 3), "3");
  CHECK_COMPLAINS(bad_value, make_plan(c, layout::processor_major{}, 128), "2^7");
  CHECK_COMPLAINS(
      bad_value,
      make_plan(c, layout::between{layout::processor_major{}, layout::processor_minor{}}, 4),
      "one layout");
  CHECK(make_plan(c, layout::between{layout::processor_minor{}, layout::processor_minor{}}, 4)
            .is_local() == false);
}
