// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <bmmc/local/threading.hpp>

#include "support/measure.hpp"

/// Times of what had its cores for itself.
namespace measure {

/// How many operations in registers a core does for this thread in the time of one of a chain, each
/// of which waits for the one before; takes some 0.25 ms. With four or five adders it is about 4,
/// whatever the clock does. While another thread of the machine has the other half of the core
/// (hyperthreading) it is less, down to a half, and half of the caches and of the tables of pages
/// are that thread's. Of neighbours of a virtual machine no file tells.
[[nodiscard]] inline double operations_at_once() {
  const auto add = [](std::uintptr_t& value, std::uintptr_t to) {
    value ^= to;
    asm volatile("" : "+r"(value));  // the compiler knows nothing of it: no operation is left out
  };
  const auto seconds = [](auto const& operations) {
    const double begin = now();
    for (int i = 0; i < 5000; ++i) operations();
    return now() - begin;
  };
  std::uintptr_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, x = 7;
  asm volatile("" : "+r"(x));
  std::vector<double> chain, apart;
  for (int i = 0; i < 5; ++i) {
    chain.push_back(seconds([&] {
      add(a, x), add(a, x), add(a, x), add(a, x), add(a, x), add(a, x);
      add(a, x), add(a, x), add(a, x), add(a, x), add(a, x), add(a, x);
    }));
    apart.push_back(seconds([&] {
      add(a, x), add(b, x), add(c, x), add(d, x), add(e, x), add(f, x);
      add(a, x), add(b, x), add(c, x), add(d, x), add(e, x), add(f, x);
    }));
  }
  return *std::min_element(chain.begin(), chain.end()) / median(apart);
}

/// The median of some calls, in milliseconds, and whether it is one of calls that had their cores
/// for themselves.
struct timing {
  double ms;
  bool is_quiet;
};

/// Times calls again until enough of them had their cores for themselves, as far as loops just
/// before and behind each show it.
template <class Execution = bmmc::local::sequential>
class quiet_core {
 public:
  explicit quiet_core(Execution const& execution = {}, std::size_t threads = 1)
      : execution_(execution), at_once_(threads) {
    for (int i = 0; i < 400; ++i) static_cast<void>(is_quiet());
  }

  /// The median of `samples` of such calls, or of as many as there are among four times as many
  /// calls; of all calls if there is none. Each is preceded by before(), and the mean of `times` in
  /// a row; where they are several, one before them brings into the caches what stays there.
  template <class F, class Before = void (*)()>
  [[nodiscard]] timing median_of(
      int samples, F&& f, std::size_t times = 1, Before before = [] {}) {
    std::vector<double> quiet, all;
    for (int i = 0; i < 4 * samples && std::cmp_less(quiet.size(), samples); ++i) {
      before();
      const bool was_quiet = is_quiet();
      all.push_back(milliseconds(f, times));
      ++calls_;
      if (!was_quiet || !is_quiet()) continue;
      quiet.push_back(all.back());
      ++quiet_;
    }
    return {median(quiet.empty() ? all : quiet), !quiet.empty()};
  }

  /// Of the calls so far, the share that was quiet.
  [[nodiscard]] double quiet_share() const { return quiet_ / std::max(calls_, 1.0); }
  /// Operations at once that one in ten of the loops reached: what a quiet core does.
  [[nodiscard]] double most_at_once() {
    const auto tenth = seen_.begin() + static_cast<std::ptrdiff_t>(seen_.size() / 10);
    std::nth_element(seen_.begin(), tenth, seen_.end(), std::greater<>());
    return *tenth;
  }

 private:
  /// The slowest of the cores, all at the same time, does nearly as much as a quiet one.
  [[nodiscard]] bool is_quiet() {
    execution_(at_once_.size(), [this](std::size_t first, std::size_t last) {
      for (; first < last; ++first) at_once_[first] = operations_at_once();
    });
    const double least = *std::min_element(at_once_.begin(), at_once_.end());
    seen_.push_back(least);
    return least >= 0.93 * most_at_once();
  }

  Execution execution_;
  std::vector<double> at_once_, seen_{};
  double calls_ = 0, quiet_ = 0;
};

}  // namespace measure
