// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bench {

/// Milliseconds that f takes, as the mean of `times` calls in a row.
template <class F>
[[nodiscard]] double once(F&& f, std::size_t times = 1) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < times; ++i) f();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  return passed.count() / static_cast<double>(times);
}

[[nodiscard]] inline double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

/// Bytes that start at a page.
class memory {
 public:
  explicit memory(std::size_t bytes)
      : data_(static_cast<unsigned char*>(std::aligned_alloc(4096, std::max<std::size_t>(bytes, 4096)))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 1, bytes);
  }
  template <class T = unsigned char>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(data_.get());
  }

 private:
  struct release {
    void operator()(unsigned char* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<unsigned char, release> data_;
};

/// A copy that goes past the caches, where the machine has such stores.
inline void streaming_copy(unsigned char* target, unsigned char const* source, std::size_t bytes) {
#if defined(__SSE2__)
  auto* to = reinterpret_cast<__m128i*>(target);
  auto const* from = reinterpret_cast<__m128i const*>(source);
  for (std::size_t i = 0; i + 4 <= bytes / 16; i += 4)
    for (std::size_t j = i; j < i + 4; ++j) _mm_stream_si128(to + j, _mm_loadu_si128(from + j));
  _mm_sfence();
#else
  std::memcpy(target, source, bytes);
#endif
}

/// What every time is compared with: the faster of memcpy and a streaming copy of the same bytes,
/// each the median of `samples`.
[[nodiscard]] inline double copy_reference(unsigned char* target, unsigned char const* source,
                                           std::size_t bytes, std::size_t times, int samples) {
  std::vector<double> plain, streaming;
  for (int i = 0; i < samples; ++i) {
    plain.push_back(once([&] { std::memcpy(target, source, bytes); asm volatile("" ::: "memory"); }, times));
    streaming.push_back(once([&] { streaming_copy(target, source, bytes); }, times));
  }
  return std::min(median(plain), median(streaming));
}

[[nodiscard]] inline std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

}  // namespace bench
