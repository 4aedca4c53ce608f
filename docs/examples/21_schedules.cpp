// SPDX-License-Identifier: BSL-1.0

// Element transfers in sequence: what the theorems of Johnsson and Ho (1990) promise, and what a
// checked schedule on a hypercube takes. K elements on each node, all channels usable in each step.

#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <iomanip>
#include <iostream>

namespace {

using namespace bmmc;

unsigned up(unsigned a, unsigned b) { return (a + b - 1) / b; }  // a / b, rounded up

/// Steps of a schedule that has been checked: no channel twice in a step, every element arrives.
std::string checked(schedule const& s, permutation<> const& p) {
  const auto fault = fault_of(s, p);
  return fault.empty() ? std::to_string(s.steps()) + " steps" : fault;
}
void line(char const* what, unsigned promised, std::string const& found) {
  std::cout << "  " << std::left << std::setw(44) << what << std::right << std::setw(4) << promised
            << ": " << found << '\n';
}

/// From one Gray coded axis of 2^n elements to the axes of another shape, on 2^n nodes.
permutation<> split(unsigned n, std::initializer_list<unsigned> shape) {
  return reshape(array_layout::over({n}, low_bits(n), axis_code::gray),
                 array_layout::over(shape, low_bits(n), axis_code::gray))
      .map;
}

}  // namespace

int main() {
  const auto p = split(6, {1, 2, 2, 1});
  const auto d = changed_dimensions(p);
  const unsigned delta = d.size();
  std::cout << "2^6 to 2 x 4 x 4 x 2 on 64 nodes: communication in the dimensions " << d << '\n';
  for (unsigned k : {12U, 24U, 60U}) {
    std::cout << "K = " << k << ": lower bound " << fewest_steps(k)
              << " (theorem 1); promised and found:\n";
    line("one dimension after the other", delta * k, checked(sequential_schedule(p, k, d), p));
    line("pipelined, K + delta - 1", k + delta - 1, checked(pipelined_schedule(p, k, d), p));
    line("theorem 2, delta ceil(K / delta)", delta * up(k, delta),
         checked(concurrent_schedule(p, k, d), p));
    line("theorem 3, delta ceil(K / (2 delta)) + 1", delta * up(k, 2 * delta) + 1,
         checked(square_schedule(p, k, d), p));
    if (k == 24)
      line("  the schedule in its proof", delta * up(k, 2 * delta) + 1,
           checked(detail::square_schedule_as_printed(p, k, d), p));
  }

  const auto q = split(6, {3, 1, 2});  // two neighbouring dimensions: theorem 3 says nothing
  std::cout << "2^6 to 8 x 2 x 4 on 64 nodes: communication in the dimensions "
            << changed_dimensions(q) << ", spare dimensions 4 5\n";
  for (unsigned k : {4U, 24U})
    line("theorem 4, ceil(K / 2) + 2 delta - 1", up(k, 2) + 3,
         checked(two_path_schedule(q, k, {1, 2}, {4, 5}), q));
  for (unsigned k : {4U, 24U})
    line("  by two paths of equal length", up(k, 2) + 3,
         checked(equal_paths_schedule(q, k, {1, 2}, {4, 5}), q));
  line("  with one spare dimension for both", up(24, 2) + 3,
       checked(two_path_schedule(q, 24, {1, 2}, {5, 5}), q));

  std::cout << "Gray code to binary code on 32 nodes, K = 12\n";
  line("theorem 5, (n - 1) ceil(K / (n - 1))", 4 * up(12, 4),
       checked(concurrent_schedule(gray_decode(5), 12, {0, 1, 2, 3}), gray_decode(5)));
  line("corollary 3, in another order", 4 * up(12, 4),
       checked(concurrent_schedule(gray_decode(5), 12, {2, 0, 3, 1}), gray_decode(5)));

  std::cout << "Gray code to binary code on 8 nodes, conjecture 1: at least 2 K / 3\n";
  for (unsigned k : {60U, 240U})
    line(k == 60 ? "K = 60" : "K = 240", 2 * k / 3,
         checked(three_cube_schedule(k), gray_decode(3)));
  std::cout
      << "Gray code to binary code on 16 nodes, conjecture 1: at least 3 K / 4; it is at least\n"
         "3 K / 5 for all n >= 3\n";
  for (unsigned k : {120U, 240U})
    line(k == 120 ? "K = 120" : "K = 240", 3 * k / 4,
         checked(four_cube_schedule(k), gray_decode(4)));
}

// Prints:
// 2^6 to 2 x 4 x 4 x 2 on 64 nodes: communication in the dimensions 0 2 4
// K = 12: lower bound 6 (theorem 1); promised and found:
//   one dimension after the other                 36: 36 steps
//   pipelined, K + delta - 1                      14: 14 steps
//   theorem 2, delta ceil(K / delta)              12: 12 steps
//   theorem 3, delta ceil(K / (2 delta)) + 1       7: 7 steps
// K = 24: lower bound 12 (theorem 1); promised and found:
//   one dimension after the other                 72: 72 steps
//   pipelined, K + delta - 1                      26: 26 steps
//   theorem 2, delta ceil(K / delta)              24: 24 steps
//   theorem 3, delta ceil(K / (2 delta)) + 1      13: 13 steps
//     the schedule in its proof                   13: 144 channels are used twice in a step
// K = 60: lower bound 30 (theorem 1); promised and found:
//   one dimension after the other                180: 180 steps
//   pipelined, K + delta - 1                      62: 62 steps
//   theorem 2, delta ceil(K / delta)              60: 60 steps
//   theorem 3, delta ceil(K / (2 delta)) + 1      31: 31 steps
// 2^6 to 8 x 2 x 4 on 64 nodes: communication in the dimensions 1 2, spare dimensions 4 5
//   theorem 4, ceil(K / 2) + 2 delta - 1           5: 5 steps
//   theorem 4, ceil(K / 2) + 2 delta - 1          15: 15 steps
//     by two paths of equal length                 5: 5 steps
//     by two paths of equal length                15: 15 steps
//     with one spare dimension for both           15: 448 channels are used twice in a step
// Gray code to binary code on 32 nodes, K = 12
//   theorem 5, (n - 1) ceil(K / (n - 1))          12: 12 steps
//   corollary 3, in another order                 12: 12 steps
// Gray code to binary code on 8 nodes, conjecture 1: at least 2 K / 3
//   K = 60                                        40: 38 steps
//   K = 240                                      160: 146 steps
// Gray code to binary code on 16 nodes, conjecture 1: at least 3 K / 4; it is at least
// 3 K / 5 for all n >= 3
//   K = 120                                       90: 81 steps
//   K = 240                                      180: 153 steps
