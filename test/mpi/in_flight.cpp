// SPDX-License-Identifier: BSL-1.0

// Permutations that are started and waited for, and sets of arrays in one exchange.

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::index_t;
using bmmc::permutation;

using cases::after;
using cases::before;
using cases::sample;

}  // namespace

TEST_CASE("a permutation in flight, while the caller computes", "[mpi]") {
  const unsigned n = cases::proc_bits() + 8;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const auto p = seed == 0   ? bmmc::identity_permutation(n)
                   : seed == 1 ? bmmc::swap_bits(n, 0, 5)
                   : seed == 2 ? bmmc::vector_reversal(n)
                               : sample(n, seed);
    auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
    auto chunk = before<index_t>(n);
    std::vector<index_t> target(chunk.size());
    CHECK(permute.test());  // nothing was started
    permute.wait();
    permute.start(chunk, target);
    std::fill(chunk.begin(), chunk.end(), 0);  // the source is free at once
    permute.wait();
    CHECK(target == after<index_t>(p));
    chunk = before<index_t>(n);
    permute.start(chunk);
    while (!permute.test()) continue;
    CHECK(chunk == after<index_t>(p));
    chunk = before<index_t>(n);
    counted = {};
    permute.start(chunk);
    permute.wait();
    const auto sums = counted;  // CHECK allocates
    CHECK(sums.reductions == 0);
    CHECK(sums.allocations == 0);
    CHECK(chunk == after<index_t>(p));
  }
}

TEST_CASE("two permutations in flight at a time, and one between", "[mpi]") {
  const unsigned n = cases::proc_bits() + 6;
  const auto p = sample(n, 1), q = sample(n, 2);
  auto first = bmmc::make_permuter<int>(MPI_COMM_WORLD, p);
  auto second = bmmc::make_permuter<int>(MPI_COMM_WORLD, q);
  auto a = before<int>(n), b = a, c = a;
  first.start(a);
  second.start(b);
  bmmc::permute<int>(MPI_COMM_WORLD, c, q);
  second.wait();
  first.wait();
  CHECK(a == after<int>(p));
  CHECK(b == after<int>(q));
  CHECK(c == after<int>(q));
}

TEST_CASE("a permuter that ends in flight waits for its messages", "[mpi]") {
  const unsigned n = cases::proc_bits() + 6;
  auto chunk = before<int>(n);
  {
    auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, sample(n));
    permute.start(chunk);
  }
  CHECK(chunk == before<int>(n));
  bmmc::permute<int>(MPI_COMM_WORLD, chunk, sample(n));
  CHECK(chunk == after<int>(sample(n)));
}

TEST_CASE("what is wrong with a start", "[mpi]") {
  const unsigned n = cases::proc_bits() + 3;
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, sample(n));
  auto chunk = before<int>(n);
  CHECK_COMPLAINS(bmmc::bad_value, permute.start(std::span(chunk).first(7)), "8 elements, not 7");
  permute.start(chunk);
  CHECK_COMPLAINS(bmmc::bad_value, permute.start(chunk), "under way");
  permute.wait();
  CHECK(chunk == after<int>(sample(n)));
}

TEST_CASE("a start on one process, another call on the others", "[mpi]") {
  if (cases::proc_bits() == 0) return;
  const auto procs = index_t{1} << cases::proc_bits();
  const bmmc::grid_layout blocks{bmmc::grid_axis::blocks(8 * procs, procs)},
      cyclic{bmmc::grid_axis::cyclic(8 * procs, procs)};
  auto move = bmmc::make_redistributor<int>(MPI_COMM_WORLD, blocks, cyclic);
  std::vector<int> chunk(8), other(8, 3);
  const auto call = [&] {
    if (cases::proc() == 0)
      move.start(chunk);
    else
      bmmc::redistribute<int>(MPI_COMM_WORLD, other, blocks, cyclic);
  };
  CHECK_COMPLAINS(bmmc::bad_value, call(), "function called", "process 0 has start");
  CHECK(other == std::vector<int>(8, 3));
  move.start(chunk);
  move.wait();
}

TEST_CASE("arrays of several types travel in one exchange", "[mpi]") {
  const unsigned n = cases::proc_bits() + 7;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto p = sample(n, seed);
    counted = {};
    auto permute =
        bmmc::make_permuter_set<double, std::uint8_t, cases::record, double>(MPI_COMM_WORLD, p);
    const index_t stays = permute.plan().stays(static_cast<index_t>(cases::proc()));
    CHECK(counted.messages == permute.plan().messages() - (stays != 0 ? 1 : 0));
    auto x = before<double>(n), y = x;
    auto bytes = before<std::uint8_t>(n);
    auto records = before<cases::record>(n);
    std::reverse(y.begin(), y.end());  // another array of the same type
    const auto y_before = y;
    for (int call = 0; call < 2; ++call) {
      if (call == 1) {
        x = before<double>(n), y = y_before;
        bytes = before<std::uint8_t>(n);
        records = before<cases::record>(n);
      }
      permute({x, bytes, records, y});
      CHECK(x == after<double>(p));
      CHECK(bytes == after<std::uint8_t>(p));
      CHECK(records == after<cases::record>(p));
      auto y_alone = y_before;
      bmmc::permute<double>(MPI_COMM_WORLD, y_alone, p);
      CHECK(y == y_alone);
    }
  }
}

TEST_CASE("as many arrays as a program finds when it runs", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto p = sample(n);
  bmmc::permuter_set permute(MPI_COMM_WORLD, p,
                             std::vector<bmmc::field_kind>(5, bmmc::field_kind::of<int>()),
                             bmmc::layout::processor_major{});
  std::vector<std::vector<int>> arrays(5, before<int>(n));
  permute({arrays.begin(), arrays.end()});
  for (auto const& array : arrays) CHECK(array == after<int>(p));

  std::vector<int> one = before<int>(n);
  std::vector<double> other(one.size());
  CHECK_COMPLAINS(bmmc::bad_value, permute({one}), "5 arrays, not 1");
  CHECK_COMPLAINS(bmmc::bad_value, permute({one, one, other, one, one}), "array 2", "another type");
  CHECK_COMPLAINS(bmmc::bad_value, permute({one, one, one, one, std::span(one).first(3)}),
                  "array 4: the chunk must hold 32 elements, not 3");
  CHECK(one == before<int>(n));
}
