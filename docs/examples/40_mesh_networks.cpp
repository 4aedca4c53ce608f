// SPDX-License-Identifier: BSL-1.0

// Orcutt's figures 3.2 and 4.1 and his decision tables, read off a running mesh machine: which
// datum each of 16 processing elements holds after each stage, and who exchanges with whom.

#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace mesh = bmmc::mesh;
using bmmc::index_t;

namespace {

int number(index_t x) { return static_cast<int>(x); }
const auto to_itself = [](index_t i) { return i; };

/// Runs a program on 16 elements; the machine keeps its exchanges.
mesh::machine run(void (*program)(mesh::machine&)) {
  mesh::machine m(4);
  m.load(to_itself);
  program(m);
  return m;
}

/// One line for each element: what it holds at first and after each stage, * where it was
/// exchanged.
void draw_network(char const* title, mesh::machine const& done) {
  std::printf("%s\n  element", title);
  for (auto const& stage : done.trace()) std::printf("   +-%-2d", number(stage.distance));
  std::printf("\n");
  mesh::machine m(4);
  m.load(to_itself);
  std::vector<std::string> line(16);
  for (auto const& stage : done.trace()) {
    m.replay({stage});
    for (index_t i = 0; i < 16; ++i) {
      const bool moved = stage.mask1[i] || stage.mask2[i];
      char text[16];
      std::snprintf(text, sizeof text, "   %2d%c", number(m[i].x.value), moved ? '*' : ' ');
      line[i] += text;
    }
  }
  for (index_t i = 0; i < 16; ++i) std::printf("  %4d   %s\n", number(i), line[i].c_str());
}

/// What a stage does to data by two bits of the element they are in: how far they are routed.
void draw_decisions(char const* title, mesh::machine const& done, auto bits_of) {
  std::printf("%s\n", title);
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      std::printf("  %d %d  ", first, second);
      unsigned stage_number = 0;
      for (auto const& stage : done.trace()) {
        const auto [a, b] = bits_of(stage_number++);
        int way = 0;
        for (index_t i = 0; i < 16; ++i)
          if (((i & bmmc::bit(a)) != 0) == first && ((i & bmmc::bit(b)) != 0) == second)
            way = stage.mask1[i] ? 1 : stage.mask2[i] ? -1 : 0;
        if (way == 0)
          std::printf("   do nothing");
        else
          std::printf("   route %+4d", way * number(stage.distance));
      }
      std::printf("\n");
    }
}

/// Table 5.1, from the first step of the general algorithm on all pairs of tags of four elements.
void draw_general_decisions() {
  std::printf("Table 5.1: bit 0 of the tags of the lower and the upper element of a pair\n");
  char const* action[2][2] = {};
  for (index_t low = 0; low < 4; ++low)
    for (index_t high = 0; high < 4; ++high) {
      if (low == high) continue;
      index_t other = 0;
      while (other == low || other == high) ++other;
      const index_t tags[4] = {low, high, other, 6 - low - high - other};
      mesh::machine m(2);
      m.load([&](index_t i) { return tags[i]; });
      const auto refused = mesh::general(m);
      action[low & 1][high & 1] = refused && refused->bit == 0                  ? "not allowed"
                                  : !m.trace().empty() && m.trace()[0].mask1[0] ? "exchange"
                                                                                : "do nothing";
    }
  for (int low = 0; low < 2; ++low)
    for (int high = 0; high < 2; ++high)
      std::printf("  %d %d     %s\n", low, high, action[low][high]);
}

}  // namespace

int main() {
  const auto shuffle = run(mesh::perfect_shuffle), reversal = run(mesh::bit_reversal);
  draw_network("Figure 3.2: perfect shuffle of 16", shuffle);
  draw_decisions("Table 3.1: bit k and bit 0, for k = 1, 2, 3", shuffle,
                 [](unsigned stage) { return std::pair(stage + 1, 0U); });
  draw_network("Figure 4.1: bit reversal of 16", reversal);
  draw_decisions("Table 4.1: bit k and bit n-1-k, for k = 0, 1", reversal,
                 [](unsigned stage) { return std::pair(stage, 3 - stage); });
  draw_general_decisions();
}

// Prints:
// Figure 3.2: perfect shuffle of 16
//   element   +-1    +-3    +-7
//      0       0     0     0
//      1       2*    4*    8*
//      2       1*    1     1
//      3       3     5*    9*
//      4       4     2*    2
//      5       6*    6    10*
//      6       5*    3*    3
//      7       7     7    11*
//      8       8     8     4*
//      9      10*   12*   12
//     10       9*    9     5*
//     11      11    13*   13
//     12      12    10*    6*
//     13      14*   14    14
//     14      13*   11*    7*
//     15      15    15    15
// Table 3.1: bit k and bit 0, for k = 1, 2, 3
//   0 0     do nothing   do nothing   do nothing
//   0 1     route   +1   route   +3   route   +7
//   1 0     route   -1   route   -3   route   -7
//   1 1     do nothing   do nothing   do nothing
// Figure 4.1: bit reversal of 16
//   element   +-7    +-2
//      0       0     0
//      1       8*    8
//      2       2     4*
//      3      10*   12*
//      4       4     2*
//      5      12*   10*
//      6       6     6
//      7      14*   14
//      8       1*    1
//      9       9     9
//     10       3*    5*
//     11      11    13*
//     12       5*    3*
//     13      13    11*
//     14       7*    7
//     15      15    15
// Table 4.1: bit k and bit n-1-k, for k = 0, 1
//   0 0     do nothing   do nothing
//   0 1     route   -7   route   -2
//   1 0     route   +7   route   +2
//   1 1     do nothing   do nothing
// Table 5.1: bit 0 of the tags of the lower and the upper element of a pair
//   0 0     not allowed
//   0 1     do nothing
//   1 0     exchange
//   1 1     not allowed
