// SPDX-License-Identifier: BSL-1.0

// What a reshape does, before any data moves: a 32 x 4 x 16 x 8 array in Gray code becomes an
// 8 x 4 x 16 x 32 array. The dimensions 11, 10 and 4 of the index name the processes.

#include <bmmc/planning.hpp>
#include <iostream>

int main() {
  using namespace bmmc;
  constexpr index_t processes = bit(11) | bit(10) | bit(4);
  constexpr auto from = array_layout::over({5, 2, 4, 3}, processes, axis_code::gray);
  constexpr auto to = array_layout::over({3, 2, 4, 5}, processes, axis_code::gray);

  constexpr auto change = reshape(from, to);
  static_assert(change.changed == (bit(10) | bit(6) | bit(4) | bit(2)));
  std::cout << explain(change) << '\n';

  std::cout << "The same with the target in blocks of its first axis:\n"
            << explain(reshape(from, array_layout{axis::blocks(3, 8).gray(), axis::local(2).gray(),
                                                  axis::local(4).gray(), axis::local(5).gray()}));
}

// Prints:
// dimensions whose code changes (D): 10, 6, 4, 2
//   on processes (D_paddr): 10, 4
//   in memory (D_maddr): 6, 2
// dimensions that move: none
// process bit 0 communicates: it is dimension 4, whose code becomes the sum of 6, 5, 4
// process bit 1 communicates: it is dimension 10, whose code becomes the sum of 13, 12, 11, 10
//
// The same with the target in blocks of its first axis:
// dimensions whose code changes (D): 10, 6, 4, 2
//   on processes (D_paddr): 10, 4
//   in memory (D_maddr): 6, 2
// dimensions that move: 13, 12, 11, 10, 9, 8, 7, 6, 5, 4
// process bit 0 communicates: it is dimension 11, which was process bit 2
// process bit 1 communicates: it is dimension 12, which was offset bit 9
// process bit 2 communicates: it is dimension 13, which was offset bit 10
