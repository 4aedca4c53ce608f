// SPDX-License-Identifier: BSL-1.0

// Circuits with controlled gates, against the gates applied to every index one after the other; and
// how many moves are left of them.

#include <functional>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/circuit.hpp>

#include "support/catch.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

using gate = std::function<index_t(index_t)>;

bool is_one(index_t x, unsigned j) { return (x >> j & 1) != 0; }
index_t swapped(index_t x, unsigned i, unsigned j) {
  return is_one(x, i) == is_one(x, j) ? x : x ^ bit(i) ^ bit(j);
}

/// A random circuit of n bits as the library has it, and as a list of gates.
struct circuit_pair {
  controlled_circuit made;
  std::vector<gate> gates{};

  explicit circuit_pair(unsigned n) : made(n) {}
  void add(oracle::generator& random) {
    const unsigned n = made.bits();
    const auto i = static_cast<unsigned>(random() % n);
    const auto j = static_cast<unsigned>((i + 1 + random() % (n - 1)) % n);
    unsigned k = 0;
    while (k == i || k == j) ++k;
    switch (random() % 6) {
      case 0:
        made.cnot(i, j);
        gates.emplace_back([=](index_t x) { return is_one(x, i) ? x ^ bit(j) : x; });
        break;
      case 1:
        made.swap(i, j);
        gates.emplace_back([=](index_t x) { return swapped(x, i, j); });
        break;
      case 2:
        made.flip(i);
        gates.emplace_back([=](index_t x) { return x ^ bit(i); });
        break;
      case 3:
        made.toffoli(i, j, k);
        gates.emplace_back(
            [=](index_t x) { return is_one(x, i) && is_one(x, j) ? x ^ bit(k) : x; });
        break;
      case 4:
        made.controlled_swap(i, j, k);
        gates.emplace_back([=](index_t x) { return is_one(x, i) ? swapped(x, j, k) : x; });
        break;
      default:
        const auto s = every_coset::random(n, random);
        made.then(s.on_coset());
        gates.emplace_back([s](index_t x) { return s.target(x); });
    }
  }
  [[nodiscard]] bool agree() const {
    const auto back = inverse(made);
    for (index_t x = 0; x < bit(made.bits()); ++x) {
      index_t y = x;
      for (auto const& each : gates) y = each(y);
      if (made(x) != y || back(y) != x) return false;
    }
    return true;
  }
};

}  // namespace

TEST_CASE("controlled_circuit: random circuits", "[circuit]") {
  oracle::generator random(25);
  for (int k = 0; k < 400; ++k) {
    circuit_pair pair(3 + static_cast<unsigned>(random() % 5));
    const auto gates = random() % 12;
    for (index_t g = 0; g < gates; ++g) pair.add(random);
    CHECK(pair.agree());
    CHECK(pair.made.moves() <= gates);
  }
}

TEST_CASE("controlled_circuit: affine gates move through controlled ones", "[circuit]") {
  const auto c = circuit<>(6).cnot(0, 1).toffoli(1, 2, 3).cnot(4, 0).swap(2, 5).flip(0).toffoli(
      1, 5, 3);  // the same Toffoli again, as it looks after the others: they cancel
  CHECK(c.first().empty());
  CHECK(c.moves() == 1);
  CHECK(c.last() == circuit<>(6).cnot(0, 1).cnot(4, 0).swap(2, 5).flip(0));
  // what the target has done meanwhile is left: bit 4 changes where 1 and 2 are set
  CHECK(circuit<>(6).toffoli(1, 2, 3).cnot(3, 4).toffoli(1, 2, 3).moves() == 2);
  CHECK(circuit<6>().toffoli(0, 1, 2).moves() == 1);
  CHECK(circuit<6>().flip(0).toffoli(0, 1, 2).moves() == 2);
  CHECK(circuit<6>().controlled(bit_reversal<6>(), 0).moves() == 1);
  CHECK(controlled_circuit(6).moves() == 0);
}

TEST_CASE("controlled_circuit: what joins", "[circuit]") {
  // the same controls, others between that commute with the second one
  CHECK(controlled_circuit(8).toffoli(0, 1, 2).toffoli(5, 6, 7).toffoli(0, 1, 3).moves() == 2);
  // 0 controls the one between, and is what the third one moves
  CHECK(controlled_circuit(8).toffoli(1, 2, 3).toffoli(0, 4, 5).toffoli(1, 2, 0).moves() == 3);
  // one bit 1 and the other 0, and the other way round: different vectors, one affine map
  controlled_circuit halves(5);
  halves.then(on_coset(flip(5, 0), {{bit(3), true}, {bit(4), false}}));
  halves.then(on_coset(flip(5, 1), {{bit(3), false}, {bit(4), true}}));
  REQUIRE(halves.moves() == 1);
  CHECK(halves.first()[0].where() == coset(5, {{bit(3) | bit(4), true}}));
  for (index_t x = 0; x < 32; ++x)
    CHECK(halves(x) == (x >> 3 == 1 ? x ^ 1 : x >> 3 == 2 ? x ^ 2 : x));
  // disjoint cosets whose union is none
  controlled_circuit apart(5);
  apart.then(on_coset(flip(5, 0), {{bit(3), true}, {bit(4), false}}));
  apart.then(on_coset(flip(5, 0), {{bit(3), false}, {bit(4), false}, {bit(2), true}}));
  CHECK(apart.moves() == 2);
  // a controlled SWAP is three controlled CNOTs
  controlled_circuit swap(5);
  swap.controlled(cnot(5, 1, 2), bit(0)).controlled(cnot(5, 2, 1), bit(0));
  swap.controlled(cnot(5, 1, 2), bit(0));
  REQUIRE(swap.moves() == 1);
  CHECK(swap.first()[0] == controlled(swap_bits(5, 1, 2), bit(0)));
  CHECK(swap.controlled_swap(0, 2, 1).moves() == 0);
}

TEST_CASE("controlled_circuit: what is no gate", "[circuit]") {
  controlled_circuit c(4);
  CHECK_COMPLAINS(bad_value, c.toffoli(0, 4, 1), "4");
  CHECK_COMPLAINS(bad_value, c.toffoli(0, 1, 4), "4");
  CHECK_COMPLAINS(bad_value, c.toffoli(0, 1, 1), "keep the coset");
  CHECK_COMPLAINS(bad_value, c.toffoli(1, 1, 2), "bit 1 is both controls");
  CHECK_COMPLAINS(bad_value, c.controlled_swap(2, 2, 1), "keep the coset");
  CHECK_COMPLAINS(bad_value, c.controlled_swap(7, 2, 1), "7");
  CHECK_COMPLAINS(bad_value, c.then(controlled(flip(5, 0), 2)), "5");
  CHECK(c.moves() == 0);
}
