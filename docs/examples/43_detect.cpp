// SPDX-License-Identifier: BSL-1.0

// Is a permutation affine? And which one? From a list, from a function, and by a few probes.

#include <bmmc/planning.hpp>
#include <iostream>
#include <random>
#include <utility>
#include <vector>

int main() {
  using bmmc::index_t;

  std::vector<index_t> targets{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
  const auto found = bmmc::detect(targets);
  std::cout << "moves index bits: " << std::boolalpha << found.is_bpc()
            << ", a transpose: " << (found.map == bmmc::transpose(2, 2)) << '\n';

  std::swap(targets[6], targets[11]);
  const auto refused = bmmc::detect(targets);
  std::cout << "two targets exchanged: affine " << refused.is_bmmc() << ", seen at index "
            << *refused.witness << '\n';

  const auto gray = [](index_t x) { return x ^ (x >> 1); };
  std::cout << "x ^ (x >> 1) on 4 bits:\n" << bmmc::detect(4, gray).map;

  // 2^50 indices are too many to try. Wrong in 1 of 1000 places? 6908 probes tell, but for 1 case
  // in 1000.
  std::mt19937_64 random(1);
  const auto quick = bmmc::detect_quickly(50, gray, 0.001, 0.001, random);
  std::cout << "on 50 bits: " << (quick.map == bmmc::gray_encode(50)) << '\n';
  const bmmc::stride_permutation stride(bmmc::bit(50), 3);
  std::cout << "3 x mod 2^50: " << bmmc::detect_quickly(50, stride, 0.001, 0.001, random).is_bmmc()
            << '\n';
}

// Prints:
// moves index bits: true, a transpose: true
// two targets exchanged: affine false, seen at index 6
// x ^ (x >> 1) on 4 bits:
// 1 1 . . | .
// . 1 1 . | .
// . . 1 1 | .
// . . . 1 | .
// on 50 bits: true
// 3 x mod 2^50: false
