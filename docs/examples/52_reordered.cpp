// SPDX-License-Identifier: BSL-1.0

// Processes renumbered, so that messages do not meet on a ring: the same permutation and the same
// data on a communicator whose numbers follow a mapping. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>
#include <vector>

#include <bmmc.hpp>
#include <bmmc/study.hpp>
#include <bmmc/study/reordered.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  namespace network = bmmc::network;

  // The halves of an array change places: process k sends all it has to process k +- 2.
  constexpr auto p = bmmc::flip<6>(5);
  constexpr auto plan = bmmc::make_plan(p, bmmc::layout::processor_major{}, 4);
  const network::torus ring(4);
  const auto before = network::count_loads(ring, network::traffic_of(plan));
  const auto found = network::place(ring, network::traffic_of(plan));

  // Process k of `renumbered` is process found.node_of[k] of the world.
  const auto renumbered = bmmc::reordered(world, found.node_of);
  std::vector<int> chunk(16);
  const int first = renumbered.rank() * 16;
  for (int i = 0; i < 16; ++i) chunk[static_cast<std::size_t>(i)] = first + i;
  bmmc::permute<int>(renumbered, chunk, p);

  int wrong = 0;
  for (int i = 0; i < 16; ++i) wrong += chunk[static_cast<std::size_t>(i)] != (first + i + 32) % 64;
  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  if (world.rank() != 0) return 0;
  std::cout << "fullest channel: " << before.most().size << " elements, with the mapping "
            << found.loads.most().size << "\nprocesses of the world in the new order:";
  for (const auto node : found.node_of) std::cout << ' ' << node;
  std::cout << "\nelements wrong: " << all_wrong << '\n';
}

// Prints:
// fullest channel: 32 elements, with the mapping 16
// processes of the world in the new order: 1 0 2 3
// elements wrong: 0
