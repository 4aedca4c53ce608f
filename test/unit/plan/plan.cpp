// SPDX-License-Identifier: BSL-1.0

#include <set>
#include <sstream>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/explain.hpp>
#include <bmmc/plan/plan.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/simulate.hpp"
#include "support/throws.hpp"
#include "support/told_layouts.hpp"

using namespace bmmc;

namespace {

#ifdef BMMC_TEST_FEWER
constexpr unsigned random_cases = 200;
#else
constexpr unsigned random_cases = 2000;
#endif

/// Every figure of the plan against a count of all elements.
void check_figures(plan const& p, oracle::traffic const& counted) {
  const index_t procs = counted.sent.size();
  REQUIRE(p.procs() == procs);
  REQUIRE(p.chunk_elements() * procs == bit(p.bits()));
  REQUIRE(p.messages() == bit(p.rank()));
  REQUIRE(p.messages() * p.message_elements() == p.chunk_elements());
  for (index_t proc = 0; proc < procs; ++proc) {
    REQUIRE(p.messages() == counted.targets(proc));
    REQUIRE(p.stays(proc) == counted.sent[proc][proc]);
    for (const index_t elements : counted.sent[proc])
      REQUIRE((elements == 0 || elements == p.message_elements()));
    std::set<index_t> met;
    for (index_t step = 0; step < p.messages(); ++step) {
      const index_t target = p.target(proc, step), source = p.source(proc, step);
      REQUIRE(counted.sent[proc][target] == p.message_elements());
      REQUIRE(counted.sent[source][proc] == p.message_elements());
      REQUIRE(p.targets(proc)(step) == target);
      REQUIRE(p.sources(proc)(step) == source);
      met.insert(target);
    }
    REQUIRE(met.size() == p.messages());
  }
  REQUIRE(p.stays() == counted.stays());
  REQUIRE(p.is_local() == (counted.stays() == bit(p.bits())));
}

/// The plan of y = map(x) between two layouts: its figures, and index payloads carried by it.
void check_plan(oracle::affine const& map, unsigned p, told_layout const& source,
                told_layout const& target) {
  const auto n = static_cast<unsigned>(map.c.size());
  INFO("n = " << n << ", p = " << p << ", " << source.name << " to " << target.name << "\n"
              << to_string(to_library(map).matrix()));
  const plan made = make_plan(to_library(map), layout::between{source, target}, bit(p));
  REQUIRE(made.bits() == n);
  REQUIRE(made.proc_bits() == p);
  std::vector<index_t> image(bit(n));
  for (index_t x = 0; x < bit(n); ++x) image[x] = map(x);
  check_figures(made,
                oracle::count_traffic(
                    n, p, [&](index_t x) { return image[x]; }, source.expected, target.expected));

  chunks data(bit(p), std::vector<index_t>(bit(n - p)));
  for (index_t x = 0; x < bit(n); ++x) {
    const auto at = source.expected(n, p, x);
    data[at.proc][at.offset] = x;
  }
  const chunks moved = simulate(made, data);
  for (index_t x = 0; x < bit(n); ++x) {
    const auto at = target.expected(n, p, image[x]);
    REQUIRE(moved[at.proc][at.offset] == x);
  }
}
void check_plan(oracle::affine const& map, unsigned p) { check_plan(map, p, major, major); }

/// Some rank that a lower left block of p x (n-p) can have, low ones as often as high ones.
unsigned some_rank(unsigned n, unsigned p, oracle::generator& random) {
  return static_cast<unsigned>(random() % (std::min(p, n - p) + 1));
}

}  // namespace

TEST_CASE("all of GL(3,2) with every complement, p = 0 .. 3", "[plan]") {
  unsigned matrices = 0;
  for (index_t words = 0; words < 512; ++words) {
    oracle::matrix a(3, 3);
    for (unsigned k = 0; k < 9; ++k) a.row[k / 3][k % 3] = static_cast<char>((words >> k) & 1);
    if (oracle::rank(a) != 3) continue;
    ++matrices;
    for (index_t c = 0; c < 8; ++c)
      for (unsigned p = 0; p <= 3; ++p) check_plan({a, oracle::to_bits(c, 3)}, p);
  }
  CHECK(matrices == 168);
}

TEST_CASE("random permutations on random layouts", "[plan]") {
  oracle::generator random(1);
  for (unsigned i = 0; i < random_cases; ++i) {
    const unsigned n = i % 50 == 0 ? 13 + i / 50 % 4 : i % 13;
    const unsigned p = std::min(n, static_cast<unsigned>(random() % 5));
    oracle::affine map = random_affine(n, random);
    if (i % 2 == 0) map.a = oracle::random_of_rank(n, p, some_rank(n, p, random), random);
    const auto layouts = all_layouts(n, p, random);
    const auto& source = layouts[random() % layouts.size()];
    if (i % 3 == 0)
      check_plan(map, p);
    else
      check_plan(map, p, source, i % 3 == 1 ? source : layouts[random() % layouts.size()]);
  }
}

TEST_CASE("one element per process, and one process", "[plan]") {
  oracle::generator random(2);
  for (unsigned n = 0; n <= 6; ++n)
    for (int trial = 0; trial < 5; ++trial) {
      check_plan(random_affine(n, random), 0);
      check_plan(random_affine(n, random), n);
    }
}

TEST_CASE("every pair of layouts", "[plan]") {
  oracle::generator random(3);
  for (auto const& [n, p] : {std::pair(6U, 2U), {5U, 3U}, {4U, 4U}, {4U, 0U}}) {
    const auto layouts = all_layouts(n, p, random);
    const oracle::affine still{oracle::unit(n), oracle::to_bits(0, n)};
    for (auto const& source : layouts)
      for (auto const& target : layouts) {
        check_plan(random_affine(n, random), p, source, target);
        check_plan(still, p, source, target);
      }
  }
}

TEST_CASE("the rank of the plan is that of the lower left block", "[plan]") {
  oracle::generator random(4);
  for (unsigned n = 0; n <= 12; ++n)
    for (unsigned p = 0; p <= n; ++p)
      for (unsigned rank = 0; rank <= std::min(p, n - p); ++rank) {
        const auto a = oracle::random_of_rank(n, p, rank, random);
        REQUIRE(oracle::rank(oracle::part(a, n - p, p, 0, n - p)) == rank);
        const plan made(permutation<>(to_library(a)), p);
        REQUIRE(made.rank() == rank);
        REQUIRE(made.messages() == bit(rank));
        REQUIRE(made.message_elements() == bit(n - p - rank));
      }
}

TEST_CASE("plans that move whole chunks, or nothing between processes", "[plan]") {
  const unsigned n = 6, p = 3;
  const layout::processor_major by_blocks{};
  const auto renamed = make_plan(swap_bits(n, 3, 5), by_blocks, 8);
  CHECK(renamed.messages() == 1);
  CHECK(renamed.message_elements() == 8);
  CHECK(renamed.stays() == 4 * 8);
  CHECK_FALSE(renamed.is_local());

  const auto some_move = make_plan(cnot(n, 5, 3), by_blocks, 8);  // processes 4 .. 7 move
  CHECK(some_move.messages() == 1);
  CHECK_FALSE(some_move.is_local());
  for (index_t proc = 0; proc < 8; ++proc) {
    CHECK(some_move.target(proc, 0) == (proc < 4 ? proc : proc ^ 1));
    CHECK(some_move.stays(proc) == (proc < 4 ? 8 : 0));
  }

  const auto all_move = make_plan(flip(n, 4), by_blocks, 8);
  CHECK(all_move.stays() == 0);
  CHECK_FALSE(all_move.is_local());
  CHECK(make_plan(cnot(n, 5, 0), by_blocks, 8).is_local());  // offsets change by process
  CHECK(make_plan(flip(n, 2), by_blocks, 8).is_local());
  CHECK(make_plan(bit_reversal(n), by_blocks, 1).is_local());
  CHECK(make_plan(identity_permutation(n), layout::processor_minor{}, 8).is_local());
  for (auto const& each : {swap_bits(n, 3, 5), cnot(n, 5, 3), flip(n, 4), cnot(n, 5, 0)})
    check_plan(oracle::read_affine(each), p);
}

TEST_CASE("redistribution is the identity between two layouts", "[plan]") {
  const auto dealt =
      make_plan(identity_permutation(7),
                layout::between{layout::processor_major{}, layout::processor_minor{}}, index_t{4});
  CHECK(dealt.physical() == block_to_cyclic(7, 4));
  CHECK(dealt == make_plan(block_to_cyclic<7>(4), layout::processor_major{}, 4));
  CHECK_FALSE(dealt == make_plan(cyclic_to_block<7>(4), layout::processor_major{}, 4));
}

TEST_CASE("a million processes and more, element by element", "[plan][big]") {
  oracle::generator random(5);
  for (auto const& [n, p] : {std::pair(50U, 20U), {63U, 31U}, {63U, 63U}, {63U, 0U}, {40U, 1U}})
    for (int trial = 0; trial < 6; ++trial) {
      const unsigned rank = some_rank(n, p, random), m = n - p;
      const oracle::affine map{oracle::random_of_rank(n, p, rank, random),
                               oracle::to_bits(random() % bit(n), n)};
      const plan made = make_plan(to_library(map), layout::processor_major{}, bit(p));
      REQUIRE(made.rank() == rank);
      for (int sample = 0; sample < 50; ++sample) {
        const index_t x = random() % bit(n), proc = x / bit(m);
        const index_t gathered = made.gather(proc)(x % bit(m));
        const index_t step = gathered / made.message_elements();
        const index_t target = made.target(proc, step);
        REQUIRE(made.source(target, step) == proc);
        REQUIRE(target * bit(m) + made.scatter(target)(gathered) == map(x));
      }
      // x stays where the p high bits of A x + x + c vanish
      oracle::matrix high = oracle::part(map.a, m, p, 0, n);
      for (unsigned k = 0; k < p; ++k) high.row[k][m + k] ^= 1;
      oracle::matrix widened(p, n + 1);
      for (unsigned k = 0; k < p; ++k) {
        std::copy(high.row[k].begin(), high.row[k].end(), widened.row[k].begin());
        widened.row[k][n] = map.c[m + k];
      }
      const bool some = oracle::rank(widened) == oracle::rank(high);
      REQUIRE(made.stays() == (some ? bit(n - oracle::rank(high)) : 0));
    }
}

TEST_CASE("plan errors name the figures", "[plan][errors]") {
  const layout::processor_major by_blocks{};
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(4), by_blocks, 3), "power of two", "3");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(4), by_blocks, 0), "power of two", "0");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle<4>(), by_blocks, 32), "2^4", "2^5");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(5), layout::affine(shuffle(4)), 2), "4 bits", "2^5");
  CHECK_COMPLAINS(bad_value, make_plan(shuffle(5), layout::process_bits{1}, 4), "2^2", "not 1");
  CHECK_COMPLAINS(
      bad_value, make_plan(shuffle(5), layout::between{by_blocks, layout::banded(5)}, 2), "5 bits");
  CHECK_COMPLAINS(bad_value, plan(shuffle(4), 5), "2^4", "2^5");
}

TEST_CASE("explain tells people what a plan does", "[plan][explain]") {
  const layout::processor_major by_blocks{};
  CHECK(explain(make_plan(bit_reversal(3), by_blocks, 2)) ==
        "8 elements (2^3) on 2 processes, 4 each\n"
        "source address to target address, bit 0 first, complement behind the bar:\n"
        ". . 1 | .\n"
        ". 1 . | .\n"
        "1 . . | .\n"
        "matrix rank 1: each process's elements go to 2 processes, 2 elements to each\n"
        "elements that stay on their process: 4, that move: 4\n"
        "  step: process -> target\n"
        "  0: 0->0 1->1\n"
        "  1: 0->1 1->0\n");
  CHECK_THAT(explain(make_plan(gray_encode(4), by_blocks, 8)),
             Catch::Contains("0: 0->0 1->1 2->3 3->2 4->6 5->7 6->5 7->4\n"));
  const std::string local = explain(make_plan(flip(3, 0), by_blocks, 2));
  CHECK_THAT(local, Catch::Contains("1 . . | 1\n"));
  CHECK_THAT(local, Catch::EndsWith("local: no element leaves its process\n"));
  CHECK_THAT(
      explain(make_plan(flip(3, 2), by_blocks, 2)),
      Catch::Contains("whole chunks change their process") && Catch::Contains("0: 0->1 1->0"));
  const std::string large = explain(make_plan(bit_reversal(50), by_blocks, bit(20)));
  CHECK_THAT(large, Catch::Contains("1125899906842624 elements (2^50) on 1048576 processes") &&
                        Catch::Contains("rank 20") && Catch::Contains("1024 elements to each") &&
                        !Catch::Contains("|") && !Catch::Contains("->"));
  std::ostringstream out;
  out << make_plan(flip(3, 2), by_blocks, 2);
  CHECK(out.str() == explain(make_plan(flip(3, 2), by_blocks, 2)));
}
