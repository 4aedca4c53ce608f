// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/local/tuning/threading.hpp>

#include "support/measure.hpp"

/// Timing of calls on cores that no other thread uses.
namespace measure {

/// Throughput of independent exclusive ors over that of a chain of them: about 4 with four or five
/// arithmetic units, at any clock rate, and less, down to a half, while another thread runs on the
/// same core (hyperthreading) and shares its caches and TLB. A virtual machine cannot read that
/// from any file. Takes some 0.25 ms.
[[nodiscard]] inline double operations_at_once() {
  const auto flip = [](std::uintptr_t& value, std::uintptr_t by) {
    value ^= by;
    asm volatile("" : "+r"(value));  // opaque to the compiler: no operation is removed
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
      flip(a, x), flip(a, x), flip(a, x), flip(a, x), flip(a, x), flip(a, x);
      flip(a, x), flip(a, x), flip(a, x), flip(a, x), flip(a, x), flip(a, x);
    }));
    apart.push_back(seconds([&] {
      flip(a, x), flip(b, x), flip(c, x), flip(d, x), flip(e, x), flip(f, x);
      flip(a, x), flip(b, x), flip(c, x), flip(d, x), flip(e, x), flip(f, x);
    }));
  }
  return *std::min_element(chain.begin(), chain.end()) / median(apart);
}

/// Milliseconds of a call, or the median of some; is_quiet: of quiet calls alone.
struct timing {
  double ms;
  bool is_quiet;
};
/// The median of those that are quiet, or of all if none is.
[[nodiscard]] inline timing median(std::vector<timing> const& calls) {
  std::vector<double> quiet, all;
  for (auto const& call : calls) {
    all.push_back(call.ms);
    if (call.is_quiet) quiet.push_back(call.ms);
  }
  return {median(quiet.empty() ? all : quiet), !quiet.empty()};
}

/// Repeats a call until it was quiet: no other thread on its cores, by a loop just before and just
/// after it.
template <class Execution = bmmc::local::sequential>
class quiet_core {
 public:
  explicit quiet_core(Execution const& execution = {}, std::size_t threads = 1)
      : execution_(execution), at_once_(threads) {
    for (int i = 0; i < 400; ++i) static_cast<void>(is_quiet());
  }

  /// The first of four calls that is quiet, or the last one, after before(). Its time is the mean
  /// of `times` in a row, after one uncounted call if `times` > 1.
  template <class F, class Before = void (*)()>
  [[nodiscard]] timing time(
      F&& f, std::size_t times = 1, Before before = [] {}) {
    timing call{};
    for (int i = 0; i < 4 && !call.is_quiet; ++i) {
      before();
      const bool was_quiet = is_quiet();
      call.ms = milliseconds(f, times);
      call.is_quiet = is_quiet() && was_quiet;
      ++calls_;
      if (call.is_quiet) ++quiet_;
    }
    return call;
  }
  /// By how many threads calls are made.
  [[nodiscard]] Execution const& execution() const noexcept { return execution_; }
  /// For the end of a report: the share of quiet calls, and what tells a core that was shared for
  /// more than nine tenths of the run.
  [[nodiscard]] std::string report() const {
    char text[80];
    std::snprintf(text, sizeof text, "quiet: %.0f %% of all calls; operations at once: %.1f",
                  100 * quiet_ / std::max(calls_, 1.0), reference_);
    return text;
  }

 private:
  /// Runs the loop on all threads at once; whether the slowest reaches 0.93 of the reference.
  [[nodiscard]] bool is_quiet() {
    execution_(at_once_.size(), [this](std::size_t first, std::size_t last) {
      for (; first < last; ++first) at_once_[first] = operations_at_once();
    });
    const double least = *std::min_element(at_once_.begin(), at_once_.end());
    seen_.push_back(least);
    if (seen_.size() % 100 == 0) find_reference();
    return least >= 0.93 * reference_;
  }
  /// What the fastest tenth of the loops reached.
  void find_reference() {
    const auto tenth = seen_.begin() + static_cast<std::ptrdiff_t>(seen_.size() / 10);
    std::nth_element(seen_.begin(), tenth, seen_.end(), std::greater<>());
    reference_ = *tenth;
  }

  Execution execution_;
  std::vector<double> at_once_, seen_{};
  double reference_ = 0, calls_ = 0, quiet_ = 0;
};

}  // namespace measure
