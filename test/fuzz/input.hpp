// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <bmmc/index/permutation.hpp>

/// What the targets make of the fuzzer's bytes.
namespace fuzz {

/// Numbers from the fuzzer's bytes; zeros when they are used up.
class input {
 public:
  input(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}
  unsigned below(unsigned limit) {
    if (size_ == 0) return 0;
    --size_;
    return *data_++ % limit;
  }
  /// Any number of so many bits.
  bmmc::index_t number(unsigned bits) {
    bmmc::index_t x = 0;
    for (unsigned k = 0; k < bits; k += 8) x = x << 8 | below(256);
    return x & bmmc::low_bits(bits);
  }
  /// All that is left.
  std::string text() {
    std::string all(reinterpret_cast<char const*>(data_), size_);
    data_ += size_;
    size_ = 0;
    return all;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::uint8_t const* data_;
  std::size_t size_;
};

/// Elementary steps on the identity, `most` of them: sums, exchanges and complements of bits.
inline bmmc::permutation<> made_up(input& in, unsigned n, unsigned most = 200) {
  auto a = bmmc::identity_matrix(n);
  bmmc::index_t c = 0;
  for (unsigned steps = 0; n > 0 && !in.empty() && steps < most; ++steps) {
    const unsigned kind = in.below(4), i = in.below(n), j = in.below(n);
    if (kind == 3)
      c ^= bmmc::bit(i);
    else if (kind == 2)
      std::swap(a.column[i], a.column[j]);
    else if (i != j)
      a.column[i] ^= a.column[j];
  }
  return bmmc::permutation<>(a, c);
}

inline void require(bool holds, char const* what) {
  if (holds) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::abort();
}

}  // namespace fuzz
