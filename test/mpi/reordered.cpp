// SPDX-License-Identifier: BSL-1.0

// Communicators with mapped process numbers: who is who, the same data through them, errors.

#include <bmmc/study.hpp>
#include <bmmc/study/reordered.hpp>
#include <numeric>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

using agreed::agreed_text;
using agreed::holds;
using agreed::procs;
using bmmc::index_t;
using bmmc::reordered;

bool is_power_of_two() { return (procs() & (procs() - 1)) == 0; }

std::vector<index_t> random_places(unsigned seed) {
  oracle::generator random(seed);
  std::vector<index_t> places(static_cast<std::size_t>(procs()));
  std::iota(places.begin(), places.end(), index_t{0});
  for (index_t k = places.size(); k > 1; --k) std::swap(places[k - 1], places[random() % k]);
  return places;
}

/// The number of every process in `c`, by its number in the world.
std::vector<int> numbers_in(MPI_Comm c) {
  int mine = -1;
  MPI_Comm_rank(c, &mine);
  std::vector<int> all(static_cast<std::size_t>(procs()));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

/// What process k of an array of 2^n indices holds, before or after a permutation, in blocks.
std::vector<index_t> block(index_t k, index_t chunk, std::vector<index_t> const& content) {
  const auto first = content.begin() + static_cast<std::ptrdiff_t>(k * chunk);
  return {first, first + static_cast<std::ptrdiff_t>(chunk)};
}

void still_works() {
  const boost::mpi::communicator c = reordered(MPI_COMM_WORLD, random_places(99));
  CHECK(c.size() == procs());
}

}  // namespace

TEST_CASE("process k of the new communicator is process node_of[k] of the old one", "[mpi]") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto places = random_places(seed);
    const boost::mpi::communicator world;
    const boost::mpi::communicator c =
        seed % 2 == 0 ? reordered(MPI_COMM_WORLD, places) : reordered(world, places);
    REQUIRE(c.size() == procs());
    const auto numbers = numbers_in(c);
    for (std::size_t k = 0; k < places.size(); ++k)
      REQUIRE(numbers[places[k]] == static_cast<int>(k));
    // once more from the new one: mappings compose
    const auto more = random_places(seed + 50);
    const auto numbers_again = numbers_in(reordered(c, more));
    for (std::size_t k = 0; k < places.size(); ++k)
      REQUIRE(numbers_again[places[more[k]]] == static_cast<int>(k));
  }
}

TEST_CASE("a permuter on a reordered communicator delivers the same data", "[mpi]") {
  if (!is_power_of_two()) return;
  const unsigned p = cases::proc_bits(), n = p + 5;
  oracle::generator random(17);
  for (int turn = 0; turn < 6; ++turn) {
    const auto map = bmmc::random_permutation(n, random);
    std::vector<index_t> before(oracle::power(n)), after(before);
    std::iota(before.begin(), before.end(), index_t{0});
    const auto targets = cases::all_targets(map);
    for (index_t x = 0; x < before.size(); ++x) after[targets[x]] = x;

    const auto plan =
        bmmc::make_plan(map, bmmc::layout::processor_major{}, static_cast<index_t>(procs()));
    const auto c =
        turn % 2 == 0
            ? reordered(MPI_COMM_WORLD, bmmc::cube::find_mapping(bmmc::cube::step(plan, 0)).q)
            : reordered(MPI_COMM_WORLD, random_places(static_cast<unsigned>(turn)));
    const auto me = static_cast<index_t>(c.rank());
    auto permute = bmmc::make_permuter<index_t>(c, map);
    auto chunk = block(me, plan.chunk_elements(), before);
    permute(chunk);
    CHECK(chunk == block(me, plan.chunk_elements(), after));
    std::vector<index_t> other(chunk.size());
    permute(block(me, plan.chunk_elements(), before), other);
    CHECK(other == chunk);
  }
}

TEST_CASE("any bijection on any number of processes, reordered", "[mpi]") {
  const auto c = reordered(MPI_COMM_WORLD, random_places(3));
  const index_t chunk_size = 11, size = chunk_size * static_cast<index_t>(procs());
  const index_t q = size - 1;
  const bmmc::stride_permutation stride(size, q, 5);
  std::vector<index_t> before(size), after(size);
  std::iota(before.begin(), before.end(), index_t{0});
  for (index_t x = 0; x < size; ++x) after[(x * q + 5) % size] = x;
  auto chunk = block(static_cast<index_t>(c.rank()), chunk_size, before);
  bmmc::permute<index_t>(c, chunk, stride);
  CHECK(chunk == block(static_cast<index_t>(c.rank()), chunk_size, after));
}

TEST_CASE("the caller's error handler goes along", "[mpi]") {
  boost::mpi::communicator own(MPI_COMM_WORLD, boost::mpi::comm_duplicate);
  for (const MPI_Errhandler expected : {MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL}) {
    MPI_Comm_set_errhandler(own, expected);
    const auto c = reordered(own, random_places(1));
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(c, &found);
    CHECK(found == expected);
    MPI_Errhandler_free(&found);
  }
}

TEST_CASE("mappings that are none, or not the same everywhere", "[mpi]") {
  auto places = random_places(5);
  const std::string count = std::to_string(procs());
  const bool am_last = cases::proc() == procs() - 1;
  SECTION("too many on one process") {
    if (am_last) places.push_back(0);
    CHECK(
        holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, places); }),
              "a mapping of " + std::to_string(procs() + 1) + " processes does not fit " + count));
  }
  SECTION("none at all") {
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, std::vector<index_t>{}); }),
                "process 0: a mapping of 0 processes"));
  }
  SECTION("a number taken twice") {
    if (procs() == 1) return;
    places[0] = places[1];
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, places); }), "taken twice"));
  }
  SECTION("a number beyond the processes") {
    places[0] = static_cast<index_t>(procs());
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, places); }),
                "node " + count + " of " + count));
  }
  SECTION("another mapping on one process") {
    if (procs() == 1) return;
    if (am_last) std::swap(places[0], places[1]);
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, places); }),
                "disagree on the places of the processes: process " + std::to_string(procs() - 1)));
  }
  SECTION("a permutation of another number of bits") {
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, bmmc::shuffle(60)); }),
                "a mapping of 2^60 processes"));
  }
  SECTION("a permutation of another number of bits on one process") {
    if (!is_power_of_two() || procs() == 1) return;
    const auto q = bmmc::identity_permutation(cases::proc_bits() + (am_last ? 50 : 0));
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_WORLD, q); }),
                "process " + std::to_string(procs() - 1) + ": a mapping of 2^"));
  }
  SECTION("no communicator") {
    CHECK(holds(agreed_text([&] { (void)reordered(MPI_COMM_NULL, places); }), "MPI_COMM_NULL"));
  }
  still_works();
}
