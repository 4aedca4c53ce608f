// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "support/measure.hpp"

/// The reference of the local benchmarks, and the memory that they run on.
namespace measure {

/// Milliseconds of one call, as the mean of `times` in a row.
template <class F>
[[nodiscard]] double milliseconds(F&& f, std::size_t times = 1) {
  const double begin = now();
  for (std::size_t i = 0; i < times; ++i) f();
  return (now() - begin) * 1e3 / static_cast<double>(times);
}

/// Bytes that begin at a page, all of them touched.
class memory {
 public:
  explicit memory(std::size_t bytes)
      : data_(static_cast<std::byte*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_.get(), 1, bytes);
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_.get(); }

 private:
  struct release {
    void operator()(std::byte* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<std::byte, release> data_;
};

/// What times are compared with: the faster of memcpy and a copy past the caches, each the median
/// of three.
[[nodiscard]] inline double copy_reference(std::byte* target, std::byte const* source,
                                           std::size_t bytes, std::size_t times = 1) {
  // A call through a volatile pointer is not optimized away.
  void* (*volatile copy)(void*, void const*, std::size_t) = std::memcpy;
  std::vector<double> plain, past_cache;
  for (int i = 0; i < 3; ++i) {
    plain.push_back(milliseconds([&] { copy(target, source, bytes); }, times));
    past_cache.push_back(milliseconds([&] { copy_past_cache(target, source, bytes); }, times));
  }
  return std::min(median(plain), median(past_cache));
}

}  // namespace measure
