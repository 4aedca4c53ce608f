// SPDX-License-Identifier: BSL-1.0

// A vector of 16 elements on 4 processes: from blocks to cyclic dealing, to blocks whose processes
// are numbered in Gray code, and to a vector that is in Gray code as a whole. Run it on 4
// processes.

#include <boost/mpi/environment.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::array_layout, bmmc::axis;
  const array_layout blocks{axis::blocks(4, 4)}, cyclic{axis::cyclic(4, 4)};
  const array_layout gray_procs{axis::blocks(4, 4).gray_processes()};
  const array_layout gray{axis::blocks(4, 4).gray()};

  auto chunk = example::own_indices(world, blocks);
  example::print_chunks(world, "blocks", chunk, 4);
  bmmc::redistribute<int>(world, chunk, blocks, cyclic);
  example::print_chunks(world, "cyclic", chunk, 4);
  bmmc::redistribute<int>(world, chunk, cyclic, gray_procs);
  example::print_chunks(world, "blocks, processes in Gray code", chunk, 4);
  bmmc::redistribute<int>(world, chunk, gray_procs, gray);
  example::print_chunks(world, "all in Gray code: here only offsets change", chunk, 4);
}

// Prints:
// blocks
//   process 0:   0   1   2   3
//   process 1:   4   5   6   7
//   process 2:   8   9  10  11
//   process 3:  12  13  14  15
// cyclic
//   process 0:   0   4   8  12
//   process 1:   1   5   9  13
//   process 2:   2   6  10  14
//   process 3:   3   7  11  15
// blocks, processes in Gray code
//   process 0:   0   1   2   3
//   process 1:   4   5   6   7
//   process 2:  12  13  14  15
//   process 3:   8   9  10  11
// all in Gray code: here only offsets change
//   process 0:   0   1   3   2
//   process 1:   7   6   4   5
//   process 2:  15  14  12  13
//   process 3:   8   9  11  10
