// SPDX-License-Identifier: BSL-1.0

// The figure, the worked example and the counts of Cormen, "Performing BMMC Permutations
// Efficiently on Distributed-Memory Multiprocessors with MPI" (1997), computed by the library
// beside what the paper prints. A line that differs is marked with <>.

#include <array>
#include <bit>
#include <bmmc/planning.hpp>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace bmmc;

/// Two texts side by side, line by line, marked where they differ.
void beside(std::string const& title, std::string const& ours, std::string const& papers) {
  std::cout << title << "; here, and in the paper\n";
  std::istringstream left(ours), right(papers);
  for (std::string a, b; std::getline(left, a) && std::getline(right, b);)
    std::cout << "  " << std::left << std::setw(32) << a << "  " << b << std::right
              << (a == b ? "" : "   <>") << '\n';
}
std::string rows(bit_matrix<> const& a) {
  std::string text;
  for (unsigned i = 0; i < a.rows(); ++i) {
    for (unsigned j = 0; j < a.cols(); ++j) {
      text += entry(a, i, j) ? '1' : '0';
      text += j + 1 < a.cols() ? ' ' : '\n';
    }
  }
  return text;
}
bit_matrix<4> from_columns(std::array<index_t, 4> columns) { return {columns}; }

void figure_1() {
  const std::array<char const*, 4> printed{
      "0 1 2 3\n4 5 6 7\n8 9 10 11\n12 13 14 15\n16 17 18 19\n20 21 22 23\n24 25 26 27\n"
      "28 29 30 31\n",
      "0 2 4 6\n1 3 5 7\n8 10 12 14\n9 11 13 15\n16 18 20 22\n17 19 21 23\n24 26 28 30\n"
      "25 27 29 31\n",
      "0 4 8 12\n1 5 9 13\n2 6 10 14\n3 7 11 15\n16 20 24 28\n17 21 25 29\n18 22 26 30\n"
      "19 23 27 31\n",
      "0 8 16 24\n1 9 17 25\n2 10 18 26\n3 11 19 27\n4 12 20 28\n5 13 21 29\n6 14 22 30\n"
      "7 15 23 31\n"};
  for (unsigned f = 4; f-- > 0;) {
    std::string text;
    for (index_t offset = 0; offset < 8; ++offset)
      for (index_t proc = 0; proc < 4; ++proc)
        text += std::to_string(layout::index_at(layout::banded(f), 5, 4, {proc, offset})) +
                (proc < 3 ? ' ' : '\n');
    beside("Figure 1, f = " + std::to_string(f) + ": index by offset and processor", text,
           printed[f]);
  }
}

void section_3() {
  const auto a = from_columns({0b0101, 0b1110, 0b0011, 0b1001});
  const auto m = from_columns({0b0001, 0b1011, 0b0101, 0b1000});
  std::cout << "Section 3: A =\n" << rows(a) << "M =\n" << rows(m);
  beside("A' = A M", rows(a * m), "1 0 0 1\n0 1 1 0\n1 0 1 0\n0 0 0 1\n");
}

/// A = V W with the forms of section 4, for a permutation of 32 elements on 4 processors.
void section_4() {
  const auto p = compose(bit_reversal(5), gray_encode(5));
  const auto f = factor(p.matrix(), 2);
  std::cout << "Section 4, Gray code and then bit reversal, n = 5, p = 2: rank gamma = " << f.rank
            << "\nT, trailer:\n"
            << f.trailer << "R, reducer:\n"
            << f.reducer << "swapper:\n"
            << f.swapper << "V = A T R Pi (equation 3):\n"
            << f.v << "W:\n"
            << f.w;
  std::cout << "A = V W: " << (f.v * f.w == p.matrix() ? "yes" : "no <>") << '\n';
  const auto plan = make_plan(p, layout::processor_major{}, 4);
  std::cout << "Lemma 3: 2^rank gamma = 4 targets of N / (2^rank P) = 2 elements; here "
            << plan.messages() << " of " << plan.message_elements() << '\n';
  std::cout << "Equations 4 and 5, target <- processor <- source in each round\n";
  for (index_t b = 0; b < plan.messages(); ++b)
    std::cout << "  b = " << b << ": " << plan.target(1, b) << " <- 1 <- " << plan.source(1, b)
              << '\n';
}

void appendix_b() {
  std::cout << "Appendix B: bits looked at in N increments; the printed sum; its bound 2 N\n";
  for (unsigned n : {4U, 8U, 16U}) {
    index_t looked_at = 0, sum = 0;
    for (index_t j = 1; j <= bit(n); ++j)
      looked_at += static_cast<index_t>(std::countr_zero(j)) + 1;
    for (index_t i = 0; i < n; ++i) sum += i * (bit(n) >> i);
    std::cout << "  N = 2^" << std::setw(2) << n << ": " << std::setw(6) << looked_at << "; "
              << std::setw(6) << sum << " <> " << looked_at - sum << " too small; " << std::setw(6)
              << 2 * bit(n) << (looked_at <= 2 * bit(n) ? ", holds\n" : " <>\n");
  }
}

void appendix_c() {
  // the labels as printed would make a 2 x 8 matrix out of the transposition of an 8 x 2 one
  beside("Appendix C: transpose of a 2 x 8 matrix", rows(transpose(1, 3).matrix()),
         "0 1 0 0\n0 0 1 0\n0 0 0 1\n1 0 0 0\n");
  beside("Equation 6: Gray code, N = 64", rows(gray_encode(6).matrix()),
         "1 1 0 0 0 0\n0 1 1 0 0 0\n0 0 1 1 0 0\n0 0 0 1 1 0\n0 0 0 0 1 1\n0 0 0 0 0 1\n");
}

}  // namespace

int main() {
  figure_1();
  section_3();
  section_4();
  appendix_b();
  appendix_c();
}

// Prints:
// Figure 1, f = 3: index by offset and processor; here, and in the paper
//   0 8 16 24                         0 8 16 24
//   1 9 17 25                         1 9 17 25
//   2 10 18 26                        2 10 18 26
//   3 11 19 27                        3 11 19 27
//   4 12 20 28                        4 12 20 28
//   5 13 21 29                        5 13 21 29
//   6 14 22 30                        6 14 22 30
//   7 15 23 31                        7 15 23 31
// Figure 1, f = 2: index by offset and processor; here, and in the paper
//   0 4 8 12                          0 4 8 12
//   1 5 9 13                          1 5 9 13
//   2 6 10 14                         2 6 10 14
//   3 7 11 15                         3 7 11 15
//   16 20 24 28                       16 20 24 28
//   17 21 25 29                       17 21 25 29
//   18 22 26 30                       18 22 26 30
//   19 23 27 31                       19 23 27 31
// Figure 1, f = 1: index by offset and processor; here, and in the paper
//   0 2 4 6                           0 2 4 6
//   1 3 5 7                           1 3 5 7
//   8 10 12 14                        8 10 12 14
//   9 11 13 15                        9 11 13 15
//   16 18 20 22                       16 18 20 22
//   17 19 21 23                       17 19 21 23
//   24 26 28 30                       24 26 28 30
//   25 27 29 31                       25 27 29 31
// Figure 1, f = 0: index by offset and processor; here, and in the paper
//   0 1 2 3                           0 1 2 3
//   4 5 6 7                           4 5 6 7
//   8 9 10 11                         8 9 10 11
//   12 13 14 15                       12 13 14 15
//   16 17 18 19                       16 17 18 19
//   20 21 22 23                       20 21 22 23
//   24 25 26 27                       24 25 26 27
//   28 29 30 31                       28 29 30 31
// Section 3: A =
// 1 0 1 1
// 0 1 1 0
// 1 1 0 0
// 0 1 0 1
// M =
// 1 1 1 0
// 0 1 0 0
// 0 0 1 0
// 0 1 0 1
// A' = A M; here, and in the paper
//   1 0 0 1                           1 0 0 1
//   0 1 1 0                           0 1 1 0
//   1 0 1 0                           1 0 1 0
//   0 0 0 1                           0 0 0 1
// Section 4, Gray code and then bit reversal, n = 5, p = 2: rank gamma = 2
// T, trailer:
// 1 . . . .
// . 1 . . 1
// . . 1 1 1
// . . . 1 .
// . . . . 1
// R, reducer:
// 1 . . . .
// 1 1 . . .
// 1 . 1 . .
// . . . 1 .
// . . . . 1
// swapper:
// 1 . . . .
// . 1 . . .
// . . 1 . .
// . . . 1 .
// . . . . 1
// V = A T R Pi (equation 3):
// . . . . 1
// . . . 1 1
// 1 . 1 . 1
// . 1 1 1 .
// . 1 . . 1
// W:
// 1 . . . .
// 1 1 . . 1
// 1 . 1 1 1
// . . . 1 .
// . . . . 1
// A = V W: yes
// Lemma 3: 2^rank gamma = 4 targets of N / (2^rank P) = 2 elements; here 4 of 2
// Equations 4 and 5, target <- processor <- source in each round
//   b = 0: 1 <- 1 <- 1
//   b = 1: 2 <- 1 <- 2
//   b = 2: 0 <- 1 <- 0
//   b = 3: 3 <- 1 <- 3
// Appendix B: bits looked at in N increments; the printed sum; its bound 2 N
//   N = 2^ 4:     31;     22 <> 9 too small;     32, holds
//   N = 2^ 8:    511;    494 <> 17 too small;    512, holds
//   N = 2^16: 131071; 131038 <> 33 too small; 131072, holds
// Appendix C: transpose of a 2 x 8 matrix; here, and in the paper
//   0 0 0 1                           0 1 0 0   <>
//   1 0 0 0                           0 0 1 0   <>
//   0 1 0 0                           0 0 0 1   <>
//   0 0 1 0                           1 0 0 0   <>
// Equation 6: Gray code, N = 64; here, and in the paper
//   1 1 0 0 0 0                       1 1 0 0 0 0
//   0 1 1 0 0 0                       0 1 1 0 0 0
//   0 0 1 1 0 0                       0 0 1 1 0 0
//   0 0 0 1 1 0                       0 0 0 1 1 0
//   0 0 0 0 1 1                       0 0 0 0 1 1
//   0 0 0 0 0 1                       0 0 0 0 0 1
