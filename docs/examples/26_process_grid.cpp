// SPDX-License-Identifier: BSL-1.0

// A matrix on a grid of processes as ScaLAPACK has it: 8 x 8 elements, column by column, in blocks
// of 2 x 2 on a 2 x 2 grid; then in whole columns. The index is row + 8 column. Run it on 4
// processes.

#include <boost/mpi/environment.hpp>

#include "support/gathered.hpp"

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const auto grid = bmmc::block_cyclic_matrix{.lg_rows = 3,
                                              .lg_cols = 3,
                                              .lg_row_block = 1,
                                              .lg_col_block = 1,
                                              .grid_rows = 2,
                                              .grid_cols = 2}
                        .layout();
  const bmmc::array_layout columns{bmmc::axis::blocks(3, 4), bmmc::axis::local(3)};

  auto chunk = example::own_indices(world, grid);
  example::print_chunks(world, "blocks of 2 x 2: process 1 has rows 0 1 4 5 of columns 2 3 6 7",
                        chunk, 4);
  bmmc::redistribute<int>(world, chunk, grid, columns);
  example::print_chunks(world, "two columns each", chunk, 8);
}

// Prints:
// blocks of 2 x 2: process 1 has rows 0 1 4 5 of columns 2 3 6 7
//   process 0:   0   1   4   5
//                8   9  12  13
//               32  33  36  37
//               40  41  44  45
//   process 1:  16  17  20  21
//               24  25  28  29
//               48  49  52  53
//               56  57  60  61
//   process 2:   2   3   6   7
//               10  11  14  15
//               34  35  38  39
//               42  43  46  47
//   process 3:  18  19  22  23
//               26  27  30  31
//               50  51  54  55
//               58  59  62  63
// two columns each
//   process 0:   0   1   2   3   4   5   6   7
//                8   9  10  11  12  13  14  15
//   process 1:  16  17  18  19  20  21  22  23
//               24  25  26  27  28  29  30  31
//   process 2:  32  33  34  35  36  37  38  39
//               40  41  42  43  44  45  46  47
//   process 3:  48  49  50  51  52  53  54  55
//               56  57  58  59  60  61  62  63
