// SPDX-License-Identifier: BSL-1.0

// A mistake on one process: all processes get the same exception, none hangs, and no element has
// moved. Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <iostream>
#include <string>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;

  std::string caught = "nothing";
  std::vector<int> chunk(world.rank() == 2 ? 3 : 4);  // 16 elements on 4 processes need 4 on each
  try {
    bmmc::permute<int>(world, chunk, bmmc::bit_reversal(4));
  } catch (bmmc::error const& error) {  // and std::exception, std::invalid_argument
    caught = error.what();
  }

  std::vector<std::string> all;
  boost::mpi::gather(world, caught, all, 0);
  for (std::size_t k = 0; k < all.size(); ++k)
    std::cout << "process " << k << ": " << all[k] << '\n';

  // A matrix that is no permutation is found where it is made, without any communication.
  try {
    const bmmc::permutation<> p(bmmc::bit_matrix<>(2, {0b01, 0b01}));
  } catch (bmmc::singular_matrix const& error) {
    if (world.rank() == 0) std::cout << error.what() << '\n';
  }
}

// Prints:
// process 0: process 2: the chunk must hold 4 elements, not 3: the permutation is of 2^4 elements, on 4 processes
// process 1: process 2: the chunk must hold 4 elements, not 3: the permutation is of 2^4 elements, on 4 processes
// process 2: process 2: the chunk must hold 4 elements, not 3: the permutation is of 2^4 elements, on 4 processes
// process 3: process 2: the chunk must hold 4 elements, not 3: the permutation is of 2^4 elements, on 4 processes
// a matrix of rank 1 on 2 bits is singular: it is no permutation of the indices
