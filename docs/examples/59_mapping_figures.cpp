// SPDX-License-Identifier: BSL-1.0

// Figures 1, 2, 4 and 8 of Hou et al., "Optimal Processor Mapping for Linear-Complement
// Communication on Hypercubes" (2001), computed by the library. A line that differs from what the
// paper states is marked with <>.

#include <algorithm>
#include <array>
#include <bit>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

using bmmc::bit, bmmc::index_t, bmmc::permutation;
namespace cube = bmmc::cube;

int number(index_t x) { return static_cast<int>(x); }

/// Figure 1: virtual processor x runs on physical processor f(x) and sends to f(reverse(x)).
void figure_1() {
  const auto reverse = bmmc::bit_reversal(4);
  const auto f = cube::find_mapping(cube::push(reverse)).q;
  std::printf("Figure 1: bit reversal of 16 processors\n  to_physical[]");
  for (index_t v = 0; v < 16; ++v) std::printf(" %2d", number(f(v)));
  std::printf("\n  to_virtual[] ");
  for (index_t p = 0; p < 16; ++p) std::printf(" %2d", number(inverse(f)(p)));
  std::printf("\n  (b) sends to ");
  for (index_t x = 0; x < 16; ++x) std::printf(" %2d", number(reverse(x)));
  std::printf("\n  (c) sends to ");
  bool same = true;
  for (index_t y = 0; y < 16; ++y) {
    const index_t c = f(reverse(inverse(f)(y)));
    std::printf(" %2d", number(c));
    same = same && f(reverse(inverse(f)(y))) == bmmc::network::in_place(f)[reverse(inverse(f)(y))];
  }
  std::printf("\n  (d), by the two tables, sends to the same: %s\n", same ? "yes" : "no <>");
}

/// Figure 2: x -> y by A, b; x' = Q x, y' = Q y; and x' -> y' by Q A Q^-1, Q b.
void figure_2() {
  const permutation<> a(bmmc::bit_reversal(4).matrix(), 0b0011);
  const auto found = cube::find_mapping(cube::push(a));
  std::printf("Figure 2: y = A x + b, x' = Q x, y' = Q y, and y' = Q A Q^-1 x' + Q b\n");
  bool commutes = true;
  for (index_t x = 0; x < 16; ++x) {
    const index_t y = a(x), way = found.after.map(found.q(x));
    commutes = commutes && way == found.q(y);
    if (x % 5 == 1)
      std::printf("  x = %2d -> y = %2d;  x' = %2d -> y' = %2d;  Q y = %2d\n", number(x), number(y),
                  number(found.q(x)), number(way), number(found.q(y)));
  }
  std::printf("  the diagram commutes for all 16: %s\n", commutes ? "yes" : "no <>");
}

/// Figure 4: the best order of each set of dimensions, from those of its subsets.
void figure_4() {
  const std::array set{cube::push(bmmc::bit_reversal(4)), cube::push(bmmc::transpose(2, 2))};
  struct best {
    std::string order{};
    index_t value = 0;
  };
  std::map<index_t, best> found{{0, {}}};
  int searches = 0;
  std::printf("Figure 4: R(S) for bit reversal and transpose, the largest T of both behind it\n");
  for (int size = 1; size <= 4; ++size) {
    std::printf(" ");
    for (index_t s = 1; s < 16; ++s) {
      if (std::popcount(s) != size) continue;
      best here{"", ~index_t{0}};
      for (unsigned j = 0; j < 4; ++j) {
        if ((s & bit(j)) == 0) continue;
        ++searches;
        best tried = found[s & ~bit(j)];
        for (auto const& c : set)
          tried.value = std::max(tried.value, cube::contention(c, s & ~bit(j), j));
        tried.order += std::to_string(j);
        if (tried.value < here.value) here = tried;
      }
      found[s] = here;
      std::printf("  (%s):%d", here.order.c_str(), number(here.value));
    }
    std::printf("\n");
  }
  const auto mapping = cube::find_mapping(std::span<cube::communication const>(set));
  std::printf("  searches: %d, the paper n 2^(n-1) = 32%s; least degree %d, the library's %d%s\n",
              searches, searches == 32 ? "" : " <>", number(found[15].value), number(mapping.value),
              found[15].value == mapping.value ? "" : " <>");
}

/// Figure 8: which inputs meet in each stage of a 16-point FFT.
void figure_8() {
  std::printf(
      "Figure 8: 16-point FFT; inputs in bit-reversed order, then the pairs of each stage\n ");
  const auto reverse = bmmc::bit_reversal(4);
  for (index_t x = 0; x < 16; ++x) std::printf(" %2d", number(reverse(x)));
  std::printf("\n");
  for (unsigned stage = 1; stage <= 4; ++stage) {
    std::printf("  stage %u:", stage);
    for (index_t x = 0; x < 16; ++x)
      if ((x & bit(stage - 1)) == 0) std::printf(" %d-%d", number(x), number(x ^ bit(stage - 1)));
    std::printf("\n");
  }
  std::printf("  on 4 processes (d = 1): stages 1 and 4 inside, 2 and 3 with neighbours\n");
  const auto plan = bmmc::make_plan(reverse, bmmc::layout::banded(1), 4);
  std::printf(
      "  the reversal sends %d message of %d elements, to the reversed process: %d %d %d %d\n",
      number(plan.messages()), number(plan.message_elements()), number(plan.target(0, 0)),
      number(plan.target(1, 0)), number(plan.target(2, 0)), number(plan.target(3, 0)));
}

/// Section 6.1: the orders that give matrix transpose the degree 2 and the two reversals 1.
class orders_for_three {
 public:
  void search(std::vector<unsigned> const& order = {}, index_t before = 0) {
    if (order.size() == 8) {
      ++count_;
      last_ = order;
      std::string degrees;
      for (unsigned k = 0; k < 8; ++k) {
        index_t earlier = 0;
        for (unsigned i = 0; i < k; ++i) earlier |= bit(order[i]);
        degrees += ' ' + std::to_string(cube::contention(set_[0], earlier, order[k]));
      }
      ++degrees_[degrees];
    }
    for (unsigned j = 0; j < 8; ++j) {
      if ((before & bit(j)) != 0 || cube::contention(set_[0], before, j) > 2 ||
          cube::contention(set_[1], before, j) > 1 || cube::contention(set_[2], before, j) > 1)
        continue;
      auto longer = order;
      longer.push_back(j);
      search(longer, before | bit(j));
    }
  }
  void print() {
    search();
    std::printf("Section 6.1: %d orders have the degrees 2, 1 and 1; T of the transpose:", count_);
    for (auto const& [degrees, orders] : degrees_) std::printf("%s in %d", degrees.c_str(), orders);
    const auto printed = throughput({{3, 4, 0, 7, 2, 5, 1, 6}, 8});
    cube::dimension_order other{{}, 8};
    for (unsigned k = 0; k < 8; ++k) other[k] = last_[k];
    std::printf(
        "\n  the transpose carries %.3f flits per cycle and processor in the order of\n"
        "  example 6, %.3f in the last of all orders;\n"
        "  paper about 0.3 <> open, but not by the order\n",
        printed, throughput(other));
  }

 private:
  static double throughput(cube::dimension_order const& order) {
    const auto traffic = bmmc::wormhole::relocated(bmmc::transpose(4, 4), cube::reordering(order));
    return saturation(bmmc::wormhole::sweep(
        [&](double load) {
          return measure(8, bmmc::wormhole::e_cube{}, traffic,
                         bmmc::wormhole::load{load, 20, 1000, 4000, 1});
        },
        0.02, 1.15, 4));
  }
  std::array<cube::communication, 3> set_{
      cube::push(bmmc::transpose(4, 4)), cube::push(bmmc::bit_reversal(8)),
      cube::push(compose(bmmc::vector_reversal(8), bmmc::bit_reversal(8)))};
  int count_ = 0;
  std::vector<unsigned> last_{};
  std::map<std::string, int> degrees_{};
};

}  // namespace

int main() {
  figure_1();
  figure_2();
  figure_4();
  figure_8();
  orders_for_three{}.print();
}

// Prints:
// Figure 1: bit reversal of 16 processors
//   to_physical[]  0  1  8  9  4  5 12 13  2  3 10 11  6  7 14 15
//   to_virtual[]   0  1  8  9  4  5 12 13  2  3 10 11  6  7 14 15
//   (b) sends to   0  8  4 12  2 10  6 14  1  9  5 13  3 11  7 15
//   (c) sends to   0  2  1  3  8 10  9 11  4  6  5  7 12 14 13 15
//   (d), by the two tables, sends to the same: yes
// Figure 2: y = A x + b, x' = Q x, y' = Q y, and y' = Q A Q^-1 x' + Q b
//   x =  1 -> y = 11;  x' =  1 -> y' = 11;  Q y = 11
//   x =  6 -> y =  5;  x' = 12 -> y' =  5;  Q y =  5
//   x = 11 -> y = 14;  x' = 11 -> y' = 14;  Q y = 14
//   the diagram commutes for all 16: yes
// Figure 4: R(S) for bit reversal and transpose, the largest T of both behind it
//    (0):1  (1):1  (2):1  (3):1
//    (10):2  (20):2  (21):2  (30):2  (31):2  (32):2
//    (210):2  (310):2  (320):2  (321):2
//    (3210):2
//   searches: 32, the paper n 2^(n-1) = 32; least degree 2, the library's 2
// Figure 8: 16-point FFT; inputs in bit-reversed order, then the pairs of each stage
//    0  8  4 12  2 10  6 14  1  9  5 13  3 11  7 15
//   stage 1: 0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15
//   stage 2: 0-2 1-3 4-6 5-7 8-10 9-11 12-14 13-15
//   stage 3: 0-4 1-5 2-6 3-7 8-12 9-13 10-14 11-15
//   stage 4: 0-8 1-9 2-10 3-11 4-12 5-13 6-14 7-15
//   on 4 processes (d = 1): stages 1 and 4 inside, 2 and 3 with neighbours
//   the reversal sends 1 message of 4 elements, to the reversed process: 0 2 1 3
// Section 6.1: 128 orders have the degrees 2, 1 and 1; T of the transpose: 1 2 2 1 1 2 2 1 in 128
//   the transpose carries 0.356 flits per cycle and processor in the order of
//   example 6, 0.356 in the last of all orders;
//   paper about 0.3 <> open, but not by the order
