// SPDX-License-Identifier: BSL-1.0

// What comm/ has beside policies: agreement, the library's own communicator, nodes, windows.

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/renumbered.hpp>
#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/comm/window.hpp>

#include "mpi/agreed.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

namespace comm = bmmc::comm;
using agreed::agreed_text;
using agreed::holds;
using agreed::procs;

std::shared_ptr<comm::communicator const> world() { return comm::communicator::of(MPI_COMM_WORLD); }

}  // namespace

TEST_CASE("agree returns where all hold the same facts and nobody objects", "[comm]") {
  const std::vector<comm::common_fact> facts{{"figure", 7}, {"secret", ~std::uint64_t{0}, false}};
  CHECK(agreed_text([&] { comm::agree(*world(), {}, facts); }).empty());
  CHECK(agreed_text([&] { comm::agree(*world(), {}); }).empty());
}

TEST_CASE("all throw the objection of the first process that has one", "[comm]") {
  for (int first = 0; first < procs(); ++first) {
    const int me = world()->rank();
    const std::string objection = me >= first ? "no " + std::to_string(me) : "";
    const auto text = agreed_text([&] { comm::agree(*world(), objection); });
    CHECK(text == "process " + std::to_string(first) + ": no " + std::to_string(first));
  }
}

TEST_CASE("all name the first process that differs from process 0", "[comm]") {
  for (int odd = 1; odd < procs(); ++odd) {
    const bool differs = world()->rank() >= odd;
    const std::vector<comm::common_fact> facts{
        {"length", 5}, {"width", differs ? 1U : 2U}, {"map", 3, false}};
    const auto text = agreed_text([&] { comm::agree(*world(), {}, facts); });
    CHECK(holds(text, "width: process " + std::to_string(odd) + " has 1, process 0 has 2"));
    const std::vector<comm::common_fact> hidden{{"map", differs ? 3U : 4U, false}};
    CHECK(holds(agreed_text([&] { comm::agree(*world(), {}, hidden); }),
                "map: process " + std::to_string(odd) + " has another than process 0"));
  }
}

TEST_CASE("sums wrap, lengths are those of the longest", "[comm]") {
  const auto n = static_cast<std::uint64_t>(procs());
  const auto me = static_cast<std::uint64_t>(world()->rank());
  CHECK(comm::sum_of(*world(), me + 1) == n * (n + 1) / 2);
  CHECK(comm::sum_of(*world(), ~std::uint64_t{0}) == 0 - n);
  CHECK(comm::padded_length(*world(), 100 + me) == 99 + n);
  constexpr std::uint64_t long_block = (std::uint64_t{1} << 30) + 1;
  CHECK(comm::padded_length(*world(), me == 0 ? long_block : 3) == long_block + 4095);
}

TEST_CASE("the library's own communicator is made once and outlives the caller's", "[comm]") {
  CHECK(world() == world());
  CHECK(world()->handle() != MPI_COMM_WORLD);
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  const auto kept = comm::communicator::of(mine);
  CHECK(kept != world());
  MPI_Comm_free(&mine);
  CHECK(comm::sum_of(*kept, 1) == static_cast<std::uint64_t>(procs()));
  CHECK_COMPLAINS(bmmc::bad_value, comm::communicator::of(MPI_COMM_NULL), "MPI_COMM_NULL");
}

TEST_CASE("renumbered: ranks from the last to the first", "[comm]") {
  const int me = world()->rank();
  const auto turned = comm::renumbered(MPI_COMM_WORLD, procs() - 1 - me);
  int rank = -1, relation = MPI_IDENT;
  MPI_Comm_rank(turned, &rank);
  MPI_Comm_compare(turned, MPI_COMM_WORLD, &relation);
  CHECK(rank == procs() - 1 - me);
  CHECK(relation == (procs() == 1 ? MPI_CONGRUENT : MPI_SIMILAR));
}

TEST_CASE("nodes of a given size: numbers and places", "[comm]") {
  const int me = world()->rank();
  for (int size = 1; size <= procs() && procs() % size == 0; size *= 2) {
    const auto known = comm::node::agreed(*world(), size);
    comm::node const& n = *known;
    CHECK(n.processes() == size);
    CHECK((n.number() == me / size && n.place() == me % size));
    CHECK(n.is_like(n));
    CHECK(comm::node::agreed(*world(), size)->is_like(n));
    if (size > 1) CHECK_FALSE(comm::node::agreed(*world(), size / 2)->is_like(n));
  }
  CHECK_COMPLAINS(bmmc::bad_value, (void)comm::node::agreed(*world(), 3), "power of two", "not 3");
  CHECK_COMPLAINS(bmmc::bad_value, (void)comm::node::agreed(*world(), 32), "not 32");
}

TEST_CASE("a window is one array of all parts, seen by all", "[comm]") {
  const auto node = comm::node::agreed(*world());
  const std::size_t bytes = 1000 * sizeof(int);
  const auto w = comm::agreed_window(*world(), node, bytes);
  CHECK(w.part() == w.array() + static_cast<std::size_t>(node->place()) * bytes);
  CHECK(w.part_bytes() == bytes);
  std::vector<int> mine(1000, 10 + node->place());
  std::memcpy(w.part(), mine.data(), bytes);
  node->synchronize();
  for (int k = 0; k < node->processes(); ++k) {
    std::memcpy(mine.data(), w.array() + static_cast<std::size_t>(k) * bytes, bytes);
    CHECK(mine == std::vector<int>(1000, 10 + k));
  }
  node->synchronize();  // before it is freed
}

TEST_CASE("elements of a shared_vector start as zero bytes, also where its memory was used before",
          "[comm]") {
  for (int turn = 0; turn < 3; ++turn) {
    bmmc::shared_vector<int> v(MPI_COMM_WORLD, 1000);
    const bool zero = std::all_of(v.begin(), v.end(), [](int x) { return x == 0; });
    CHECK(zero);
    std::fill(v.begin(), v.end(), -1);
  }
}

TEST_CASE("a shared_vector that has been moved from is empty", "[comm]") {
  bmmc::shared_vector<int> v(MPI_COMM_WORLD, 10);
  v[3] = world()->rank();
  auto taken = std::move(v);
  CHECK(v.size() == 0);  // NOLINT: meant
  CHECK(v.begin() == v.end());
  CHECK(taken.size() == 10);
  v = std::move(taken);
  CHECK(v.size() == 10);
  CHECK(v[3] == world()->rank());
}

TEST_CASE("the surroundings are found out once, alike on all processes", "[comm]") {
  const auto found = comm::surroundings::of(*world());
  CHECK(found == comm::surroundings::of(*world()));
  for (const double cost : found->costs(*world()).figures()) {
    CHECK(cost >= 0);
    double least = cost;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    CHECK(least == cost);
  }
  CHECK(found->costs(*world()).copied_byte > 0);
}

TEST_CASE("another communicator of a kind is not measured again", "[comm]") {
  const auto costs_of_new = [](MPI_Comm c) {
    const auto mine = comm::communicator::of(c);
    return comm::surroundings::of(*mine)->costs(*mine);
  };
  const auto first = comm::surroundings::of(*world())->costs(*world());
  MPI_Comm next = MPI_COMM_NULL, part = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  CHECK(costs_of_new(next) == first);
  MPI_Comm_free(&next);
  // a kind of which one process alone has figures is measured by all, and known to all then
  const int on_a_node = comm::surroundings::of(*world())->node()->processes();
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  comm::cost_model dear{.message = 1};
  if (world()->rank() == 0) comm::known_costs::add(procs(), on_a_node, dear);
  if (world()->rank() != 0) dear.message = 1e9;  // nothing is known
  comm::known_costs::add(procs(), on_a_node, dear);
  const auto again = costs_of_new(next);
  CHECK(again.message < (procs() == 1 ? 2 : 1));
  CHECK(comm::known_costs::of(procs(), on_a_node)->message == again.message);
  MPI_Comm_free(&next);
  // and of other figures on two processes all take the larger
  comm::known_costs::add(procs(), on_a_node, {.message = 1.0 + world()->rank()});
  MPI_Comm_split(MPI_COMM_WORLD, 0, world()->rank(), &part);
  CHECK(costs_of_new(part).message == procs());
  MPI_Comm_free(&part);
  comm::known_costs::add(procs(), on_a_node, first);
}
