// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/local/instructions.hpp>

namespace bmmc::local {

namespace detail {

template <unsigned Bytes>
struct lane_of;
template <>
struct lane_of<1> {
  using type = std::uint8_t;
};
template <>
struct lane_of<2> {
  using type = std::uint16_t;
};
template <>
struct lane_of<4> {
  using type = std::uint32_t;
};
template <>
struct lane_of<8> {
  using type = std::uint64_t;
};

/// Square blocks of elements of `Unit` bytes, a vector of `Bytes` bytes a row: compilers have
/// vectors of these lengths on every machine.
template <unsigned Unit, unsigned Bytes>
struct square {
  static constexpr unsigned side = Bytes / Unit;
  typedef typename lane_of<Unit>::type row __attribute__((vector_size(Bytes)));

  [[gnu::always_inline]] static inline row load(unsigned char const* from) {
    row v;
    std::memcpy(&v, from, Bytes);
    return v;
  }
  /// Elements of a and b in turn, from the lower halves or from the upper ones.
  template <std::size_t... I>
  [[gnu::always_inline]] static inline row in_turn(row a, row b, bool upper,
                                                   std::index_sequence<I...>) {
    return upper ? __builtin_shufflevector(a, b, (side / 2 + I / 2 + I % 2 * side)...)
                 : __builtin_shufflevector(a, b, (I / 2 + I % 2 * side)...);
  }
  /// One step of the transposition: afterwards element index and row index have changed one bit.
  template <std::size_t... K>
  [[gnu::always_inline]] static inline void step(row (&r)[side], std::index_sequence<K...>) {
    const row taken[side] = {r[K]...};
    ((r[K] = in_turn(taken[K / 2], taken[K / 2 + side / 2], K % 2 == 1,
                     std::make_index_sequence<side>())),
     ...);
  }
  /// to[i, j] = from[j, i].
  template <std::size_t... K>
  [[gnu::always_inline]] static inline void transpose(unsigned char const* from, index_t from_step,
                                                      unsigned char* to, index_t to_step,
                                                      std::index_sequence<K...> all) {
    row r[side] = {load(from + K * from_step)...};
    for (unsigned s = 1; s < side; s *= 2) step(r, all);
    (std::memcpy(to + K * to_step, &r[K], Bytes), ...);
  }
};

/// to[i][j] = from[j][i] for i < rows, j < cols; rows of the target and of the source are `to_step`
/// and `from_step` bytes apart. The last blocks of a row overlap the ones before.
template <unsigned Unit, unsigned Bytes>
void transpose_squares(unsigned char const* from, index_t from_step, unsigned char* to,
                       index_t to_step, index_t rows, index_t cols) {
  using block = square<Unit, Bytes>;
  constexpr index_t side = block::side;
  for (index_t j = 0; j < cols; j += side) {
    if (j + side > cols) j = cols - side;
    for (index_t i = 0; i < rows; i += side) {
      if (i + side > rows) i = rows - side;
      block::transpose(from + j * from_step + i * Unit, from_step, to + i * to_step + j * Unit,
                       to_step, std::make_index_sequence<side>());
    }
  }
}

/// The same one element at a time, for any steps of either side.
template <unsigned Unit>
void transpose_elements(unsigned char const* from, index_t from_row, index_t from_col,
                        unsigned char* to, index_t to_row, index_t to_col, index_t rows,
                        index_t cols) {
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = 0; j < cols; ++j)
      std::memcpy(to + i * to_row + j * to_col, from + i * from_row + j * from_col, Unit);
}

}  // namespace detail

/// to[i][j] = from[j][i], elements of 1, 2, 4, 8 or 16 bytes side by side in the rows of both.
template <unsigned Unit>
void transpose_plane(unsigned char const* from, index_t from_step, unsigned char* to,
                     index_t to_step, index_t rows, index_t cols) {
  if constexpr (Unit < 16) {
    constexpr index_t side = 16 / Unit;
    if (rows >= side && cols >= side)
      return detail::transpose_squares<Unit, 16>(from, from_step, to, to_step, rows, cols);
    if constexpr (Unit < 8)
      if (rows >= side / 2 && cols >= side / 2)
        return detail::transpose_squares<Unit, 8>(from, from_step, to, to_step, rows, cols);
  }
  detail::transpose_elements<Unit>(from, Unit, from_step, to, to_step, Unit, rows, cols);
}

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

/// Copies whole lines past the caches, where the machine has such stores. One store for a line is
/// worth its own code: on Ice Lake four of 16 bytes, among reads from memory, took twice the time.
using line_copy = void (*)(unsigned char* to, unsigned char const* from, index_t lines);

/// How lines are copied with these instructions: past the caches where they can do that.
[[nodiscard]] line_copy line_copy_of(instructions set);

/// Writes a run of a large array from a buffer, whole lines by `copy`. What begins or ends inside a
/// line goes through the caches, or it waits: where `begins` is false the bytes of the target's
/// line before `to` stand before `from`; where `ends` is false those of the last line are put
/// before `kept`.
inline void stream_run(unsigned char* to, unsigned char const* from, index_t bytes, bool begins,
                       bool ends, unsigned char* kept, line_copy copy) {
  const index_t lead = reinterpret_cast<std::uintptr_t>(to) % 64;
  if (!begins) {
    to -= lead;
    from -= lead;
    bytes += lead;
  } else if (lead != 0) {
    const index_t head = bytes < 64 - lead ? bytes : 64 - lead;
    copy_bytes(to, from, head);
    to += head;
    from += head;
    bytes -= head;
  }
  const index_t whole = bytes / 64;
  copy(to, from, whole);
  bytes %= 64;
  if (bytes != 0) copy_bytes(ends ? to + 64 * whole : kept - bytes, from + 64 * whole, bytes);
}
/// After the last row: lines that were stored past the caches come before all later stores.
inline void end_of_rows() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/local/line_copy.hpp>
#endif
