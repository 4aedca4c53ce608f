// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/measure_all.hpp"

namespace measure {

/// Ways to do the same work, timed in turn with a copy of a chunk by all processes at once, so that
/// all meet the same machine.
class contest {
 public:
  struct way {
    std::string name;
    std::function<void()> work;
    int calls = 1;  // in a row for one figure
    std::vector<double> times{}, ratios{};

    [[nodiscard]] double seconds() const { return median(times); }
    [[nodiscard]] double ratio() const { return median(ratios); }  // to the copy of its round
  };

  contest(std::byte* target, std::byte const* source, std::size_t bytes) {
    add("memcpy", [=] { std::memcpy(target, source, bytes); });
    add("copy past the caches", [=] { copy_past_cache(target, source, bytes); });
  }
  void add(std::string name, std::function<void()> work) {
    ways_.push_back({std::move(name), std::move(work)});
  }

  /// Collective; forgets a former run. `rounds` of them, or fewer, three at least, where those
  /// would take longer than `seconds`. A round's copy is the faster of two. What takes less than a
  /// millisecond is called several times in a row.
  void run(int rounds, double seconds) {
    double round = 0;
    for (way& w : ways_) {
      (void)seconds_on_all(w.work);  // the first touch of memory and of connections
      double once = seconds_on_all(w.work);
      for (int k = 0; k < 3; ++k) once = std::min(once, seconds_on_all(w.work));
      w.times.clear();
      w.ratios.clear();
      w.calls = static_cast<int>(std::min(1e4, std::ceil(1e-3 / std::max(once, 1e-9))));
      round += once * w.calls;
    }
    const int most = std::max(3, static_cast<int>(std::min(1e6, seconds / round)));
    // In another order in each round, the same on all processes: none always follows the copy that
    // leaves nothing in the caches.
    std::vector<std::size_t> order(ways_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (int k = 0; k < std::min(rounds, most); ++k) {
      std::shuffle(order.begin(), order.end(), random);
      for (const std::size_t i : order) {
        way& w = ways_[i];
        w.work();  // finds its lines where it leaves them itself, in this cache or another one
        w.times.push_back(seconds_on_all([&] {
                            for (int call = 0; call < w.calls; ++call) w.work();
                          }) /
                          w.calls);
      }
      const double copy = std::min(ways_[0].times.back(), ways_[1].times.back());
      for (way& w : ways_) w.ratios.push_back(w.times.back() / copy);
    }
  }

  /// The two copies first.
  [[nodiscard]] std::vector<way> const& ways() const noexcept { return ways_; }

 private:
  std::vector<way> ways_;
};

}  // namespace measure
