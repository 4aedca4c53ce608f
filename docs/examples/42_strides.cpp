// SPDX-License-Identifier: BSL-1.0

// Permutations that are not affine go through the same call, and the number of elements need be no
// power of two: p-ordered vectors (strides), any bijection with an inverse, and lists of targets.
// Run it on 4 processes.

#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <bmmc.hpp>

namespace {

/// All elements, process after process, in one line.
template <class T>
void print(boost::mpi::communicator const& world, char const* title, std::vector<T> const& chunk) {
  std::vector<std::vector<T>> all;
  boost::mpi::gather(world, chunk, all, 0);
  if (world.rank() != 0) return;
  std::cout << title;
  for (auto const& part : all) {
    for (auto const& element : part) std::cout << ' ' << element;
    std::cout << (&part == &all.back() ? "\n" : " |");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  using bmmc::index_t;

  // 10 elements on 4 processes: 3, 3, 2 and 2.
  const bmmc::layout::blocks layout(10, 4);
  const auto me = static_cast<index_t>(world.rank());
  std::vector<int> chunk(layout.count(me));
  std::iota(chunk.begin(), chunk.end(), static_cast<int>(layout.first(me)));
  print(world, "in order:  ", chunk);

  bmmc::permute<int>(world, chunk, bmmc::p_ordered(10, 3));  // element i to place 3 i mod 10
  print(world, "3-ordered: ", chunk);
  bmmc::permute<int>(world, chunk, bmmc::p_unordered(10, 3));
  print(world, "and back:  ", chunk);

  // Any two functions that undo each other.
  const auto exchange_pairs = [](index_t x) { return x ^ 1; };
  bmmc::permute<int>(world, chunk, bmmc::function_bijection(10, exchange_pairs, exchange_pairs));
  print(world, "in pairs:  ", chunk);

  // A list of which each process has the part of its own elements. Strings travel as well.
  std::vector<std::string> words;
  std::vector<index_t> targets;
  for (index_t i = layout.first(me); i < layout.first(me) + layout.count(me); ++i) {
    words.push_back(std::string(i, '*') + std::to_string(i));
    targets.push_back(i < 5 ? 2 * i : 19 - 2 * i);
  }
  bmmc::permute<std::string>(world, words, bmmc::target_list{targets});
  print(world, "by a list: ", words);
}

// Prints:
// in order:   0 1 2 | 3 4 5 | 6 7 | 8 9
// 3-ordered:  0 7 4 | 1 8 5 | 2 9 | 6 3
// and back:   0 1 2 | 3 4 5 | 6 7 | 8 9
// in pairs:   1 0 3 | 2 5 4 | 7 6 | 9 8
// by a list:  0 *********9 *1 | ********8 **2 *******7 | ***3 ******6 | ****4 *****5
