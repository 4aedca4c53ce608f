// SPDX-License-Identifier: BSL-1.0

// A 100 x 60 x 48 array, of which a three-dimensional FFT needs each axis on one process at its
// turn: slabs, then pencils along x, then slabs again. Neither the extents nor the number of
// processes need be powers of two. Run it on 4 processes, or on 6.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <functional>
#include <iostream>
#include <vector>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::grid_axis, bmmc::grid_layout, bmmc::index_t;
  const auto procs = static_cast<index_t>(world.size()), me = static_cast<index_t>(world.rank());

  const grid_layout slabs{grid_axis::blocks(100, procs), grid_axis::local(60),
                          grid_axis::local(48)};
  // Pencils along x, which runs fastest in memory, as FFTs like it: axes y, z, x.
  const grid_layout pencils{grid_axis::blocks(60, 2), grid_axis::blocks(48, procs / 2),
                            grid_axis::local(100)};

  // Planned once and called in every time step; nothing is allocated in a call.
  auto to_pencils = bmmc::make_transposer<double>(world, slabs, pencils, {1, 2, 0});
  auto to_slabs = bmmc::make_transposer<double>(world, pencils, slabs, {2, 0, 1});
  if (world.rank() == 0) std::cout << explain(to_pencils.plan(), sizeof(double));

  std::vector<double> field(slabs.count(me)), turned(pencils.count(me));
  for (index_t i = 0; i < field.size(); ++i)
    field[i] = static_cast<double>(slabs.index_at(me, i));  // each element its index
  const auto start = field;
  // ... transform the planes along y and z ...
  to_pencils(field, turned);
  // ... transform along x ...
  long right = 0, all = 0;
  for (index_t i = 0; i < turned.size(); ++i) {
    const index_t at = pencils.index_at(me, i), x = at % 100, z = at / 100 % 48, y = at / 4800;
    right += turned[i] == static_cast<double>((x * 60 + y) * 48 + z) ? 1 : 0;
  }
  to_slabs(turned, field);
  boost::mpi::reduce(world, right, all, std::plus<>(), 0);
  const bool is_back = boost::mpi::all_reduce(world, field == start, std::logical_and<>());
  if (world.rank() == 0)
    std::cout << all << " elements lie along x; back in slabs: " << is_back << '\n';
}

// Prints:
// 100 x 60 x 48 elements on a grid of 4 x 1 x 1 processes to 60 x 48 x 100 on 2 x 2 x 1
// 12 messages, 216000 elements (1728000 bytes) sent; 72000 elements stay
// no scheme sends less: each element that is sent changes its process, and goes there at once
//   process 0 sends 54000 elements in 3 messages and keeps 18000
//   process 1 sends 54000 elements in 3 messages and keeps 18000
//   process 2 sends 54000 elements in 3 messages and keeps 18000
//   process 3 sends 54000 elements in 3 messages and keeps 18000
// 288000 elements lie along x; back in slabs: 1
