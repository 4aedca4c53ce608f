// SPDX-License-Identifier: BSL-1.0

// The catalogue on 64 processes and four networks: the most elements that one channel carries, with
// process k on node k and after a search for better places. Every message is counted on every
// channel of its route.

#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cube = bmmc::cube;
namespace network = bmmc::network;
using bmmc::index_t;
using bmmc::permutation;

namespace {

constexpr unsigned proc_bits = 6;
constexpr network::annealing search{1, 20'000};

struct named {
  char const* name;
  permutation<> map;
};
std::vector<named> catalogue(unsigned n) {
  std::mt19937_64 random(n);
  return {{"transpose, square", bmmc::transpose(n / 2, n / 2)},
          {"transpose 4 x 2^(n-2)", bmmc::transpose(2, n - 2)},
          {"bit reversal", bmmc::bit_reversal(n)},
          {"shuffle", bmmc::shuffle(n)},
          {"unshuffle", bmmc::unshuffle(n)},
          {"rotate bits by n/2", bmmc::rotate_bits(n, n / 2)},
          {"block to cyclic", bmmc::block_to_cyclic(n, bmmc::bit(proc_bits))},
          {"vector reversal", bmmc::vector_reversal(n)},
          {"flip the highest bit", bmmc::flip(n, n - 1)},
          {"swap the outermost bits", bmmc::swap_bits(n, 0, n - 1)},
          {"CNOT 0 -> n-1", bmmc::cnot(n, 0, n - 1)},
          {"Gray encode", bmmc::gray_encode(n)},
          {"Gray decode", bmmc::gray_decode(n)},
          {"Morton encode", bmmc::morton_encode(n)},
          {"Morton decode", bmmc::morton_decode(n)},
          {"random A, c", bmmc::random_permutation(n, random)}};
}

int fullest(network::channel_loads const& loads) { return static_cast<int>(loads.most().size); }

template <network::Network N>
std::string before_and_after(N const& net, network::traffic const& all) {
  char text[32];
  std::snprintf(text, sizeof text, "%5d -> %-4d ", fullest(network::count_loads(net, all)),
                fullest(network::place(net, all, search).loads));
  return text;
}

/// As it is, by the best order of the dimensions, by annealing from there.
std::string on_hypercube(bmmc::plan const& plan) {
  const network::hypercube net(proc_bits);
  const auto all = network::traffic_of(plan);
  const auto ordered = network::place(net, plan);
  char text[48];
  std::snprintf(text, sizeof text, "%5d -> %2d -> %-2d", fullest(network::count_loads(net, all)),
                fullest(ordered.loads),
                fullest(network::place(net, all, search, ordered.node_of).loads));
  return text;
}

void print_table(unsigned n) {
  std::printf(
      "n = %u: %2d per process    hypercube 2^6    torus 8 x 8    torus 4^3      fat tree 8 x 8\n",
      n, 1 << (n - proc_bits));
  for (auto const& [name, map] : catalogue(n)) {
    const auto plan = bmmc::make_plan(map, bmmc::layout::processor_major{}, bmmc::bit(proc_bits));
    const auto all = network::traffic_of(plan);
    std::printf("  %-23s%s%s%s%s\n", name, on_hypercube(plan).c_str(),
                before_and_after(network::torus(8, 8), all).c_str(),
                before_and_after(network::torus(4, 4, 4), all).c_str(),
                before_and_after(network::fat_tree(8, 8, 4), all).c_str());
  }
}

/// The steps of a plan one after the other: the sum of the fullest channels of all steps.
void print_steps(unsigned n) {
  const network::hypercube net(proc_bits);
  std::printf("n = %u, step after step     steps  on the hypercube, summed\n", n);
  for (auto const& [name, map] : catalogue(n)) {
    const auto plan = bmmc::make_plan(map, bmmc::layout::processor_major{}, bmmc::bit(proc_bits));
    const auto node_of = network::in_place(cube::find_mapping(cube::step(plan, 0)).q);
    int before = 0, after = 0;
    for (index_t s = 0; s < plan.messages(); ++s) {
      const auto one = network::traffic_of_step(plan, s);
      before += fullest(network::count_loads(net, one));
      after += fullest(network::count_loads(net, one, node_of));
    }
    std::printf("  %-23s%7d  %5d -> %d\n", name, static_cast<int>(plan.messages()), before, after);
  }
}

}  // namespace

int main() {
  std::printf("Elements on the fullest channel; hypercube: as it is -> best order -> annealing\n");
  print_table(6);
  print_table(8);
  print_steps(8);
}

// Prints:
// Elements on the fullest channel; hypercube: as it is -> best order -> annealing
// n = 6:  1 per process    hypercube 2^6    torus 8 x 8    torus 4^3      fat tree 8 x 8
//   transpose, square          4 ->  1 -> 1     4 -> 1        4 -> 1        7 -> 1
//   transpose 4 x 2^(n-2)      2 ->  1 -> 1     4 -> 1        3 -> 1        8 -> 1
//   bit reversal               4 ->  1 -> 1     4 -> 1        4 -> 1        7 -> 1
//   shuffle                    1 ->  1 -> 1     4 -> 1        2 -> 1        4 -> 1
//   unshuffle                  2 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
//   rotate bits by n/2         4 ->  1 -> 1     4 -> 1        4 -> 1        7 -> 1
//   block to cyclic            0 ->  0 -> 0     0 -> 0        0 -> 0        0 -> 0
//   vector reversal            1 ->  1 -> 1     2 -> 1        1 -> 1        2 -> 1
//   flip the highest bit       1 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
//   swap the outermost bits    1 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
//   CNOT 0 -> n-1              1 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
//   Gray encode                1 ->  1 -> 1     3 -> 1        2 -> 1        2 -> 1
//   Gray decode                1 ->  1 -> 1     3 -> 1        2 -> 1        2 -> 1
//   Morton encode              2 ->  1 -> 1     2 -> 1        3 -> 1        4 -> 1
//   Morton decode              2 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
//   random A, c                2 ->  1 -> 1     4 -> 1        2 -> 1        2 -> 1
// n = 8:  4 per process    hypercube 2^6    torus 8 x 8    torus 4^3      fat tree 8 x 8
//   transpose, square          8 ->  4 -> 3    14 -> 5       12 -> 4       28 -> 7
//   transpose 4 x 2^(n-2)      2 ->  2 -> 2     6 -> 5        3 -> 3        8 -> 6
//   bit reversal               8 ->  4 -> 3     8 -> 5        8 -> 3       14 -> 4
//   shuffle                    2 ->  2 -> 2     8 -> 4        4 -> 4        8 -> 6
//   unshuffle                  8 ->  2 -> 2    16 -> 6        8 -> 4        8 -> 6
//   rotate bits by n/2         8 ->  4 -> 3    14 -> 5       12 -> 4       28 -> 7
//   block to cyclic            2 ->  2 -> 2     6 -> 5        3 -> 3        8 -> 6
//   vector reversal            4 ->  4 -> 4     8 -> 4        4 -> 4        8 -> 4
//   flip the highest bit       4 ->  4 -> 4    16 -> 4        8 -> 4        8 -> 4
//   swap the outermost bits    2 ->  2 -> 2     8 -> 2        4 -> 2        4 -> 2
//   CNOT 0 -> n-1              2 ->  2 -> 2     8 -> 2        4 -> 2        4 -> 2
//   Gray encode                4 ->  4 -> 4    12 -> 4        8 -> 4        8 -> 4
//   Gray decode                4 ->  4 -> 4    12 -> 4        8 -> 4        8 -> 4
//   Morton encode              8 ->  4 -> 4     8 -> 4       12 -> 4       16 -> 4
//   Morton decode              8 ->  4 -> 4     8 -> 4        8 -> 4       16 -> 4
//   random A, c                2 ->  2 -> 2     6 -> 5        4 -> 3        7 -> 6
// n = 8, step after step     steps  on the hypercube, summed
//   transpose, square            4     14 -> 4
//   transpose 4 x 2^(n-2)        4      4 -> 4
//   bit reversal                 4      8 -> 4
//   shuffle                      2      4 -> 4
//   unshuffle                    2      8 -> 4
//   rotate bits by n/2           4     14 -> 4
//   block to cyclic              4      4 -> 4
//   vector reversal              1      4 -> 4
//   flip the highest bit         1      4 -> 4
//   swap the outermost bits      2      2 -> 2
//   CNOT 0 -> n-1                2      2 -> 2
//   Gray encode                  1      4 -> 4
//   Gray decode                  1      4 -> 4
//   Morton encode                2      8 -> 4
//   Morton decode                2      8 -> 4
//   random A, c                  4      4 -> 4
