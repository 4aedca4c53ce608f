// SPDX-License-Identifier: BSL-1.0

// A volume of 64 x 64 x 64 cells over 4 processes, brought from row-major to Morton order: the bits
// of the three coordinates alternate, so that each aligned cube of 8 x 8 x 8 cells is one run of
// 512 elements. Then the mean of every cube is a loop over consecutive memory, without
// communication. The places are compared with bits that are interleaved one by one, the means with
// the cells that the coordinates say. With the argument "cells" it prints who holds which cell of a
// volume of 8 x 8 x 8, the table bench/measured/morton.csv of bench/pictures/draw.

#include <bmmc.hpp>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <cstring>
#include <functional>
#include <iostream>
#include <numeric>
#include <set>
#include <vector>

namespace {

using bmmc::index_t;

struct cell {
  index_t x, y, z;
};
/// Of the element at `index` in row-major order, x the slowest axis, each axis of 2^bits cells.
cell at_row_major(index_t index, unsigned bits) {
  const index_t low = (index_t{1} << bits) - 1;
  return {index >> 2 * bits, index >> bits & low, index & low};
}
/// Of the element at `index` in Morton order, bit by bit.
cell at_morton(index_t index, unsigned bits) {
  cell c{0, 0, 0};
  for (unsigned k = 0; k < bits; ++k) {
    c.z |= (index >> 3 * k & 1) << k;
    c.y |= (index >> (3 * k + 1) & 1) << k;
    c.x |= (index >> (3 * k + 2) & 1) << k;
  }
  return c;
}
double density(cell c) { return static_cast<double>(10000 * c.x + 100 * c.y + c.z); }

void print_cells() {
  const auto p = bmmc::morton_encode(9, 3);
  std::cout << "# computed by 66_morton_volume cells\nx,y,z,rows,morton,place\n";
  for (index_t index = 0; index < 512; ++index) {
    const auto [x, y, z] = at_row_major(index, 3);
    std::cout << x << ',' << y << ',' << z << ',' << index / 128 << ',' << p(index) / 128 << ','
              << p(index) << '\n';
  }
}

/// Runs of consecutive elements that make up the cube of 8 x 8 x 8 cells at the origin.
std::size_t runs_of_a_cube(bmmc::permutation<> const& p) {
  std::set<index_t> places;
  for (index_t index = 0; index < index_t{1} << 18; ++index)
    if (const auto [x, y, z] = at_row_major(index, 6); x < 8 && y < 8 && z < 8)
      places.insert(p(index));
  std::size_t runs = 0;
  for (const index_t place : places) runs += places.contains(place - 1) ? 0 : 1;
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  if (argc > 1 && std::strcmp(argv[1], "cells") == 0) {
    if (world.rank() == 0) print_cells();
    return 0;
  }
  const unsigned bits = 6, n = 3 * bits;  // 64 = 2^6 cells along each axis
  const auto to_morton = bmmc::morton_encode(n, 3);
  std::vector<double> volume((index_t{1} << n) / 4);
  const index_t first = static_cast<index_t>(world.rank()) * volume.size();
  for (index_t i = 0; i < volume.size(); ++i) volume[i] = density(at_row_major(first + i, bits));

  bmmc::permute(world, volume, to_morton);
  int wrong = 0;
  for (index_t i = 0; i < volume.size(); ++i)
    if (volume[i] != density(at_morton(first + i, bits))) ++wrong;

  // Cube by cube: the mean of a density that is linear is the density in the middle.
  for (index_t i = 0; i < volume.size(); i += 512) {
    const double mean = std::reduce(&volume[i], &volume[i] + 512) / 512;
    if (mean != density(at_morton(first + i, bits)) + 3.5 * 10101) ++wrong;
  }

  bmmc::permute(world, volume, inverse(to_morton));
  for (index_t i = 0; i < volume.size(); ++i)
    if (volume[i] != density(at_row_major(first + i, bits))) ++wrong;

  const int all_wrong = boost::mpi::all_reduce(world, wrong, std::plus<>());
  if (world.rank() == 0)
    std::cout << "elements or means in the wrong place: " << all_wrong << '\n'
              << "runs of elements that make up a cube of 8 x 8 x 8: "
              << runs_of_a_cube(bmmc::identity_permutation(n)) << " row by row, "
              << runs_of_a_cube(to_morton) << " in Morton order\n"
              << "messages of a process: " << bmmc::make_plan(to_morton, {}, 4).messages() << '\n';
  return all_wrong;
}

// Prints:
// elements or means in the wrong place: 0
// runs of elements that make up a cube of 8 x 8 x 8: 64 row by row, 1 in Morton order
// messages of a process: 2
