// SPDX-License-Identifier: BSL-1.0

// Particles as a structure of arrays: positions, charges and names are put into Morton order by one
// plan, in one exchange. Run it on 4 processes.

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
  const auto p = bmmc::morton_encode<10>();  // a 32 x 32 grid

  using position = std::array<float, 2>;
  std::vector<position> positions(256);
  std::vector<double> charges(256);
  std::vector<char> kinds(256);
  for (unsigned i = 0; i < 256; ++i) {
    const auto cell = static_cast<unsigned>(world.rank()) * 256 + i;  // row by row
    positions[i] = {static_cast<float>(cell / 32), static_cast<float>(cell % 32)};
    charges[i] = cell;
    kinds[i] = static_cast<char>('a' + cell % 26);
  }

  auto permute = bmmc::make_permuter_set<position, double, char>(world, p);
  permute({positions, charges, kinds});

  int together = 0;  // all of a particle must still be at the same place
  for (unsigned i = 0; i < 256; ++i)
    if (charges[i] == positions[i][0] * 32 + positions[i][1] &&
        kinds[i] == static_cast<char>('a' + static_cast<int>(charges[i]) % 26))
      ++together;
  const int all = boost::mpi::all_reduce(world, together, std::plus<>());
  if (world.rank() != 0) return 0;
  std::cout << all << " particles whole; " << permute.plan().messages()
            << " messages per process for three arrays\nthe first four cells:";
  for (unsigned i = 0; i < 4; ++i)
    std::cout << " (" << positions[i][0] << ',' << positions[i][1] << ')';
  std::cout << '\n';
}

// Prints:
// 1024 particles whole; 2 messages per process for three arrays
// the first four cells: (0,0) (0,1) (1,0) (1,1)
