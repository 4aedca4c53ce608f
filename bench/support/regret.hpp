// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "support/measure.hpp"

namespace measure {

/// A policy and its seconds, round by round; all policies of a cell have the same rounds.
using timed_policy = std::pair<std::string, std::vector<double>>;

/// How many times longer the choice of comm::automatic takes than the fastest policy, itself
/// included: a cell for each workload, size and kind of call.
class regrets {
 public:
  static constexpr double small = 1.15, large = 1.3;

  /// Of one cell. The least of many medians that scatter is too small, so the fastest policy is
  /// found by the rounds of even number and timed by the others, and the other way round: the
  /// geometric mean of both ratios, which is 1 on average where all policies are alike.
  [[nodiscard]] static double of(std::vector<timed_policy> const& ways) {
    double product = 1;
    for (const std::size_t half : {0U, 1U}) {
      double chosen = 0, least = 0, best = 0;
      for (auto const& [name, seconds] : ways) {
        const double found = median_of(seconds, half), timed = median_of(seconds, 1 - half);
        if (name == "automatic") chosen = timed;
        if (least == 0 || found < least) least = found, best = timed;
      }
      product *= chosen / best;
    }
    return std::sqrt(product);
  }
  /// Of a cell in a first run, or in a second one of a cell that was slow in the first. Prints a
  /// line.
  void add(std::string const& cell, std::vector<timed_policy> const& ways, bool is_second = false) {
    const double regret = of(ways);
    std::string best;
    double least = 0;
    for (auto const& [name, seconds] : ways)
      if (best.empty() || median(seconds) < least) least = median(seconds), best = name;
    std::printf("  regret of automatic, %s%s: %.2f beside %s\n", cell.c_str(),
                is_second ? ", again" : "", regret, best.c_str());
    if (!is_second) first_.push_back(regret), last_.push_back(regret);
    for (std::size_t k = last_.size(); is_second && k-- > 0;)
      if (cells_[k] == cell) {
        last_[k] = std::min(last_[k], regret);
        break;
      }
    if (!is_second) cells_.push_back(cell);
  }
  void print() const {
    print(first_, "in");
    print(last_, "after a second run of those above 1.15, in");
  }

 private:
  [[nodiscard]] static double median_of(std::vector<double> const& seconds, std::size_t half) {
    std::vector<double> some;
    for (std::size_t k = half; k < seconds.size(); k += 2) some.push_back(seconds[k]);
    return median(seconds.size() < 2 ? seconds : some);
  }
  static void print(std::vector<double> all, char const* words) {
    if (all.empty()) return;
    std::sort(all.begin(), all.end());
    const auto share = [&](double most) {
      const auto within = std::upper_bound(all.begin(), all.end(), most) - all.begin();
      return 100 * static_cast<double>(within) / static_cast<double>(all.size());
    };
    std::printf(
        "regret of automatic %s %zu cells: median %.2f, up to %.2f in %.0f %%, up to %.1f "
        "in %.0f %%, worst %.2f\n",
        words, all.size(), all[all.size() / 2], small, share(small), large, share(large),
        all.back());
  }

  std::vector<std::string> cells_;
  std::vector<double> first_, last_;
};

}  // namespace measure
