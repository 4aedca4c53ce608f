// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/// Timing for all benchmarks: medians of repetitions, and the copy that everything is a ratio to.
namespace measure {

[[nodiscard]] inline double now() {  // seconds
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

[[nodiscard]] inline double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Milliseconds of one call, as the mean of `times` in a row; where they are several, one before
/// them brings into the caches what stays there.
template <class F>
[[nodiscard]] double milliseconds(F&& f, std::size_t times = 1) {
  if (times > 1) f();
  const double begin = now();
  for (std::size_t i = 0; i < times; ++i) f();
  return (now() - begin) * 1e3 / static_cast<double>(times);
}

/// A copy whose stores bypass the cache. Both arrays are aligned to 16 bytes, as vectors are.
inline void copy_past_cache(std::byte* target, std::byte const* source, std::size_t bytes) {
#ifdef __SSE2__
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64)
    for (std::size_t j = i; j < i + 64; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + j),
                       _mm_loadu_si128(reinterpret_cast<__m128i const*>(source + j)));
  _mm_sfence();
  std::memcpy(target + i, source + i, bytes - i);
#else
  std::memcpy(target, source, bytes);
#endif
}

/// Processor and compiler of this run, for the head of a report: family and model by number, too,
/// since virtual machines name processors of several generations alike.
[[nodiscard]] inline std::string machine() {
  std::string line, name = "unknown processor", family, model;
  for (std::ifstream info("/proc/cpuinfo"); std::getline(info, line) && !line.empty();) {
    const std::string value = line.substr(std::min(line.size(), line.find(':') + 2));
    if (line.starts_with("model name")) name = value;
    if (line.starts_with("cpu family")) family = value;
    if (line.starts_with("model\t")) model = value;
  }
  if (!family.empty()) name += " (family " + family + ", model " + model + ")";
#if defined(__clang__)
  return name + ", clang " + __clang_version__;
#else
  return name + ", g++ " + __VERSION__;
#endif
}

}  // namespace measure
