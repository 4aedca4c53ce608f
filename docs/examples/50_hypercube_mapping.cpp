// SPDX-License-Identifier: BSL-1.0

// The figures of Hou, Wang, Ku and Hsu (2001) beside ours: contention of affine traffic on a
// hypercube of 8 dimensions before and after a reordering of the processes, for one communication
// and for sets of them.

#include <array>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cube = bmmc::cube;
using bmmc::index_t;
using bmmc::permutation;

namespace {

int number(index_t x) { return static_cast<int>(x); }

std::string degrees(cube::communication const& c) {
  std::string text;
  for (unsigned j = 0; j < c.dimensions(); ++j)
    text.append(" ").append(std::to_string(cube::contention(c, j)));
  return text;
}
std::string to_text(cube::dimension_order const& order) {
  std::string text;
  for (unsigned k = 0; k < order.size(); ++k) text.append(" ").append(std::to_string(order[k]));
  return text;
}

/// Complements the coordinates of a 16 x 16 image that are named: px is bits 0..3, py bits 4..7.
permutation<8> mirror(bool px, bool py) {
  return permutation<8>(bmmc::identity_matrix<8>(), (px ? 0x0f : 0U) | (py ? 0xf0 : 0U));
}
/// The pixel (px, py) of a doubled image is (px / 2, py / 2): a scatter.
cube::communication doubling() {
  bmmc::bit_matrix<> a(8, 8);
  for (const unsigned i : {0U, 1U, 2U, 4U, 5U, 6U}) a.column[i + 1] = bmmc::bit(i);
  return cube::pull({a, 0});
}
/// Reverses the bits of one coordinate.
permutation<8> reversal(unsigned first) {
  std::array<unsigned, 8> target_of{0, 1, 2, 3, 4, 5, 6, 7};
  for (unsigned j = 0; j < 4; ++j) target_of[first + j] = first + 3 - j;
  return bmmc::bit_permutation(target_of);
}

struct named {
  char const* name;
  cube::communication traffic;
};
std::vector<named> image_library() {
  const auto transpose = bmmc::transpose<4, 4>();
  const auto after = [&](auto const& p) { return cube::push(compose(p, transpose)); };
  std::vector<named> all{{"reflect on the diagonal", cube::push(transpose)},
                         {"reflect on py = 15 - px", after(mirror(true, true))},
                         {"rotate clockwise", after(mirror(false, true))},
                         {"rotate counterclockwise", after(mirror(true, false))},
                         {"reflect on a vertical line", cube::push(mirror(true, false))},
                         {"reflect on a horizontal line", cube::push(mirror(false, true))},
                         {"rotate 180 degrees", cube::push(mirror(true, true))},
                         {"scale by 2 (scatter)", doubling()},
                         {"bit reversal, 1D FFT", cube::push(bmmc::bit_reversal<8>())},
                         {"bit reversal of rows", cube::push(reversal(0))},
                         {"bit reversal of columns", cube::push(reversal(4))}};
  static char const* const neighbour[8] = {
      "FFT neighbours, dimension 0", "FFT neighbours, dimension 1", "FFT neighbours, dimension 2",
      "FFT neighbours, dimension 3", "FFT neighbours, dimension 4", "FFT neighbours, dimension 5",
      "FFT neighbours, dimension 6", "FFT neighbours, dimension 7"};
  for (unsigned j = 0; j < 8; ++j) all.push_back({neighbour[j], cube::push(bmmc::flip<8>(j))});
  return all;
}
std::vector<cube::communication> traffic_of(std::vector<named> const& all) {
  std::vector<cube::communication> set;
  for (auto const& one : all) set.push_back(one.traffic);
  return set;
}

void print_single(char const* title, permutation<> const& p, char const* before,
                  char const* after) {
  const auto c = cube::push(p);
  const auto found = cube::find_mapping(c);
  const auto mark = [](std::string const& ours, char const* papers) {
    return ours == ' ' + std::string(papers) ? "" : "   <>";
  };
  const auto ours = degrees(c), ours_after = degrees(found.after);
  std::printf("%s\n  T per dimension        %s   paper: %s%s\n", title, ours.c_str(), before,
              mark(ours, before));
  std::printf("  order of dimensions    %s\n", to_text(found.order).c_str());
  std::printf("  T after the mapping    %s   paper: %s%s\n", ours_after.c_str(), after,
              mark(ours_after, after));
}

void print_library() {
  const auto all = image_library();
  const auto set = traffic_of(all);
  const auto worst = cube::find_mapping(set, cube::objective::worst);
  const auto together = cube::find_mapping(set, cube::objective::together);
  const auto total = cube::find_mapping(set, cube::objective::total);
  std::printf("Example 5: degree        as it is   mapped alone   one mapping for all, least\n");
  std::printf("                                                     worst  together  total\n");
  for (std::size_t k = 0; k < all.size(); ++k)
    std::printf("  %-28s %3d %14d %9d %9d %6d\n", all[k].name, number(cube::contention(set[k])),
                number(cube::contention(cube::find_mapping(set[k]).after)),
                number(cube::contention(worst.after[k])),
                number(cube::contention(together.after[k])),
                number(cube::contention(total.after[k])));
  const auto print_value = [&](char const* name, cube::objective wanted) {
    std::printf("  %-28s %3d %14s %9d %9d %6d\n", name, number(cube::evaluate(set, wanted)), "",
                number(cube::evaluate(worst.after, wanted)),
                number(cube::evaluate(together.after, wanted)),
                number(cube::evaluate(total.after, wanted)));
  };
  print_value("largest T", cube::objective::worst);
  print_value("largest sum in a dimension", cube::objective::together);
  print_value("sum of all", cube::objective::total);
  std::printf("  order for the least worst    %s\n", to_text(worst.order).c_str());
  const auto gather = cube::push(doubling().map);
  std::printf("  theorem 1, which is for what nodes send, would give scaling the degree %d\n",
              number(cube::contention(gather)));
}

void print_set(char const* title, std::vector<named> const& all,
               std::vector<char const*> const& paper) {
  const auto set = traffic_of(all);
  const auto found = cube::find_mapping(set);
  std::printf("%s\n  order of dimensions  %s\n", title, to_text(found.order).c_str());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto ours = std::to_string(cube::contention(set[k])) + " -> " +
                      std::to_string(cube::contention(found.after[k]));
    std::printf("  %-20s degree %s   paper: %s%s\n", all[k].name, ours.c_str(), paper[k],
                ours == paper[k] ? "" : "   <> another order that is as good");
  }
}

void print_times() {
  std::mt19937_64 random(1);
  for (const unsigned n : {8U, 12U, 16U, 20U}) {
    std::vector<cube::communication> set;
    for (int k = 0; k < 4; ++k) set.push_back(cube::push(bmmc::random_permutation(n, random)));
    const auto start = std::chrono::steady_clock::now();
    const auto found = cube::find_mapping(set);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("n = %2u, 4 communications: %.4f s, worst degree %d\n", n, taken.count(),
                number(found.value));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "time") == 0) {
    print_times();
    return 0;
  }
  print_single("Examples 3 and 4: matrix transpose", bmmc::transpose(4, 4), "1 2 4 8 8 4 2 1",
               "1 1 1 1 1 1 1 1");
  std::printf(
      "  paper's order           0 4 2 6 1 5 3 7 (in our copy row 3 of its Q says 7, not 6)\n");
  print_library();
  const named transpose{"matrix transpose", cube::push(bmmc::transpose<4, 4>())};
  const named reversal{"bit reversal", cube::push(bmmc::bit_reversal<8>())};
  const named flipped{"reverse-flip",
                      cube::push(compose(bmmc::vector_reversal<8>(), bmmc::bit_reversal<8>()))};
  print_set("Example 6: two communications", {transpose, reversal}, {"8 -> 2", "8 -> 1"});
  const cube::dimension_order printed{{3, 4, 0, 7, 2, 5, 1, 6}, 8};
  const auto q = cube::reordering(printed);
  std::printf("  the paper's order     3 4 0 7 2 5 1 6 gives %d and %d\n",
              number(cube::contention(cube::remapped(transpose.traffic, q))),
              number(cube::contention(cube::remapped(reversal.traffic, q))));
  print_set("Section 6.1: the mapping M-G for three", {transpose, reversal, flipped},
            {"8 -> 2", "8 -> 1", "8 -> 1"});

  const bmmc::network::hypercube net(8);
  const auto loads = bmmc::network::count_loads(net, bmmc::network::traffic_of(reversal.traffic));
  for (index_t k = 0; k < net.channels(); ++k)
    if (net.ends(k) == bmmc::network::channel_ends{8, 0})
      std::printf("Section 2.3: messages of the bit reversal from node 8 to 0: %d   paper: 8\n",
                  number(loads.channel[k].messages));
}

// Prints:
// Examples 3 and 4: matrix transpose
//   T per dimension         1 2 4 8 8 4 2 1   paper: 1 2 4 8 8 4 2 1
//   order of dimensions     0 4 2 6 1 5 3 7
//   T after the mapping     1 1 1 1 1 1 1 1   paper: 1 1 1 1 1 1 1 1
//   paper's order           0 4 2 6 1 5 3 7 (in our copy row 3 of its Q says 7, not 6)
// Example 5: degree        as it is   mapped alone   one mapping for all, least
//                                                      worst  together  total
//   reflect on the diagonal        8              1         1         1      1
//   reflect on py = 15 - px        8              1         1         1      1
//   rotate clockwise               8              1         1         1      1
//   rotate counterclockwise        8              1         1         1      1
//   reflect on a vertical line     1              1         1         1      1
//   reflect on a horizontal line   1              1         1         1      1
//   rotate 180 degrees             1              1         1         1      1
//   scale by 2 (scatter)           2              2         4         4      4
//   bit reversal, 1D FFT           8              1         2         2      2
//   bit reversal of rows           2              1         1         1      1
//   bit reversal of columns        2              1         1         1      1
//   FFT neighbours, dimension 0    1              1         1         1      1
//   FFT neighbours, dimension 1    1              1         1         1      1
//   FFT neighbours, dimension 2    1              1         1         1      1
//   FFT neighbours, dimension 3    1              1         1         1      1
//   FFT neighbours, dimension 4    1              1         1         1      1
//   FFT neighbours, dimension 5    1              1         1         1      1
//   FFT neighbours, dimension 6    1              1         1         1      1
//   FFT neighbours, dimension 7    1              1         1         1      1
//   largest T                      8                        4         4      4
//   largest sum in a dimension    46                       14        14     14
//   sum of all                   198                       95        95     95
//   order for the least worst     0 4 3 7 1 5 2 6
//   theorem 1, which is for what nodes send, would give scaling the degree 4
// Example 6: two communications
//   order of dimensions   1 5 2 6 0 4 3 7
//   matrix transpose     degree 8 -> 1   paper: 8 -> 2   <> another order that is as good
//   bit reversal         degree 8 -> 2   paper: 8 -> 1   <> another order that is as good
//   the paper's order     3 4 0 7 2 5 1 6 gives 2 and 1
// Section 6.1: the mapping M-G for three
//   order of dimensions   2 5 1 6 3 4 0 7
//   matrix transpose     degree 8 -> 2   paper: 8 -> 2
//   bit reversal         degree 8 -> 1   paper: 8 -> 1
//   reverse-flip         degree 8 -> 1   paper: 8 -> 1
// Section 2.3: messages of the bit reversal from node 8 to 0: 8   paper: 8
