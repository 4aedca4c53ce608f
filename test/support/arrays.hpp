// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "oracle.hpp"

/// Element types by size, the odd ones too.
template <std::size_t Size>
struct opaque {
  unsigned char byte[Size];
};

/// Bytes that begin `offset` after a line of 64 bytes, between guards that must not change and,
/// under AddressSanitizer, must not be read either.
class guarded_bytes {
 public:
  guarded_bytes(std::size_t size, std::size_t offset) : size_(size), storage_(size + 4 * 64) {
    place(offset);
  }
  guarded_bytes(guarded_bytes const&) = delete;
  guarded_bytes& operator=(guarded_bytes const&) = delete;
  ~guarded_bytes() { open(); }

  /// Puts the bytes elsewhere; they and the guards get the guards' value.
  void place(std::size_t offset) {
    open();
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    begin_ = (64 - address % 64) % 64 + 64 + offset;
    std::fill(storage_.begin(), storage_.end(), guard);
    close();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] unsigned char* data() { return storage_.data() + begin_; }
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data());
  }
  /// The first and the last bytes are as they were.
  [[nodiscard]] bool intact() {
    open();
    const auto is_guard = [](unsigned char byte) { return byte == guard; };
    const auto begin = storage_.begin() + static_cast<std::ptrdiff_t>(begin_);
    const bool result =
        std::all_of(storage_.begin(), begin, is_guard) &&
        std::all_of(begin + static_cast<std::ptrdiff_t>(size_), storage_.end(), is_guard);
    close();
    return result;
  }
  void randomize(oracle::generator& random) {
    for (std::size_t i = 0; i < size_; i += 8) {
      const oracle::number word = random();
      std::memcpy(data() + i, &word, std::min<std::size_t>(8, size_ - i));
    }
  }

  static constexpr unsigned char guard = 0xa5;

 private:
#ifdef __SANITIZE_ADDRESS__
  void open() { __asan_unpoison_memory_region(storage_.data(), storage_.size()); }
  void close() {  // of eight bytes that share a mark only the last ones can be poisoned
    __asan_poison_memory_region(storage_.data(), begin_ / 8 * 8);
    __asan_poison_memory_region(data() + size_, storage_.size() - begin_ - size_);
  }
#else
  void open() {}
  void close() {}
#endif

  std::size_t size_, begin_ = 0;
  std::vector<unsigned char> storage_;
};

/// The targets of all 2^n source indices, by the oracle: what is affine doubles with each bit.
inline std::vector<oracle::number> all_targets(oracle::affine const& map) {
  std::vector<oracle::number> targets{oracle::to_number(map.c)};
  for (unsigned j = 0; j < map.a.cols; ++j) {
    const oracle::number column = oracle::column_word(map.a, j);
    for (std::size_t x = 0, count = targets.size(); x < count; ++x)
      targets.push_back(targets[x] ^ column);
  }
  return targets;
}
