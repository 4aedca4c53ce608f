// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace measure {

/// How many times longer the choice of comm::automatic takes than the fastest policy, itself
/// included: a cell for each workload, size and kind of call.
class regrets {
 public:
  /// Names and seconds of all policies of a cell. Prints a line.
  void add(std::string const& cell, std::vector<std::pair<std::string, double>> const& ways) {
    double chosen = 0, least = 0;
    std::string best;
    for (auto const& [name, seconds] : ways) {
      if (name == "automatic") chosen = seconds;
      if (best.empty() || seconds < least) least = seconds, best = name;
    }
    if (chosen == 0 || least == 0) return;
    std::printf("  regret of automatic, %s: %.2f beside %s\n", cell.c_str(), chosen / least,
                best.c_str());
    all_.push_back(chosen / least);
  }
  void print() {
    if (all_.empty()) return;
    std::sort(all_.begin(), all_.end());
    const auto share = [&](double most) {
      const auto within = std::upper_bound(all_.begin(), all_.end(), most) - all_.begin();
      return 100 * static_cast<double>(within) / static_cast<double>(all_.size());
    };
    std::printf(
        "\nregret of automatic in %zu cells: median %.2f, up to 1.15 in %.0f %%, up to 1.3 in "
        "%.0f %%, worst %.2f\n",
        all_.size(), all_[all_.size() / 2], share(1.15), share(1.3), all_.back());
  }

 private:
  std::vector<double> all_;
};

}  // namespace measure
