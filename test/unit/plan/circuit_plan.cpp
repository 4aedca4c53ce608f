// SPDX-License-Identifier: BSL-1.0

// Plans of circuits with controlled gates, carried out here on the addresses of all processes,
// against the gates one after the other.

#include <random>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/circuit.hpp>
#include <bmmc/plan/circuit_plan.hpp>

#include "support/catch.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

/// Where an address is after a step; steps of several cosets go by what each process does.
index_t moved(circuit_step const& step, unsigned n, unsigned p, index_t x) {
  if (step.all) return (*step.all)(x);
  if (step.on_cosets.size() == 1) return step.on_cosets.front()(x);
  const unsigned m = n - p;
  for (auto const& each : step.on_cosets)
    if (const auto here = on_process(each, p, x >> m)) x = (x >> m << m) | (*here)(x & low_bits(m));
  return x;
}

struct test_circuit {
  controlled_circuit made;
  std::vector<every_coset::sample> gates{};

  test_circuit(unsigned n, index_t count, oracle::generator& random) : made(n) {
    for (; count > 0; --count) {
      auto s = every_coset::random(n, random);
      if (random() % 2 == 0) {
        s.conditions.clear();
        made.then(permutation<>(to_library(s.map.a), oracle::to_number(s.map.c)));
      } else {
        made.then(s.on_coset());
      }
      gates.push_back(s);
    }
  }
};

/// Ten Toffoli gates among 200 CNOTs.
controlled_circuit ten_among_cnots(unsigned n, std::mt19937_64& random) {
  controlled_circuit c(n);
  const auto other = [&](unsigned i) {
    return static_cast<unsigned>((i + 1 + random() % (n - 1)) % n);
  };
  for (int k = 0; k < 10; ++k) {
    for (int g = 0; g < 20; ++g) {
      const auto i = static_cast<unsigned>(random() % n);
      c.cnot(i, other(i));
    }
    const auto i = static_cast<unsigned>(random() % n), j = other(i);
    unsigned target = other(j);
    while (target == i) target = other(j);
    c.toffoli(i, j, target);
  }
  return c;
}

}  // namespace

TEST_CASE("circuit_plan: random circuits do what their gates do", "[circuit]") {
  oracle::generator random(29);
  int shared = 0, between = 0;
  for (int k = 0; k < 600; ++k) {
    const unsigned n = 3 + static_cast<unsigned>(random() % 6);
    const auto p = static_cast<unsigned>(random() % std::min(n, 4U));
    const test_circuit c(n, random() % 9, random);
    const index_t element_bytes = bit(static_cast<unsigned>(random() % 6));
    const auto plan = make_plan(c.made, layout::processor_major{}, bit(p), element_bytes);
    for (index_t x = 0; x < bit(n); ++x) {
      index_t wanted = x, found = x;
      for (auto const& s : c.gates) wanted = s.target(wanted);
      for (auto const& step : plan.steps()) found = moved(step, n, p, found);
      if (found != wanted) FAIL(explain(plan));
    }
    for (std::size_t i = 0; i < plan.steps().size(); ++i) {
      auto const& step = plan.steps()[i];
      if (step.on_cosets.size() > 1) ++shared;
      if (step.all && i + 1 < plan.steps().size()) ++between;
    }
  }
  CHECK(shared > 50);  // the random circuits have met all kinds of steps
  CHECK(between > 20);
}

TEST_CASE("circuit_plan: layouts before and after", "[circuit]") {
  const auto c = circuit<>(6).cnot(0, 5).toffoli(5, 2, 1).swap(0, 4);
  const auto l = layout::between{layout::processor_minor{}, layout::processor_major{}};
  const auto plan = make_plan(c, l, 4);
  const auto before = layout::source_map(l, 6, 2), after = layout::target_map(l, 6, 2);
  for (index_t x = 0; x < 64; ++x) {
    index_t at = before(x);
    for (auto const& step : plan.steps()) at = moved(step, 6, 2, at);
    CHECK(at == after(c(x)));
  }
}

TEST_CASE("circuit_plan: Toffoli gates among CNOTs move data three times at most", "[circuit]") {
  std::mt19937_64 random(30);
  for (int k = 0; k < 5; ++k) {
    const auto c = ten_among_cnots(24, random);
    REQUIRE(c.moves() == 11);
    for (const index_t procs : {1U, 2U, 4U, 16U}) {
      const auto plan = make_plan(c, layout::processor_major{}, procs);
      CHECK(plan.steps().size() <= 3);
      CHECK(plan.cost() <= 2.6 + 10);  // ten far Toffoli gates and the CNOTs
      CHECK(explain(plan).find("10 permutations on cosets") != std::string::npos);
    }
  }
}

TEST_CASE("circuit_plan: gates on disjoint cosets share a pass where they share lines",
          "[circuit]") {
  controlled_circuit apart(20);  // conditions on the bits of a line of 64 bytes
  apart.then(on_coset(flip(20, 9), {{bit(0), true}, {bit(1), true}}));
  apart.then(on_coset(flip(20, 7), {{bit(0), true}, {bit(1), false}, {bit(5), true}}));
  CHECK(apart.moves() == 2);
  CHECK(make_plan(apart, layout::processor_major{}, 4).steps().size() == 1);
  controlled_circuit rare(20);  // each touches a quarter of the lines: a pass would touch all
  rare.toffoli(17, 16, 3).toffoli(15, 14, 5);
  CHECK(make_plan(rare, layout::processor_major{}, 4).steps().size() == 2);
  CHECK(make_plan(controlled_circuit(20), layout::processor_major{}, 4).steps().empty());
}

TEST_CASE("circuit_plan: what cannot be planned", "[circuit]") {
  const controlled_circuit none(4);
  CHECK_COMPLAINS(bad_value, make_plan(none, layout::processor_major{}, 3), "3");
  CHECK_COMPLAINS(bad_value, make_plan(none, layout::processor_major{}, 32), "2^5");
}

TEST_CASE("on_process: conditions that a process cannot meet", "[circuit]") {
  // bits 4 and 5 name the process; both conditions have bit 0
  const auto c = on_coset(flip(6, 2), {{bit(0) | bit(4), true}, {bit(0) | bit(5), true}});
  CHECK(on_process(c, 2, 0));
  CHECK(on_process(c, 2, 3));
  CHECK_FALSE(on_process(c, 2, 1));
  CHECK_FALSE(on_process(controlled(flip(6, 2), bit(5)), 2, 1));
  CHECK(*on_process(controlled(flip(6, 2), bit(5) | bit(1)), 2, 2) ==
        controlled(flip(4, 2), bit(1)));
}
