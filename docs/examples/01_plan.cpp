// SPDX-License-Identifier: BSL-1.0

// What will a permutation cost? A plan tells before any data moves, and needs no MPI.

#include <iostream>

#include <bmmc/planning.hpp>

int main() {
  // A matrix of 8 x 4 elements, its rows in blocks on 4 processes, is to be transposed.
  const auto p = bmmc::transpose(3, 2);
  std::cout << bmmc::make_plan(p, bmmc::layout::processor_major{}, 4);

  // A matrix of 2^25 x 2^25 elements on a million processes: the plan is made all the same.
  const auto big = bmmc::make_plan(bmmc::transpose(25, 25), bmmc::layout::processor_major{},
                                   bmmc::index_t{1} << 20);
  std::cout << "each process sends " << big.messages() << " messages of " << big.message_elements()
            << " elements; the first of process 7 goes to " << big.target(7, 0) << '\n';
}

// Prints:
// 32 elements (2^5) on 4 processes, 8 each
// source address to target address, bit 0 first, complement behind the bar:
// . . 1 . . | .
// . . . 1 . | .
// . . . . 1 | .
// 1 . . . . | .
// . 1 . . . | .
// matrix rank 2: each process's elements go to 4 processes, 2 elements to each
// elements that stay on their process: 8, that move: 24
//   step: process -> target
//   0: 0->0 1->1 2->2 3->3
//   1: 0->2 1->3 2->0 3->1
//   2: 0->1 1->0 2->3 3->2
//   3: 0->3 1->2 2->1 3->0
// each process sends 1048576 messages of 1024 elements; the first of process 7 goes to 7
