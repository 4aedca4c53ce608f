// SPDX-License-Identifier: BSL-1.0

// From blocks to cyclic dealing: redistribution permutes nothing, it is the identity between two
// layouts. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  constexpr bmmc::layout::between blocks_to_cyclic{bmmc::layout::processor_major{},
                                                   bmmc::layout::processor_minor{}};

  std::vector<int> chunk(4);  // index 4k + i on process k
  for (int i = 0; i < 4; ++i) chunk[static_cast<std::size_t>(i)] = 4 * world.rank() + i;

  bmmc::permute<int>(world, chunk, bmmc::identity_permutation(4), blocks_to_cyclic);

  std::vector<int> all(16);
  boost::mpi::gather(world, chunk.data(), 4, all.data(), 0);
  if (world.rank() != 0) return 0;
  for (int k = 0; k < 4; ++k) {
    std::cout << "process " << k << " holds";
    for (int i = 0; i < 4; ++i) std::cout << ' ' << all[static_cast<std::size_t>(4 * k + i)];
    std::cout << '\n';
  }
}

// Prints:
// process 0 holds 0 4 8 12
// process 1 holds 1 5 9 13
// process 2 holds 2 6 10 14
// process 3 holds 3 7 11 15
