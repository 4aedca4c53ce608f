// SPDX-License-Identifier: BSL-1.0

// Sizes that the compiler knows: the permutation and its plan are constants, and what one relies
// on is asserted while compiling. One process alone needs no MPI to move its data either.

#include <iostream>
#include <numeric>
#include <vector>

#include <bmmc/planning.hpp>

// The reordering of an FFT of 2^20 points on 8 processes: every process sends an eighth of its
// points to every other, and no plan can do with less.
constexpr auto fft = bmmc::bit_reversal<20>();
constexpr auto fft_plan = bmmc::make_plan(fft, bmmc::layout::processor_major{}, 8);
static_assert(fft(1) == bmmc::index_t{1} << 19);
static_assert(inverse(fft) == fft);
static_assert(fft_plan.messages() == 8 && fft_plan.message_elements() == (1U << 17) / 8);

// With bits of the middle as process bits, every process has two partners only.
constexpr auto middle = bmmc::make_plan(fft, bmmc::layout::banded(9), 8);
static_assert(middle.messages() == 2);

int main() {
  std::vector<int> points(16), reordered(16);
  std::iota(points.begin(), points.end(), 0);
  bmmc::local::permute(points, reordered, bmmc::bit_reversal<4>());
  for (const int point : reordered) std::cout << point << ' ';
  std::cout << '\n' << bmmc::bit_reversal<4>();
}

// Prints:
// 0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15
// . . . 1 | .
// . . 1 . | .
// . 1 . . | .
// 1 . . . | .
