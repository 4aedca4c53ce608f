// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <string>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <bmmc/local/tuning/tuning.hpp>

#include "local/quiet_core.hpp"
#include "support/measure.hpp"

/// The reference of the local benchmarks, and the memory that they run on.
namespace measure {

/// Sizes and ways of the data caches, as Linux lists them.
[[nodiscard]] inline std::string caches() {
  std::string list;
  for (int i = 0;; ++i) {
    const std::string at = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const auto read = [&](char const* name) {
      std::string word;
      std::ifstream(at + name) >> word;
      return word;
    };
    const std::string level = read("level");
    if (level.empty()) return list.empty() ? "unknown" : list;
    if (read("type") == "Instruction") continue;
    list += (list.empty() ? "L" : ", L") + level + " " + read("size") + " " +
            read("ways_of_associativity") + "-way";
  }
}

/// Bytes that begin at a page, all of them touched; huge pages are asked for where Linux has them.
class memory {
 public:
  explicit memory(std::size_t bytes, bool huge_pages = false) {
    const std::size_t page = huge_pages ? std::size_t{1} << 21 : 4096;
    const std::size_t rounded = (bytes + page - 1) / page * page;
    data_.reset(static_cast<std::byte*>(std::aligned_alloc(page, rounded)));
    if (data_ == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
    if (huge_pages && madvise(data_.get(), rounded, MADV_HUGEPAGE) != 0) throw std::bad_alloc();
#endif
    std::memset(data_.get(), 1, bytes);
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }

 private:
  struct release {
    void operator()(std::byte* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<std::byte, release> data_;
};

/// Three times as much memory as the last-level cache holds. Once it has been read that cache has
/// no part of what is measured next: else a copy that follows another one finds some of its source
/// there, and a permutation that follows memcpy none.
class other_memory {
 public:
  void read() const {
    std::byte const volatile* const data = memory_.data();
    for (std::size_t i = 0; i < bytes(); i += 64) static_cast<void>(data[i]);
  }
  /// Whether an array of so many bytes is in memory for the most part.
  [[nodiscard]] static bool holds_less_than(std::size_t of_array) {
    return of_array >= bytes() / 3;
  }

 private:
  [[nodiscard]] static std::size_t bytes() {
    return 3 * bmmc::local::detail::cache_bytes(3, std::size_t{1} << 25);
  }
  memory memory_{bytes()};
};

/// What times are compared with: the faster of memcpy and a copy past the caches, one call of each,
/// by as many threads as the permutation has; before() is called before each.
template <class Execution, class Before = void (*)()>
[[nodiscard]] timing copy_once(
    quiet_core<Execution>& core, std::byte* target, std::byte const* source, std::size_t bytes,
    std::size_t times = 1, Before before = [] {}) {
  // A call through a volatile pointer is not optimized away.
  void* (*volatile copy)(void*, void const*, std::size_t) = std::memcpy;
  const std::size_t piece = std::max<std::size_t>(bytes / 64, 1);
  const auto in_pieces = [&](auto copy_piece) {
    const auto call = [&] {
      core.execution()(bytes / piece, [&](std::size_t first, std::size_t last) {
        copy_piece(target + first * piece, source + first * piece, (last - first) * piece);
      });
    };
    return core.time(call, times, before);
  };
  const timing plain =
      in_pieces([&](std::byte* t, std::byte const* s, std::size_t n) { copy(t, s, n); });
  const timing past_cache =
      in_pieces([](std::byte* t, std::byte const* s, std::size_t n) { copy_past_cache(t, s, n); });
  return {std::min(plain.ms, past_cache.ms), plain.is_quiet && past_cache.is_quiet};
}

/// The core of benchmarks that have one thread.
[[nodiscard]] inline quiet_core<>& one_core() {
  static quiet_core<> core;
  return core;
}
/// Milliseconds of so many calls by one thread, the median, after one that is not counted.
template <class F>
[[nodiscard]] double median_of(int calls, F&& f) {
  f();
  std::vector<timing> times;
  for (int i = 0; i < calls; ++i) times.push_back(one_core().time(f));
  return median(times).ms;
}
/// The median of three copies by one thread, in milliseconds.
[[nodiscard]] inline double copy_reference(std::byte* target, std::byte const* source,
                                           std::size_t bytes) {
  std::vector<timing> copies;
  for (int i = 0; i < 3; ++i) copies.push_back(copy_once(one_core(), target, source, bytes));
  return median(copies).ms;
}

}  // namespace measure
