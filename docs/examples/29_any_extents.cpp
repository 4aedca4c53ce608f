// SPDX-License-Identifier: BSL-1.0

// Arrays whose extents are no powers of two: the axes of a 100 x 60 x 48 array permuted over any
// number of processes, and in one process, a part of a larger array too.
// Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::index_t, bmmc::extents;

  // Axis k of the result is axis axes[k] of the source, as in numpy: a 48 x 100 x 60 array.
  const extents field{100, 60, 48};
  const auto p = bmmc::axis_permutation(field, {2, 0, 1});
  const bmmc::layout::blocks layout(field.elements(), static_cast<index_t>(world.size()));
  const index_t first = layout.first(static_cast<index_t>(world.rank()));
  std::vector<double> chunk(layout.count(static_cast<index_t>(world.rank())));
  std::iota(chunk.begin(), chunk.end(), static_cast<double>(first));  // each element its index
  bmmc::permute<double>(world, chunk, p);

  const auto source_of = inverse(p);
  long right = 0, all = 0;
  for (index_t i = 0; i < chunk.size(); ++i)
    right += chunk[i] == static_cast<double>(source_of(first + i)) ? 1 : 0;
  boost::mpi::reduce(world, right, all, std::plus<>(), 0);
  if (world.rank() != 0) return 0;
  std::cout << all << " of " << field.elements() << " elements are where they belong\n";

  // Maps of axes are composed like all others; what they do not move is found.
  const auto back = compose(bmmc::axis_permutation(p.target_extents(), {1, 2, 0}), p);
  std::cout << "there and back is the identity: " << is_identity(back) << '\n';

  // One process: the lower right 2 x 3 corner of a 4 x 5 table, transposed into a 3 x 2 array.
  std::vector<int> table(20), corner(6);
  std::iota(table.begin(), table.end(), 0);
  const std::vector<index_t> rows_of_5{5, 1}, rows_of_2{2, 1};
  bmmc::local::permute_axes(std::span(table).subspan(12), corner, extents{2, 3}, {1, 0}, rows_of_5,
                            rows_of_2);
  for (const int element : corner) std::cout << element << ' ';
  std::cout << '\n';
}

// Prints:
// 288000 of 288000 elements are where they belong
// there and back is the identity: 1
// 12 17 13 18 14 19
