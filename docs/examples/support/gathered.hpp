// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <iomanip>
#include <iostream>
#include <numeric>
#include <vector>

#include <bmmc.hpp>

namespace example {

/// This process's part of an array in which every element holds its own index.
inline std::vector<int> own_indices(boost::mpi::communicator const& world,
                                    bmmc::array_layout const& a) {
  const auto index_of = inverse(a.physical());
  std::vector<int> chunk(bmmc::bit(a.bits() - a.proc_bits()));
  const auto first = static_cast<bmmc::index_t>(world.rank()) * chunk.size();
  for (bmmc::index_t o = 0; o < chunk.size(); ++o) chunk[o] = static_cast<int>(index_of(first + o));
  return chunk;
}

/// Process 0 prints what every process holds, in rows of `width` elements.
inline void print_chunks(boost::mpi::communicator const& world, char const* title,
                         std::vector<int> const& chunk, std::size_t width) {
  const auto length = static_cast<int>(chunk.size());
  std::vector<int> all(chunk.size() * static_cast<std::size_t>(world.size()));
  boost::mpi::gather(world, chunk.data(), length, all.data(), 0);
  if (world.rank() != 0) return;
  std::cout << title << '\n';
  for (std::size_t i = 0; i < all.size(); i += width) {
    std::cout << (i % chunk.size() == 0 ? "  process " + std::to_string(i / chunk.size()) + ":"
                                        : std::string(12, ' '));
    for (std::size_t k = i; k < i + width; ++k) std::cout << std::setw(4) << all[k];
    std::cout << '\n';
  }
}

}  // namespace example
