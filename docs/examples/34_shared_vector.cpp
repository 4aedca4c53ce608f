// SPDX-License-Identifier: BSL-1.0

// Processes of one node may keep their chunks where all of them can write: a permutation is then a
// single pass over memory, without any message. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const auto p = bmmc::bit_reversal(16);

  bmmc::shared_vector<float> chunk(world, 16384);  // of this process, as a std::vector would be
  const auto first = static_cast<bmmc::index_t>(world.rank()) * chunk.size();
  for (bmmc::index_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<float>(first + i);

  auto permute = bmmc::make_permuter<float, bmmc::comm::shared_window>(world, p);
  permute(chunk);  // gives the chunk other memory: old pointers into it do not stay valid

  int wrong = 0;
  for (bmmc::index_t i = 0; i < chunk.size(); ++i)
    if (chunk[i] != static_cast<float>(p(first + i))) ++wrong;  // bit reversal undoes itself
  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  if (world.rank() == 0) std::cout << all_wrong << " elements wrong\n";
}

// Prints:
// 0 elements wrong
