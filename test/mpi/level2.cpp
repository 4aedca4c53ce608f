// SPDX-License-Identifier: BSL-1.0

// At assertion level 2 a bad span in a repeated call is everybody's exception.

#define BMMC_ASSERTION_LEVEL 2
#include "mpi/cases.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

TEST_CASE("level 2: a bad span on one process throws on all", "[mpi]") {
  const unsigned n = cases::proc_bits() + 3;
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n));
  std::vector<int> chunk(8, 4);
  CHECK_COMPLAINS(bmmc::bad_value, permute(std::span(chunk).first(cases::proc() == 0 ? 7 : 8)),
                  "process 0: the chunk must hold 8 elements, not 7");
  CHECK(chunk == std::vector<int>(8, 4));
  permute(chunk);
  CHECK(chunk == std::vector<int>(8, 4));
}

TEST_CASE("level 2: a bad span of a kept map on one process throws on all", "[mpi]") {
  auto reduce =
      bmmc::make_reducer<int>(MPI_COMM_WORLD, bmmc::drop_bits(cases::proc_bits() + 3, 0, 2));
  const std::vector<int> source(8, 4);
  std::vector<int> target(cases::proc() == 0 ? 3 : 2, 1);
  CHECK_COMPLAINS(bmmc::bad_value, reduce(source, target),
                  "process 0: the source must hold 8 elements and the target 2, not 8 and 3");
  CHECK(target.front() == 1);
  target.resize(2);
  reduce(source, target);
  CHECK(target == std::vector<int>(2, 16));
}

TEST_CASE("level 2: directions that differ between processes throw on all", "[mpi]") {
  const unsigned p = cases::proc_bits(), n = p + 3;
  std::vector<int> chunk(8, 4);
  bmmc::deferred_array<int> made(MPI_COMM_WORLD, chunk, n);
  if (p > 0) {
    CHECK_COMPLAINS(bmmc::bad_value, made.make_local(bmmc::bit(cases::proc() == 0 ? 0 : n - 1)),
                    "disagree on the permutation of addresses");
    const bool is_first = cases::proc() == 0;
    CHECK_COMPLAINS(bmmc::bad_value, made.make_local(bmmc::bit(is_first ? n : n - 1)),
                    "process 0: direction");
    bmmc::upcoming_directions next(n);
    for (unsigned j = 0; j < (is_first ? n : 2); ++j) next.add(bmmc::bit(j), is_first ? 0 : p);
    CHECK_COMPLAINS(bmmc::bad_value, made.make_local(next), "process 0: directions of");
    CHECK_COMPLAINS(bmmc::bad_value, is_first ? made.settle() : made.make_local(1), "disagree");
    made.permute(bmmc::flip(n, cases::proc() == 0 ? 0 : n - 1));
    CHECK_COMPLAINS(bmmc::bad_value, made.settle(), "disagree");
    made.permute(bmmc::flip(n, cases::proc() == 0 ? 0 : n - 1));
  }
  CHECK(made.make_local(bmmc::bit(n - 1)) == (p > 0));
  CHECK(chunk == std::vector<int>(8, 4));
}

TEST_CASE("level 2: what is under way on one process alone throws on all", "[mpi]") {
  const unsigned n = cases::proc_bits() + 3;
  const auto procs = bmmc::bit(cases::proc_bits());
  std::vector<int> chunk(8, 4);
  const auto check = [&](auto& move, char const* words) {
    move.start(chunk);
    if (cases::proc() != 0) move.wait();
    CHECK_COMPLAINS(bmmc::bad_value, move.start(chunk), words);
    move.wait();
    move.start(chunk);
    move.wait();
  };
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n));
  check(permute, "process 0: a permutation is under way");
  auto move = bmmc::make_redistributor<int>(
      MPI_COMM_WORLD, bmmc::grid_layout{bmmc::grid_axis::blocks(8 * procs, procs)},
      bmmc::grid_layout{bmmc::grid_axis::cyclic(8 * procs, procs)});
  check(move, "process 0: an exchange is under way");
}
