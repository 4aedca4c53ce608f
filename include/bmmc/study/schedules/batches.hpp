// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <bmmc/study/schedules/schedule.hpp>

namespace bmmc {

/// A schedule from ways for one batch of elements, each batch one period of steps behind the one
/// before: in period b + h batch b makes its hop h. Each channel must serve at most `period` hops
/// of a batch, whatever their order; then no channel is used twice in a step, and (ceil(K / batch)
/// + longest way - 1) periods do for K elements. Shape   ways_of(x, k) names the dimensions that
/// element k < `batch` of node x crosses, a digit
///         each.
/// Errors  bad_value where a channel serves more hops than a period has steps.
template <class F>
[[nodiscard]] schedule batch_schedule(unsigned cube_bits, unsigned elements, unsigned batch,
                                      unsigned period, F ways_of) {
  std::vector<unsigned> served(bit(cube_bits) * cube_bits, 0);  // hops of a batch, by channel
  detail::schedule_builder s(cube_bits, elements);
  for (index_t x = 0; x < bit(cube_bits); ++x)
    for (unsigned k = 0; k < batch; ++k) {
      const std::string_view way = ways_of(x, k);
      index_t at = x;
      for (unsigned hop = 0; hop < way.size(); ++hop) {
        const auto d = static_cast<unsigned>(way[hop] - '0');
        const unsigned slot = served[at * cube_bits + d]++;
        if (slot >= period)
          throw bad_value("channel " + std::to_string(d) + " of node " + std::to_string(at) +
                          " serves more than " + std::to_string(period) + " hops of a batch");
        for (unsigned b = 0; b * batch + k < elements; ++b)
          s.cross((b + hop) * period + slot, x, b * batch + k, d);
        at ^= bit(d);
      }
    }
  return s.take();
}

/// From Gray code to binary code on a cube of 16 nodes with K elements each, in 3 ceil(K / 5) + 9
/// steps at most: 153 for K = 240, where Johnsson and Ho conjecture that 3 K / 4 = 180 are needed.
/// No schedule takes fewer than 3 K / 5 (see docs/theory/reshaping.md).
/// Source  Found by integer programming, against conjecture 1 of Johnsson and Ho 1990.
[[nodiscard]] inline schedule four_cube_schedule(unsigned elements) {
  // The dimensions that the five elements of nodes 2, 4, .. 14 cross; nodes 3, 5, .. 15 do the
  // same, mirrored in dimension 0; the nodes 0 and 1 keep what they have.
  using ways = std::array<std::string_view, 5>;
  constexpr std::array<ways, 8> of_pair{{{"", "", "", "", ""},
                                         {"0", "0", "0", "101", "101"},
                                         {"01", "01", "01", "2120", "3013"},
                                         {"1", "1", "1", "212", "313"},
                                         {"102", "102", "102", "201", "201"},
                                         {"12", "1323", "1323", "3231", "3231"},
                                         {"2", "2", "2", "323", "323"},
                                         {"02", "02", "02", "3023", "3023"}}};
  return batch_schedule(4, elements, 5, 3,
                        [&](index_t x, unsigned k) { return of_pair[x / 2][k]; });
}

}  // namespace bmmc
