// SPDX-License-Identifier: BSL-1.0

// The figures of Johnsson and Ho, "The complexity of reshaping arrays on Boolean cubes" (1990), and
// the factorings of Edelman, Heller and Johnsson, "Index transformation algorithms in a linear
// algebra framework" (1994), computed by the library. Figures 1 and 2 are rebuilt from the
// definitions. Figures 3 to 5 are compared with the numbers printed in the paper.

#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <iomanip>
#include <iostream>
#include <vector>

namespace {

using namespace bmmc;

std::string binary(index_t x, unsigned n) {
  std::string text;
  for (unsigned j = n; j-- > 0;) text += ((x >> j) & 1) != 0 ? '1' : '0';
  return text;
}

/// What every address holds, and its controlling bit, while exchanges are done one by one.
struct stage {
  std::vector<index_t> control, held;  // by address: control before the exchange, held after it
};
std::vector<stage> stages(unsigned n, exchange_list const& program) {
  std::vector<index_t> held(bit(n));  // address G(i) holds i
  for (index_t i = 0; i < bit(n); ++i) held[gray_encode(n)(i)] = i;
  std::vector<stage> all;
  for (conditional_exchange const& e : program) {
    stage s{std::vector<index_t>(bit(n)), std::vector<index_t>(bit(n))};
    for (index_t address = 0; address < bit(n); ++address) {
      s.control[address] = held[address] >> (e.dimension + 1) & 1;
      s.held[e(address)] = held[address];
    }
    held = s.held;
    all.push_back(s);
  }
  return all;
}

/// One row for each index i: i, its address, and after each exchange (the control and) the index
/// that is at this address. Compared with the numbers in the paper, row by row.
/// The programs of section 4 are told by the dimension that they start with.
void table(unsigned n, std::vector<unsigned> const& starts, bool controls,
           std::vector<std::vector<index_t>> const& printed) {
  std::vector<std::vector<stage>> all;
  std::vector<exchange_list> programs;
  for (unsigned first : starts) programs.push_back(gray_to_binary_program(n, first));
  for (auto const& program : programs) all.push_back(stages(n, program));
  std::cout << " i  " << std::string(n - 1, ' ') << "address";
  for (auto const& program : programs) {
    std::cout << " |";
    for (auto const& [d, row, flip] : program)
      std::cout << (controls ? "  b" : "") << (controls ? std::to_string(d + 1) : "") << " dim"
                << d;
  }
  std::cout << '\n';
  unsigned differ = 0;
  for (index_t i = 0; i < bit(n); ++i) {
    const index_t address = gray_encode(n)(i);
    std::cout << std::setw(2) << i << "  " << std::string(6, ' ') << binary(address, n);
    std::vector<index_t> row;
    for (auto const& sequence : all) {
      std::cout << " |";
      for (auto const& s : sequence) {
        if (controls) {
          std::cout << std::setw(4) << s.control[address];
          row.push_back(s.control[address]);
        }
        std::cout << std::setw(5) << s.held[address];
        row.push_back(s.held[address]);
      }
    }
    std::cout << '\n';
    for (std::size_t k = 0; k < row.size(); ++k)
      if (row[k] != printed[i][k]) {
        ++differ;
        std::cout << "   <> " << row[k] << " here, " << printed[i][k] << " in the paper, column "
                  << k + 1 << " of the numbers\n";
      }
  }
  std::cout << (differ == 0 ? "All numbers are those of the paper.\n\n" : "\n");
}

void figure_1() {
  std::cout
      << "Figure 1: from 1 x 16 to 4 x 4, both in Gray code. Each cell is an address; its row\n"
         "is the high half and its column the low half, in Gray code order. It holds the\n"
         "index before -> after; only indices with b2 = 1 move, across dimension 1.\n";
  const auto r = reshape(array_layout::over({4}, low_bits(4), axis_code::gray),
                         array_layout::over({2, 2}, low_bits(4), axis_code::gray));
  const auto before = inverse(r.source.physical()), after = inverse(r.target.physical());
  for (index_t row = 0; row < 4; ++row) {
    for (index_t col = 0; col < 4; ++col) {
      const index_t address = gray_encode(2)(row) << 2 | gray_encode(2)(col);
      std::cout << "  " << std::setw(2) << before(address) << " -> " << std::setw(2)
                << after(address);
    }
    std::cout << '\n';
  }
  std::cout << '\n';
}

void figure_2() {
  std::cout << "Figure 2: the axes of U = (2^5, 2^2, 2^4, 2^3) and V = (2^3, 2^2, 2^4, 2^5); the\n"
               "highest dimension of an axis has a star where only one of the two shapes has it.\n";
  const array_layout u = array_layout::over({5, 2, 4, 3}, low_bits(14), axis_code::gray);
  const array_layout v = array_layout::over({3, 2, 4, 5}, low_bits(14), axis_code::gray);
  const index_t changed = reshape(u, v).changed;
  for (auto const* a : {&u, &v}) {
    std::cout << (a == &u ? "  U  " : "  V  ");
    for (unsigned k = 0; k < a->axes().size(); ++k) {
      const unsigned low = a->lowest_bit(k);
      for (unsigned d = low + a->axes()[k].bits; d-- > low;)
        std::cout << std::setw(3) << d
                  << (((changed >> d) & 1) != 0 && d + 1 == low + a->axes()[k].bits ? '*' : ' ');
      std::cout << (k + 1 < a->axes().size() ? " |" : "\n");
    }
  }
  std::cout << "  D = {";
  for (unsigned d = 14; d-- > 0;)
    if (((changed >> d) & 1) != 0) std::cout << ' ' << d;
  std::cout << " }\n\n";
}

void figures_3_to_5() {
  std::cout << "Figure 3: 8 elements to 2 x 2 x 2, in two orders of the dimensions.\n";
  table(3, {1, 0}, true,
        {{0, 0, 0, 0, 0, 0, 0, 0},
         {0, 1, 0, 1, 0, 1, 0, 1},
         {0, 2, 1, 3, 1, 3, 0, 3},
         {0, 3, 1, 2, 1, 2, 0, 2},
         {1, 7, 1, 6, 0, 4, 1, 6},
         {1, 6, 1, 7, 0, 5, 1, 7},
         {1, 5, 0, 5, 1, 7, 1, 5},
         {1, 4, 0, 4, 1, 6, 1, 4}});
  std::cout << "Figure 4: from Gray code to binary code, the highest dimension first.\n";
  table(4, {2}, true,
        {{0, 0, 0, 0, 0, 0},
         {0, 1, 0, 1, 0, 1},
         {0, 2, 0, 2, 1, 3},
         {0, 3, 0, 3, 1, 2},
         {0, 4, 1, 7, 1, 6},
         {0, 5, 1, 6, 1, 7},
         {0, 6, 1, 5, 0, 5},
         {0, 7, 1, 4, 0, 4},
         {1, 15, 1, 12, 0, 12},
         {1, 14, 1, 13, 0, 13},
         {1, 13, 1, 14, 1, 15},
         {1, 12, 1, 15, 1, 14},
         {1, 11, 0, 11, 1, 10},
         {1, 10, 0, 10, 1, 11},
         {1, 9, 0, 9, 0, 9},
         {1, 8, 0, 8, 0, 8}});
  std::cout << "Figure 5: the same, from three starting dimensions: the parts of a concurrent "
               "conversion.\n";
  table(4, {2, 1, 0}, false,
        {{0, 0, 0, 0, 0, 0, 0, 0, 0},
         {1, 1, 1, 1, 1, 1, 1, 1, 1},
         {2, 2, 3, 2, 3, 3, 3, 3, 3},
         {3, 3, 2, 3, 2, 2, 2, 2, 2},
         {4, 7, 6, 7, 6, 6, 4, 4, 6},
         {5, 6, 7, 6, 7, 7, 5, 5, 7},
         {6, 5, 5, 5, 5, 5, 7, 7, 5},
         {7, 4, 4, 4, 4, 4, 6, 6, 4},
         {15, 12, 12, 8, 8, 12, 8, 14, 12},
         {14, 13, 13, 9, 9, 13, 9, 15, 13},
         {13, 14, 15, 10, 11, 15, 11, 13, 15},
         {12, 15, 14, 11, 10, 14, 10, 12, 14},
         {11, 11, 10, 15, 14, 10, 12, 10, 10},
         {10, 10, 11, 14, 15, 11, 13, 11, 11},
         {9, 9, 9, 13, 13, 9, 15, 9, 9},
         {8, 8, 8, 12, 12, 8, 14, 8, 8}});
}

void factorings() {
  std::cout
      << "Edelman, Heller, Johnsson. Bits count from 0; exchanges are in the order of doing.\n"
         "Section 3, a conditional exchange across dimension 2, by bits 0 and 3:\n"
      << exchange_matrix(4, {2, 0b1101}) << "Section 4, Gray code of 4 bits, encode:\n"
      << gray_encode<4>() << "decode:\n"
      << gray_decode<4>()
      << "decode upwards:   " << *exchange_factors(gray_decode(4), ascending_order(4))
      << "\ndecode downwards: " << *exchange_factors(gray_decode(4), descending_order(4))
      << "\nencode upwards:   " << *exchange_factors(gray_encode(4))
      << "\nCode change from one axis of 2^5 to 2^2 x 2^3 (corollary 4.1): "
      << *exchange_factors(gray_split(2, 3)) << "\n\n";

  std::cout << "Corollary 3.6, A = P L U of a map with singular minors. A:\n";
  const auto a = compose(gray_decode(4), bit_reversal(4));
  const auto f = plu(a.matrix());
  std::cout << a.matrix() << "P:\n" << f.permuting << "L:\n" << f.lower << "U:\n" << f.upper;
  const auto parts = exchange_then_rename(a);
  std::cout << "exchanges: " << parts.exchanges << "\nthen the bits are renamed by P\n\n";

  std::cout << "Section 5, the shuffle of five bits:\n" << shuffle<5>();
  const auto two = reflections(shuffle(5));
  std::cout << "two symmetric bit exchanges (lemma 5.2): " << two.first << ", then " << two.second
            << "\n";
  const auto line = [](char const* name, bit_exchange_list const& list, unsigned n) {
    std::cout << name << list << "   uses of each bit:";
    for (unsigned j = 0; j < n; ++j) std::cout << ' ' << uses(list)[j];
    std::cout << '\n';
  };
  line("example 1, neighbours:     ", shuffle_by_neighbours(0, 4), 5);
  line("example 2, always bit 0:   ", shuffle_by_pivot(0, 4), 5);
  line("through the local bit 5:   ", shuffle_through(5, 0, 4, 0), 6);
  line("two that share bit 2:      ", shuffle_in_two(0, 4, 2), 5);
  std::cout << "five parts of the data, neighbours from another start each:\n";
  std::array<unsigned, 5> sum{};
  for (unsigned start = 0; start < 5; ++start) {
    line("                           ", shuffle_by_neighbours(0, 4, start), 5);
    for (unsigned j = 0; j < 5; ++j) sum[j] += uses(shuffle_by_neighbours(0, 4, start))[j];
  }
  std::cout << "together                                      uses of each bit:";
  for (unsigned each : sum) std::cout << ' ' << each;
  std::cout << '\n';
}

}  // namespace

int main() {
  figure_1();
  figure_2();
  figures_3_to_5();
  factorings();
}

// Prints:
// Figure 1: from 1 x 16 to 4 x 4, both in Gray code. Each cell is an address; its row
// is the high half and its column the low half, in Gray code order. It holds the
// index before -> after; only indices with b2 = 1 move, across dimension 1.
//    0 ->  0   1 ->  1   2 ->  2   3 ->  3
//    7 ->  4   6 ->  5   5 ->  6   4 ->  7
//    8 ->  8   9 ->  9  10 -> 10  11 -> 11
//   15 -> 12  14 -> 13  13 -> 14  12 -> 15
//
// Figure 2: the axes of U = (2^5, 2^2, 2^4, 2^3) and V = (2^3, 2^2, 2^4, 2^5); the
// highest dimension of an axis has a star where only one of the two shapes has it.
//   U   13  12  11  10   9  |  8   7  |  6*  5   4   3  |  2*  1   0
//   V   13  12  11  | 10*  9  |  8   7   6   5  |  4*  3   2   1   0
//   D = { 10 6 4 2 }
//
// Figure 3: 8 elements to 2 x 2 x 2, in two orders of the dimensions.
//  i    address |  b2 dim1  b1 dim0 |  b1 dim0  b2 dim1
//  0        000 |   0    0   0    0 |   0    0   0    0
//  1        001 |   0    1   0    1 |   0    1   0    1
//  2        011 |   0    2   1    3 |   1    3   0    3
//  3        010 |   0    3   1    2 |   1    2   0    2
//  4        110 |   1    7   1    6 |   0    4   1    6
//  5        111 |   1    6   1    7 |   0    5   1    7
//  6        101 |   1    5   0    5 |   1    7   1    5
//  7        100 |   1    4   0    4 |   1    6   1    4
// All numbers are those of the paper.
//
// Figure 4: from Gray code to binary code, the highest dimension first.
//  i     address |  b3 dim2  b2 dim1  b1 dim0
//  0        0000 |   0    0   0    0   0    0
//  1        0001 |   0    1   0    1   0    1
//  2        0011 |   0    2   0    2   1    3
//  3        0010 |   0    3   0    3   1    2
//  4        0110 |   0    4   1    7   1    6
//  5        0111 |   0    5   1    6   1    7
//  6        0101 |   0    6   1    5   0    5
//  7        0100 |   0    7   1    4   0    4
//  8        1100 |   1   15   1   12   0   12
//  9        1101 |   1   14   1   13   0   13
// 10        1111 |   1   13   1   14   1   15
// 11        1110 |   1   12   1   15   1   14
// 12        1010 |   1   11   0   11   1   10
// 13        1011 |   1   10   0   10   1   11
// 14        1001 |   1    9   0    9   0    9
// 15        1000 |   1    8   0    8   0    8
// All numbers are those of the paper.
//
// Figure 5: the same, from three starting dimensions: the parts of a concurrent conversion.
//  i     address | dim2 dim1 dim0 | dim1 dim0 dim2 | dim0 dim2 dim1
//  0        0000 |    0    0    0 |    0    0    0 |    0    0    0
//  1        0001 |    1    1    1 |    1    1    1 |    1    1    1
//  2        0011 |    2    2    3 |    2    3    3 |    3    3    3
//  3        0010 |    3    3    2 |    3    2    2 |    2    2    2
//  4        0110 |    4    7    6 |    7    6    6 |    4    4    6
//  5        0111 |    5    6    7 |    6    7    7 |    5    5    7
//  6        0101 |    6    5    5 |    5    5    5 |    7    7    5
//  7        0100 |    7    4    4 |    4    4    4 |    6    6    4
//  8        1100 |   15   12   12 |    8    8   12 |    8   14   12
//  9        1101 |   14   13   13 |    9    9   13 |    9   15   13
// 10        1111 |   13   14   15 |   10   11   15 |   11   13   15
// 11        1110 |   12   15   14 |   11   10   14 |   10   12   14
// 12        1010 |   11   11   10 |   15   14   10 |   12   10   10
// 13        1011 |   10   10   11 |   14   15   11 |   13   11   11
// 14        1001 |    9    9    9 |   13   13    9 |   15    9    9
// 15        1000 |    8    8    8 |   12   12    8 |   14    8    8
// All numbers are those of the paper.
//
// Edelman, Heller, Johnsson. Bits count from 0; exchanges are in the order of doing.
// Section 3, a conditional exchange across dimension 2, by bits 0 and 3:
// 1 . . .
// . 1 . .
// 1 . 1 1
// . . . 1
// Section 4, Gray code of 4 bits, encode:
// 1 1 . . | .
// . 1 1 . | .
// . . 1 1 | .
// . . . 1 | .
// decode:
// 1 1 1 1 | .
// . 1 1 1 | .
// . . 1 1 | .
// . . . 1 | .
// decode upwards:   x0 += x1 + x2 + x3; x1 += x2 + x3; x2 += x3
// decode downwards: x2 += x3; x1 += x2; x0 += x1
// encode upwards:   x0 += x1; x1 += x2; x2 += x3
// Code change from one axis of 2^5 to 2^2 x 2^3 (corollary 4.1): x2 += x3 + x4
//
// Corollary 3.6, A = P L U of a map with singular minors. A:
// 1 1 1 1
// 1 1 1 .
// 1 1 . .
// 1 . . .
// P:
// 1 . . .
// . . . 1
// . . 1 .
// . 1 . .
// L:
// 1 . . .
// 1 1 . .
// 1 . 1 .
// 1 . . 1
// U:
// 1 1 1 1
// . 1 1 1
// . . 1 1
// . . . 1
// exchanges: x0 += x1 + x2 + x3; x1 += x0 + x2 + x3; x2 += x0 + x3; x3 += x0
// then the bits are renamed by P
//
// Section 5, the shuffle of five bits:
// . . . . 1 | .
// 1 . . . . | .
// . 1 . . . | .
// . . 1 . . | .
// . . . 1 . | .
// two symmetric bit exchanges (lemma 5.2): (1 4) (2 3), then (0 1) (2 4)
// example 1, neighbours:     (4 3) (3 2) (2 1) (1 0)   uses of each bit: 1 2 2 2 1
// example 2, always bit 0:   (0 1) (0 2) (0 3) (0 4)   uses of each bit: 4 1 1 1 1
// through the local bit 5:   (5 0) (5 1) (5 2) (5 3) (5 4) (5 0)   uses of each bit: 2 1 1 1 1 6
// two that share bit 2:      (4 3) (3 2) (0 1) (0 2)   uses of each bit: 2 1 2 2 1
// five parts of the data, neighbours from another start each:
//                            (0 4) (4 3) (3 2) (2 1)   uses of each bit: 1 1 2 2 2
//                            (1 0) (0 4) (4 3) (3 2)   uses of each bit: 2 1 1 2 2
//                            (2 1) (1 0) (0 4) (4 3)   uses of each bit: 2 2 1 1 2
//                            (3 2) (2 1) (1 0) (0 4)   uses of each bit: 2 2 2 1 1
//                            (4 3) (3 2) (2 1) (1 0)   uses of each bit: 1 2 2 2 1
// together                                      uses of each bit: 8 8 8 8 8
