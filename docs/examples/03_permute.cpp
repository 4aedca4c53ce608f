// SPDX-License-Identifier: BSL-1.0

// The shortest program: every process holds a chunk of a distributed array, one call permutes the
// whole array. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;

  // 16 elements: process k of 4 holds the elements 4k .. 4k+3.
  std::vector<double> chunk(4);
  for (int i = 0; i < 4; ++i) chunk[static_cast<std::size_t>(i)] = 4 * world.rank() + i;

  bmmc::permute<double>(world, chunk, bmmc::transpose(1, 3));  // 2 rows of 8 to 8 rows of 2

  std::vector<double> all(16);
  boost::mpi::gather(world, chunk.data(), 4, all.data(), 0);
  if (world.rank() == 0)
    for (const double element : all) std::cout << element << (element < 8 ? ' ' : '\n');
}

// Prints:
// 0 8
// 1 9
// 2 10
// 3 11
// 4 12
// 5 13
// 6 14
// 7 15
