// SPDX-License-Identifier: BSL-1.0

// From a checkerboard to rows: an 8 x 8 matrix, in blocks of 4 x 4 on a 2 x 2 grid of processes,
// becomes one with two whole rows on each process. Run it on 4 processes.

#include <array>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::axis;

  // An axis of 2^3 elements over 2 processes, and over 4; `local`: not split.
  const bmmc::array_layout checkerboard{axis::blocks(3, 2), axis::blocks(3, 2)};
  const bmmc::array_layout rows{axis::blocks(3, 4), axis::local(3)};

  // Element (r, c) has the value 10 r + c. Block (R, C) lies row by row on process 2 R + C.
  const int block_row = world.rank() / 2, block_column = world.rank() % 2;
  std::vector<int> chunk(16);
  for (int i = 0; i < 16; ++i)
    chunk[static_cast<std::size_t>(i)] = 10 * (4 * block_row + i / 4) + 4 * block_column + i % 4;

  bmmc::redistribute<int>(world, chunk, checkerboard, rows);

  int wrong = 0;
  for (int i = 0; i < 16; ++i)
    if (chunk[static_cast<std::size_t>(i)] != 10 * (2 * world.rank() + i / 8) + i % 8) ++wrong;
  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  std::vector<int> all(64);
  boost::mpi::gather(world, chunk.data(), 16, all.data(), 0);
  if (world.rank() != 0) return all_wrong;

  std::cout << "process before / after, for each element\n";
  for (bmmc::index_t row = 0; row < 8; ++row) {
    for (auto const* l : {&checkerboard, &rows}) {
      for (bmmc::index_t column = 0; column < 8; ++column)
        std::cout << ' ' << bmmc::layout::place(*l, 6, 4, 8 * row + column).proc;
      std::cout << "   ";
    }
    std::cout << '\n';
  }
  std::cout << "process 1 now begins with " << all[16] << ' ' << all[17] << "; " << all_wrong
            << " elements are wrong\n";
  return all_wrong;
}

// Prints:
// process before / after, for each element
//  0 0 0 0 1 1 1 1    0 0 0 0 0 0 0 0
//  0 0 0 0 1 1 1 1    0 0 0 0 0 0 0 0
//  0 0 0 0 1 1 1 1    1 1 1 1 1 1 1 1
//  0 0 0 0 1 1 1 1    1 1 1 1 1 1 1 1
//  2 2 2 2 3 3 3 3    2 2 2 2 2 2 2 2
//  2 2 2 2 3 3 3 3    2 2 2 2 2 2 2 2
//  2 2 2 2 3 3 3 3    3 3 3 3 3 3 3 3
//  2 2 2 2 3 3 3 3    3 3 3 3 3 3 3 3
// process 1 now begins with 20 21; 0 elements are wrong
