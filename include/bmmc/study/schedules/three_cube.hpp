// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <string_view>

#include <bmmc/index/catalogue/gray.hpp>
#include <bmmc/study/schedules/schedule.hpp>

namespace bmmc {

/// From Gray code to binary code on a cube of 8 nodes with K elements each, in 3 ceil(K / 5) + 2
/// steps at most: 38 for K = 60, where Johnsson and Ho conjecture that 2 K / 3 = 40 are needed. No
/// schedule takes fewer than 3 K / 5 (see docs/theory/reshaping.md). Batches of five elements start
/// every third step; in that rhythm no channel is used twice.
/// Source  Found by integer programming, against conjecture 1 of Johnsson and Ho 1990.
[[nodiscard]] inline schedule three_cube_schedule(unsigned elements) {
  // For the five elements of nodes 2, 4 and 6: the dimension that each crosses in the steps 0 .. 4.
  // The nodes 3, 5 and 7 do the same, mirrored in dimension 0; the others keep what they have.
  constexpr std::array<std::array<std::string_view, 5>, 3> ways{{
      {"101--", "202--", "--0--", "---0-", "----0"},
      {"0-1--", "2120-", "-10--", "-2012", "--01-"},
      {"1----", "212--", "-1---", "-21-2", "--1--"},
  }};
  detail::schedule_builder s(3, elements);
  for (index_t x = 2; x < 8; ++x)
    for (unsigned k = 0; k < elements; ++k)
      for (unsigned step = 0; step < 5; ++step)
        if (const char d = ways[x / 2 - 1][k % 5][step]; d != '-')
          s.cross(k / 5 * 3 + step, x, k, static_cast<unsigned>(d - '0'));
  return s.take();
}

}  // namespace bmmc
