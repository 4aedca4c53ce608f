// SPDX-License-Identifier: BSL-1.0

// Transposes: a 4 x 8 matrix in blocks of rows, and an array of three axes, 4 x 2 x 4, whose last
// axis becomes the first. Run it on 4 processes.

#include <boost/mpi/environment.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::array_layout, bmmc::axis;

  const array_layout matrix{axis::blocks(2, 4), axis::local(3)};
  const array_layout transposed{axis::blocks(3, 4), axis::local(2)};
  auto chunk = example::own_indices(world, matrix);
  example::print_chunks(world, "4 x 8, one row each", chunk, 8);
  bmmc::transpose<int>(world, chunk, matrix, transposed, {1, 0});
  example::print_chunks(world, "8 x 4, two rows each", chunk, 4);

  const array_layout cube{axis::blocks(2, 4), axis::local(1), axis::local(2)};
  const array_layout turned{axis::blocks(2, 4), axis::local(2), axis::local(1)};
  chunk = example::own_indices(world, cube);
  example::print_chunks(world, "4 x 2 x 4, one 2 x 4 plane each", chunk, 4);
  bmmc::transpose<int>(world, chunk, cube, turned, {2, 0, 1});
  example::print_chunks(world, "last axis first: 4 x 4 x 2, one 4 x 2 plane each", chunk, 2);
}

// Prints:
// 4 x 8, one row each
//   process 0:   0   1   2   3   4   5   6   7
//   process 1:   8   9  10  11  12  13  14  15
//   process 2:  16  17  18  19  20  21  22  23
//   process 3:  24  25  26  27  28  29  30  31
// 8 x 4, two rows each
//   process 0:   0   8  16  24
//                1   9  17  25
//   process 1:   2  10  18  26
//                3  11  19  27
//   process 2:   4  12  20  28
//                5  13  21  29
//   process 3:   6  14  22  30
//                7  15  23  31
// 4 x 2 x 4, one 2 x 4 plane each
//   process 0:   0   1   2   3
//                4   5   6   7
//   process 1:   8   9  10  11
//               12  13  14  15
//   process 2:  16  17  18  19
//               20  21  22  23
//   process 3:  24  25  26  27
//               28  29  30  31
// last axis first: 4 x 4 x 2, one 4 x 2 plane each
//   process 0:   0   4
//                8  12
//               16  20
//               24  28
//   process 1:   1   5
//                9  13
//               17  21
//               25  29
//   process 2:   2   6
//               10  14
//               18  22
//               26  30
//   process 3:   3   7
//               11  15
//               19  23
//               27  31
