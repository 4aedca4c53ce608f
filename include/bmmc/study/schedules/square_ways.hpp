// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::detail {

// A dimension and the one above it make squares of four nodes. Two of the nodes exchange: directly,
// or over the other two. The parts of the data pass through a square one after the other, in
// phases, and each has some steps for either way. Which two nodes exchange can turn from phase to
// phase.

/// Sets out in `step`, and is there before step arrival().
struct square_way {
  unsigned step = 0;
  bool detour = false;
  [[nodiscard]] constexpr unsigned arrival() const noexcept { return step + (detour ? 3 : 1); }
};
using square_ways = std::vector<square_way>;

/// The ways of phase `phase` for parts of 2 h elements, which has about the steps [phase h,
/// phase h + h). Where the same two nodes exchange in the next phase, its detours start before the
/// direct channels are free; where the other two do, theirs are idle already. Right for h >= 3.
[[nodiscard]] inline square_ways overlapping_ways(unsigned phase, unsigned phases, unsigned h,
                                                  bool turned_before, bool turns_after) {
  const unsigned start = phase * h, end = start + h;
  unsigned direct_from = start + 1, detour_from = start == 0 ? 0 : start - 1;
  unsigned direct_until = end + 1, detour_until = end - 1;
  if (phase == 0) direct_from = 0;
  if (turned_before) direct_from = start - 1, detour_from = start + 1;
  if (turns_after && phase + 1 != phases) direct_until = end + 2, detour_until = end - 2;
  square_ways ways;
  for (unsigned step = direct_from; step < direct_until; ++step) ways.push_back({step, false});
  for (unsigned step = detour_from; step < detour_until; ++step) ways.push_back({step, true});
  return ways;
}

/// The ways of all phases for parts of four elements, at most six phases, in 2 phases + 1 steps.
/// They are searched for: bit t of `turns` is set where other nodes exchange in phase t than in the
/// phase before. The j-th element of a part leaves the phase before at a time that does not depend
/// on the square, so that it does not matter which squares a part has passed.
class search_for_ways {
 public:
  search_for_ways(unsigned phases, unsigned turns) : phases_(phases), turns_(turns) {
    for (auto& row : used_) row.fill(false);
    found_.resize(phases);
    complete_ = place(0);
  }
  /// Always, for up to six phases: there is a test of all turns.
  [[nodiscard]] bool is_complete() const noexcept { return complete_; }
  [[nodiscard]] square_ways const& operator[](unsigned phase) const { return found_[phase]; }

 private:
  static constexpr unsigned most_phases = 6, count = 4;

  /// When the j-th element is there at the earliest for phase t, and must be there at the latest
  /// after phase t - 1. Found by integer programming for six phases.
  [[nodiscard]] std::array<unsigned, count> times(unsigned t) const {
    using at = std::array<unsigned, count>;
    constexpr std::array<std::array<at, most_phases - 1>, most_phases> between{
        {{},
         {{{1, 2, 3, 4}}},
         {{{1, 2, 3, 5}, {3, 4, 4, 6}}},
         {{{1, 2, 3, 4}, {3, 4, 5, 7}, {5, 6, 6, 8}}},
         {{{1, 2, 3, 4}, {3, 4, 5, 7}, {5, 6, 6, 8}, {7, 8, 9, 10}}},
         {{{1, 2, 3, 4}, {3, 5, 6, 7}, {4, 6, 8, 9}, {5, 7, 9, 10}, {8, 10, 11, 12}}}}};
    if (t != 0 && t != phases_) return between[phases_ - 1][t - 1];
    at bound{};
    bound.fill(t == 0 ? 0 : 2 * phases_ + 1);
    return bound;
  }

  [[nodiscard]] bool place(unsigned t) {
    if (t == phases_) return true;
    const auto from = times(t), until = times(t + 1);
    square_ways all;
    for (unsigned step = from[0]; step < until[count - 1]; ++step)
      for (bool detour : {false, true}) all.push_back({step, detour});
    for (unsigned chosen = 0; chosen < bit(static_cast<unsigned>(all.size())); ++chosen) {
      if (std::popcount(chosen) != static_cast<int>(count)) continue;
      square_ways ways;  // in order of departure
      for (unsigned rest = chosen; rest != 0; rest &= rest - 1)
        ways.push_back(all[lowest_one(rest)]);
      if (!is_in_time(ways, from, until) || !take(ways, t)) continue;
      found_[t] = ways;
      if (place(t + 1)) return true;
      release(ways, t);
    }
    return false;
  }

  [[nodiscard]] static bool is_in_time(square_ways const& ways,
                                       std::array<unsigned, count> const& from,
                                       std::array<unsigned, count> const& until) {
    std::array<unsigned, count> arrivals{};
    for (unsigned j = 0; j < count; ++j) {
      if (ways[j].step < from[j]) return false;
      arrivals[j] = ways[j].arrival();
    }
    std::sort(arrivals.begin(), arrivals.end());
    for (unsigned j = 0; j < count; ++j)
      if (arrivals[j] > until[j]) return false;
    return true;
  }

  /// Calls use(slot) for every channel and step of a way; a slot is true where it is taken.
  void for_slots(square_way const& way, unsigned t, auto use) {
    const auto side = static_cast<unsigned>(std::popcount(turns_ & low_bits(t + 1))) & 1;
    if (!way.detour) return use(used_[side][way.step]);  // the direct channels of the two nodes
    use(used_[2 + side][way.step]);                      // to the other two
    use(used_[1 - side][way.step + 1]);
    use(used_[3 - side][way.step + 2]);  // and back
  }
  [[nodiscard]] bool take(square_ways const& ways, unsigned t) {
    bool free = true;
    for (auto const& way : ways) for_slots(way, t, [&](bool slot) { free = free && !slot; });
    if (free)
      for (auto const& way : ways) for_slots(way, t, [](bool& slot) { slot = true; });
    return free;
  }
  void release(square_ways const& ways, unsigned t) {
    for (auto const& way : ways) for_slots(way, t, [](bool& slot) { slot = false; });
  }

  unsigned phases_, turns_;
  std::array<std::array<bool, 2 * most_phases + 6>, 4> used_{};
  std::vector<square_ways> found_;
  bool complete_ = false;
};

}  // namespace bmmc::detail
