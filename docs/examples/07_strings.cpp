// SPDX-License-Identifier: BSL-1.0

// Elements of any type that Boost.Serialization takes, of any length: nothing else changes. Run it
// on 4 processes.

#include <array>
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

  constexpr std::array<std::array<char const*, 2>, 4> words{
      {{"one", "string,"}, {"call", "however"}, {"moves", "long,"}, {"every", "once"}}};
  auto const& own = words[static_cast<std::size_t>(world.rank())];
  std::vector<std::string> chunk(own.begin(), own.end());

  bmmc::permute<std::string>(world, chunk, bmmc::unshuffle(3));

  std::vector<std::vector<std::string>> all;
  boost::mpi::gather(world, chunk, all, 0);
  for (auto const& part : all)
    for (auto const& word : part) std::cout << word << '\n';
}

// Prints:
// one
// call
// moves
// every
// string,
// however
// long,
// once
