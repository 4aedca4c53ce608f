// SPDX-License-Identifier: BSL-1.0

// For users of ScaLAPACK: a 10 x 7 matrix in blocks of 3 x 2 on a 2 x 2 grid, whose first block
// lies in grid row 1 and whose local columns start 8 elements apart, from its descriptor; then its
// transpose in blocks of 4 x 4 on a grid of 1 x 3. Run it on 4 processes.

#include <array>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::index_t, bmmc::scalapack_matrix;
  const auto me = static_cast<index_t>(world.rank());

  // DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD, as descinit_ fills it
  const std::array<int, 9> desc_a{1, 0, 10, 7, 3, 2, 1, 0, 8};
  const auto a = scalapack_matrix::from_descriptor(desc_a, 2, 2);
  const scalapack_matrix b{.rows = 7, .cols = 10, .row_block = 4, .col_block = 4, .grid_cols = 3};
  const auto source = a.layout(), target = b.layout();

  // Element (i, j) is 100 i + j.
  std::vector<double> local_a(source.span(me), -1), local_b(target.span(me));
  for (index_t i = 0; i < 10; ++i)
    for (index_t j = 0; j < 7; ++j)
      if (const auto at = source.place(i + 10 * j); at.proc == me)
        local_a[at.offset] = static_cast<double>(100 * i + j);

  bmmc::transpose<double>(world, local_a, local_b, source, target, {1, 0});

  // All of it on process 0, which prints it row by row.
  const scalapack_matrix whole{.rows = 7, .cols = 10, .row_block = 7, .col_block = 10};
  std::vector<double> all(whole.layout().span(me));
  bmmc::redistribute<double>(world, local_b, all, target, whole.layout());
  if (world.rank() != 0) return 0;
  for (index_t i = 0; i < 7; ++i) {
    for (index_t j = 0; j < 10; ++j) std::cout << all[i + 7 * j] << (j == 9 ? '\n' : ' ');
  }
  std::cout << explain(bmmc::grid_plan(source, target, {1, 0}), sizeof(double))
            << "LLD of b on process 0: " << b.descriptor(0, 0)[8] << '\n';
}

// Prints:
// 0 100 200 300 400 500 600 700 800 900
// 1 101 201 301 401 501 601 701 801 901
// 2 102 202 302 402 502 602 702 802 902
// 3 103 203 303 403 503 603 703 803 903
// 4 104 204 304 404 504 604 704 804 904
// 5 105 205 305 405 505 605 705 805 905
// 6 106 206 306 406 506 606 706 806 906
// 7 x 10 elements on a grid of 2 x 2 processes to 10 x 7 on 3 x 1
// 9 messages, 56 elements (448 bytes) sent; 14 elements stay
// no scheme sends less: each element that is sent changes its process, and goes there at once
//   process 0 sends 12 elements in 2 messages and keeps 4
//   process 1 sends 6 elements in 2 messages and keeps 6
//   process 2 sends 20 elements in 2 messages and keeps 4
//   process 3 sends 18 elements in 3 messages and keeps 0
// LLD of b on process 0: 7
