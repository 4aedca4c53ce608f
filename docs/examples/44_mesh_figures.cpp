// SPDX-License-Identifier: BSL-1.0

// Orcutt's figures 3.1 and 5.1, the rows of his tables beside the paper's, and the queue method of
// his section VII, run on the mesh machine. A line that differs is marked with <>.

#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace mesh = bmmc::mesh;
using bmmc::bit, bmmc::index_t, bmmc::low_bits;

namespace {

int number(index_t x) { return static_cast<int>(x); }

/// The shuffle of 2 m as two shuffles of m, side by side, and exchanges by the bits 0 and k.
void figure_3_1(unsigned k) {
  const index_t m = bit(k);
  const auto half = bmmc::shuffle(k), whole = bmmc::shuffle(k + 1),
             adjust = bmmc::swap_bits(k + 1, 0, k);
  std::printf("Figure 3.1, m = %d: input -> shuffler of size m -> adjustment (+-%d) -> output\n",
              number(m), number(m - 1));
  bool same = true;
  for (index_t x = 0; x < 2 * m; ++x) {
    const index_t shuffled = (x & m) | half(x & (m - 1)), out = adjust(shuffled);
    same = same && out == whole(x);
    std::printf("  %2d -> %s %2d -> %2d %s\n", number(x), x < m ? "upper" : "lower",
                number(shuffled), number(out), out == shuffled ? "" : "exchanged");
  }
  std::printf("  the shuffler of size 2 m: %s\n", same ? "yes" : "no <>");
}

/// Where the datum of element i is after k steps: (i, d(i))^k.
void figure_5_1() {
  const auto d = [](index_t i) { return (7 * i) % 16; };  // a p-ordered vector, p = 7
  std::printf(
      "Figure 5.1: (i, d(i))^k has the k low bits of d(i) and the others of i; d(i) = 7 i\n"
      "   i  d(i)   k = 1   k = 2   k = 3   k = 4\n");
  mesh::machine m(4);
  for (index_t i = 0; i < 16; i += 5) {
    std::printf("  %2d    %2d ", number(i), number(d(i)));
    for (unsigned k = 1; k <= 4; ++k) {
      m.load(d);
      (void)mesh::general(m);
      const auto steps = m.trace();
      m.load(d);
      m.replay({steps.begin(), steps.begin() + k});
      index_t place = 0;  // where the machine has it
      while (m[place].x.value != i) ++place;
      const index_t told = mesh::place_after(k, i, d(i));
      std::printf("%6d%s", number(place), place == told ? "  " : "<>");
    }
    std::printf("\n");
  }
}

/// Rows of a decision table: two bits, and the distance that the datum is routed.
struct decision {
  int high, low, papers;  // papers: the sign of the route
};
void table(char const* title, mesh::machine const& done, unsigned stage, unsigned first,
           unsigned second, std::vector<decision> const& rows) {
  std::printf("%s\n", title);
  auto const& step = done.trace()[stage];
  for (auto const& row : rows) {
    int way = 0;
    for (index_t i = 0; i < done.size(); ++i)
      if (static_cast<int>(i >> first & 1) == row.high &&
          static_cast<int>(i >> second & 1) == row.low)
        way = step.mask1[i] ? 1 : step.mask2[i] ? -1 : 0;
    const int distance = number(step.distance);
    std::printf("  %d %d   route %+3d   paper %+3d %s\n", row.high, row.low, way * distance,
                row.papers, way * distance == row.papers ? "" : " <>");
  }
}

void tables() {
  const auto run = [](void (*program)(mesh::machine&)) {
    mesh::machine m(6);
    m.load([](index_t i) { return i; });
    program(m);
    return m;
  };
  const auto shuffled = run(mesh::perfect_shuffle), reversed = run(mesh::bit_reversal);
  table("Table 3.1, k = 3: bit k, bit 0; our copy has the distance 2^(k-1) = 4", shuffled, 2, 3, 0,
        {{0, 0, 0}, {0, 1, 4}, {1, 0, -4}, {1, 1, 0}});
  table("Table 3.1 with the program's distance, 2^k - 1 = 7", shuffled, 2, 3, 0,
        {{0, 0, 0}, {0, 1, 7}, {1, 0, -7}, {1, 1, 0}});
  table("Table 4.1, k = 1: bit k, bit n-1-k; the distance is 2^(n-1-k) - 2^k = 14", reversed, 1, 1,
        4, {{0, 0, 0}, {0, 1, -14}, {1, 0, 14}, {1, 1, 0}});
}

void lengths() {
  std::printf("Lengths: l(2^k - 1) of section III, l(2^(n-1-k) - 2^k) of IV, l(2^j) of V; n = 8\n");
  const auto length = [](index_t d) {
    return number(mesh::shortest_routes(8, static_cast<std::int64_t>(d)).length());
  };
  for (unsigned k = 0; k < 8; ++k) {
    std::printf("  %u:", k);
    const auto print = [](int ours, int papers) {
      std::printf("  %2d, paper %2d%s", ours, papers, ours == papers ? "" : " <>");
    };
    if (k > 0) print(length(bit(k) - 1), number(k < 4 ? bit(k) - 1 : bit(k - 4) + 1));
    if (k == 0) std::printf("              ");
    print(length(bit(k)), number(bit(k < 4 ? k : k - 4)));
    if (k < 4) print(length(bit(7 - k) - bit(k)), number(k < 3 ? bit(3 - k) + bit(k) : 8));
    std::printf("\n");
  }
}

void queues() {
  std::printf(
      "Queues (section VII): R = O(sqrt N), L = O(N); the most they can be beside\n"
      "             bit reversal          random permutation    bound        sorting\n"
      "  N          R      L  longest     R      L  longest     R      L     R      L\n");
  for (unsigned n = 2; n <= 12; n += 2) {
    const auto run = [n](auto const& target_of, auto program) {
      mesh::machine m(n);
      m.load(target_of);
      const std::size_t longest = program(m);
      if (!m.is_done()) std::printf("<> not done\n");
      return std::vector<int>{number(m.routes()), number(m.unit_route_count()),
                              static_cast<int>(longest)};
    };
    std::mt19937_64 random(n);
    std::vector<index_t> targets(bit(n));
    for (index_t i = 0; i < bit(n); ++i) targets[i] = i;
    for (index_t i = bit(n); i > 1; --i) std::swap(targets[i - 1], targets[random() % i]);
    const auto any = [&](index_t i) { return targets[i]; };
    const auto a = run(bmmc::bit_reversal(n), mesh::queued), b = run(any, mesh::queued);
    const auto c = run(any, [](mesh::machine& m) { return mesh::universal(m), std::size_t{1}; });
    const int root = number(bit(n / 2));
    std::printf("  2^%-2u %7d %6d %8d %5d %6d %8d %5d %6d %5d %6d\n", n, a[0], a[1], a[2], b[0],
                b[1], b[2], 4 * (root - 1),
                2 * (number(bit(n)) - 1) / 3 + static_cast<int>(n) * root / 2, c[0], c[1]);
  }
}

}  // namespace

int main() {
  figure_3_1(2);
  figure_5_1();
  tables();
  lengths();
  queues();
}

// Prints:
// Figure 3.1, m = 4: input -> shuffler of size m -> adjustment (+-3) -> output
//    0 -> upper  0 ->  0
//    1 -> upper  2 ->  2
//    2 -> upper  1 ->  4 exchanged
//    3 -> upper  3 ->  6 exchanged
//    4 -> lower  4 ->  1 exchanged
//    5 -> lower  6 ->  3 exchanged
//    6 -> lower  5 ->  5
//    7 -> lower  7 ->  7
//   the shuffler of size 2 m: yes
// Figure 5.1: (i, d(i))^k has the k low bits of d(i) and the others of i; d(i) = 7 i
//    i  d(i)   k = 1   k = 2   k = 3   k = 4
//    0     0      0       0       0       0
//    5     3      5       7       3       3
//   10     6     10      10      14       6
//   15     9     15      13       9       9
// Table 3.1, k = 3: bit k, bit 0; our copy has the distance 2^(k-1) = 4
//   0 0   route  +0   paper  +0
//   0 1   route  +7   paper  +4  <>
//   1 0   route  -7   paper  -4  <>
//   1 1   route  +0   paper  +0
// Table 3.1 with the program's distance, 2^k - 1 = 7
//   0 0   route  +0   paper  +0
//   0 1   route  +7   paper  +7
//   1 0   route  -7   paper  -7
//   1 1   route  +0   paper  +0
// Table 4.1, k = 1: bit k, bit n-1-k; the distance is 2^(n-1-k) - 2^k = 14
//   0 0   route  +0   paper  +0
//   0 1   route -14   paper -14
//   1 0   route +14   paper +14
//   1 1   route  +0   paper  +0
// Lengths: l(2^k - 1) of section III, l(2^(n-1-k) - 2^k) of IV, l(2^j) of V; n = 8
//   0:                 1, paper  1   9, paper  9
//   1:   1, paper  1   2, paper  2   6, paper  6
//   2:   3, paper  3   4, paper  4   6, paper  6
//   3:   7, paper  7   8, paper  8   8, paper  8
//   4:   2, paper  2   1, paper  1
//   5:   3, paper  3   2, paper  2
//   6:   5, paper  5   4, paper  4
//   7:   9, paper  9   8, paper  8
// Queues (section VII): R = O(sqrt N), L = O(N); the most they can be beside
//              bit reversal          random permutation    bound        sorting
//   N          R      L  longest     R      L  longest     R      L     R      L
//   2^2        4      4        2     4      4        1     4      4    12     12
//   2^4       12     18        4    12     18        4    12     18    40     56
//   2^6       28     66        8    24     56        3    28     66    84    172
//   2^8       60    234       16    36    132        4    60    234   144    448
//   2^10     124    842       32    50    292        5   124    842   220   1076
//   2^12     252   3114       64    82    776        7   252   3114   312   2472
