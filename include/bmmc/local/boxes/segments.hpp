// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <bmmc/gf2/short_list.hpp>

/// Bytes that stay together, copied.
namespace bmmc::local {

/// Copies some bytes; short copies without a call.
inline void copy_bytes(unsigned char* to, unsigned char const* from, index_t bytes) {
  if (bytes >= 256) {
    std::memcpy(to, from, bytes);
    return;
  }
  const auto ends = [&]<class Word>(Word) {
    Word first, last;
    std::memcpy(&first, from, sizeof(Word));
    std::memcpy(&last, from + bytes - sizeof(Word), sizeof(Word));
    std::memcpy(to, &first, sizeof(Word));
    std::memcpy(to + bytes - sizeof(Word), &last, sizeof(Word));
  };
  if (bytes >= 16) {
    typedef std::uint64_t vector __attribute__((vector_size(16)));
    for (index_t i = 16; i < bytes - 16; i += 16) {
      vector v;
      std::memcpy(&v, from + i, 16);
      std::memcpy(to + i, &v, 16);
    }
    ends(vector{});
  } else if (bytes >= 8) {
    ends(std::uint64_t{});
  } else if (bytes >= 4) {
    ends(std::uint32_t{});
  } else if (bytes >= 2) {
    ends(std::uint16_t{});
  } else if (bytes == 1) {
    *to = *from;
  }
}

/// Copies so many segments of `bytes` from from(i) to to(i).
template <class From, class To>
void copy_segments(index_t count, index_t bytes, From from, To to) {
  typedef std::uint64_t vector __attribute__((vector_size(16)));
  // words from both ends, which may overlap
  const auto in_words = [&]<class Word, std::size_t... K>(Word, std::index_sequence<K...>) {
    const index_t back = bytes - sizeof(Word) * sizeof...(K);
    for (index_t i = 0; i < count; ++i) {
      Word word[2 * sizeof...(K)];
      unsigned char const* const source = from(i);
      unsigned char* const target = to(i);
      ((std::memcpy(&word[K], source + sizeof(Word) * K, sizeof(Word)),
        std::memcpy(&word[sizeof...(K) + K], source + back + sizeof(Word) * K, sizeof(Word))),
       ...);
      ((std::memcpy(target + sizeof(Word) * K, &word[K], sizeof(Word)),
        std::memcpy(target + back + sizeof(Word) * K, &word[sizeof...(K) + K], sizeof(Word))),
       ...);
    }
  };
  if (bytes >= 2 && bytes <= 4) return in_words(std::uint16_t{}, std::index_sequence<0>());
  if (bytes > 4 && bytes <= 8) return in_words(std::uint32_t{}, std::index_sequence<0>());
  if (bytes > 8 && bytes <= 16) return in_words(std::uint64_t{}, std::index_sequence<0>());
  if (bytes > 16 && bytes <= 32) return in_words(vector{}, std::index_sequence<0>());
  if (bytes > 32 && bytes <= 64) return in_words(vector{}, std::index_sequence<0, 1>());
  if (bytes > 64 && bytes <= 128) return in_words(vector{}, std::index_sequence<0, 1, 2, 3>());
  for (index_t i = 0; i < count; ++i) copy_bytes(to(i), from(i), bytes);
}

/// Puts so many segments side by side that begin at from + offsets[i].
inline void join_segments(unsigned char* to, unsigned char const* from, index_t const* offsets,
                          index_t count, index_t bytes) {
  copy_segments(
      count, bytes, [=](index_t i) { return from + offsets[i]; },
      [=](index_t i) { return to + i * bytes; });
}

}  // namespace bmmc::local
