// SPDX-License-Identifier: BSL-1.0

// The same permutation again and again: a permuter is planned once and called often, from a source
// that stays as it is to a target, in memory that the caller lends. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  constexpr auto p = bmmc::gray_encode<12>();
  constexpr auto kind = bmmc::call_kind::between_spans;
  using permuter = bmmc::permuter<float, bmmc::comm::alltoallv>;

  // How much to lend, said by the plan before anything is built.
  const auto plan = bmmc::make_plan(p, bmmc::layout::processor_major{}, 4);
  std::vector<float> source(1024), target(1024), lent(permuter::workspace_elements(plan, kind));
  permuter permute(world, p, {}, {}, {.kind = kind, .lent = lent});

  int wrong = 0;
  for (int step = 0; step < 10; ++step) {
    const auto first = static_cast<bmmc::index_t>(world.rank()) * 1024;
    for (bmmc::index_t i = 0; i < 1024; ++i)
      source[i] = static_cast<float>((first + i) * 10) + static_cast<float>(step);
    permute(source, target);
    constexpr auto source_of = inverse(p);
    for (bmmc::index_t i = 0; i < 1024; ++i)
      if (target[i] != static_cast<float>(source_of(first + i) * 10) + static_cast<float>(step))
        ++wrong;
  }

  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  if (world.rank() == 0)
    std::cout << "lent " << lent.size() << " elements; 10 calls, " << all_wrong
              << " elements wrong\n";
}

// Prints:
// lent 1024 elements; 10 calls, 0 elements wrong
