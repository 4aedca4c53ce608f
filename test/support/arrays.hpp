// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "oracle.hpp"

/// Element types by size, the odd ones too.
template <std::size_t Size>
struct opaque {
  unsigned char byte[Size];
};

/// Bytes that begin `offset` after a line of 64 bytes, between guards that must not change.
class guarded_bytes {
 public:
  guarded_bytes(std::size_t size, std::size_t offset)
      : size_(size), storage_(size + 4 * 64, guard) {
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    begin_ = (64 - address % 64) % 64 + 64 + offset;
  }
  guarded_bytes(guarded_bytes const&) = delete;
  guarded_bytes& operator=(guarded_bytes const&) = delete;

  [[nodiscard]] unsigned char* data() { return storage_.data() + begin_; }
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data());
  }
  /// The first and the last bytes are as they were.
  [[nodiscard]] bool intact() const {
    for (std::size_t i = 0; i < storage_.size(); ++i)
      if ((i < begin_ || i >= begin_ + size_) && storage_[i] != guard) return false;
    return true;
  }
  void randomize(oracle::generator& random) {
    for (std::size_t i = 0; i < size_; ++i) data()[i] = static_cast<unsigned char>(random() >> 7);
  }

  static constexpr unsigned char guard = 0xa5;

 private:
  std::size_t size_, begin_ = 0;
  std::vector<unsigned char> storage_;
};

/// The targets of all 2^n source indices, by the oracle.
inline std::vector<oracle::number> all_targets(oracle::affine const& map) {
  std::vector<oracle::number> targets(oracle::power(map.a.cols));
  for (oracle::number x = 0; x < targets.size(); ++x) targets[x] = map(x);
  return targets;
}
