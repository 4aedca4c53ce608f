// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/local/boxes/interleave.hpp>
#include <bmmc/local/boxes/segments.hpp>
#include <bmmc/local/kernels/instructions.hpp>

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
  /// to[i][j] = from[j][i] where row j begins at from(j) and row i of the target at to(i).
  template <class From, class To, std::size_t... K>
  [[gnu::always_inline]] static inline void transpose(From from, To to,
                                                      std::index_sequence<K...> all) {
    row r[side] = {load(from(K))...};
    for (unsigned s = 1; s < side; s *= 2) step(r, all);
    (std::memcpy(to(K), &r[K], Bytes), ...);
  }
};

/// to[i][j] = from[j][i] for i < rows and first <= j < cols, in squares. The last ones of a row or
/// column overlap those before.
template <unsigned Unit, unsigned Bytes, class From, class To>
void transpose_squares(From from, To to, index_t rows, index_t first, index_t cols) {
  using block = square<Unit, Bytes>;
  constexpr index_t side = block::side;
  for (index_t j = first; j < cols; j += side) {
    if (j + side > cols) j = cols - side;
    for (index_t i = 0; i < rows; i += side) {
      if (i + side > rows) i = rows - side;
      block::transpose([&](index_t k) { return from(j + k) + i * Unit; },
                       [&](index_t k) { return to(i + k) + j * Unit; },
                       std::make_index_sequence<side>());
    }
  }
}

/// The same in the largest squares that there is room for.
template <unsigned Unit, class From, class To>
void transpose_any(From from, To to, index_t rows, index_t first, index_t cols) {
  if constexpr (Unit < 16) {
    constexpr index_t side = 16 / Unit;
    if (rows >= side && cols >= side)
      return transpose_squares<Unit, 16>(from, to, rows, first, cols);
    if constexpr (Unit < 8)
      if (rows >= side / 2 && cols >= side / 2)
        return transpose_squares<Unit, 8>(from, to, rows, first, cols);
  }
  for (index_t i = 0; i < rows; ++i)
    for (index_t j = first; j < cols; ++j) std::memcpy(to(i) + j * Unit, from(j) + i * Unit, Unit);
}

}  // namespace detail

/// to[i][j] = from[j][i], elements of 1, 2, 4, 8 or 16 bytes side by side in the rows of both,
/// which are `to_step` and `from_step` bytes apart.
template <unsigned Unit>
void transpose_plane(unsigned char const* from, index_t from_step, unsigned char* to,
                     index_t to_step, index_t rows, index_t cols) {
  detail::transpose_any<Unit>([=](index_t j) { return from + j * from_step; },
                              [=](index_t i) { return to + i * to_step; }, rows, 0, cols);
}

/// A piece that is transposed: row i of the target begins at to + places[i], and has an element of
/// each of so many rows of the source, which begin at from + offsets[j].
struct piece_job {
  unsigned char const* from;
  index_t const* offsets;
  index_t cols;
  unsigned char* to;
  std::uint32_t const* places;
  index_t rows;
  index_t unit;  // bytes of an element
};

/// The same straight to the target: each row is a run of it, or goes on with one. There are as many
/// rows as elements in 16 bytes at least.
/// Whole lines, where `leads` is null: row i goes on with the line at to + places[i].
/// Else it goes on in this line behind so many lanes of 4 bytes; begins, ends and `kept` are as in
/// a run_job, and rows that begin have 64 bytes. Of elements of 4, 8 and 16 bytes.
struct line_piece_job {
  unsigned char const* from;
  index_t const* offsets;
  index_t cols;
  unsigned char* to;
  index_t const* places;
  std::uint32_t const* leads = nullptr;
  index_t rows;
  unsigned char* kept;
  bool begins, ends;
};

/// Columns from `first` on, in squares of 16 bytes; of units of any length where Unit is 0.
template <unsigned Unit>
void transpose_piece(piece_job const& p, index_t first = 0) {
  if constexpr (Unit != 0) {
    detail::transpose_any<Unit>([&](index_t j) { return p.from + p.offsets[j]; },
                                [&](index_t i) { return p.to + p.places[i]; }, p.rows, first,
                                p.cols);
  } else {
    for (index_t i = 0; i < p.rows; ++i)
      for (index_t j = first; j < p.cols; ++j)
        std::memcpy(p.to + p.places[i] + j * p.unit, p.from + p.offsets[j] + i * p.unit, p.unit);
  }
}

/// Runs that are written to target + offsets[i], from buffers that are `from_step` bytes apart.
/// Where `begins` is false each continues the run that the job before has written: the last bytes
/// of it, less than a line, are at the end of kept[i], a line for each run. Where `ends` is false
/// they are left there; runs that begin and do not end have 64 bytes at least.
struct run_job {
  unsigned char* target;
  index_t const* offsets;
  unsigned char const* from;
  index_t from_step;
  unsigned char* kept;
  index_t count, bytes;
  bool begins, ends;
};

/// How pieces are moved with some instruction set.
struct box_moves {
  void (*transpose)(piece_job const&);
  void (*write)(run_job const&);
  void (*to_lines)(line_piece_job const&) = nullptr;  // where a vector is a line
  void (*interleave)(detail::interleave_job const&) =
      nullptr;                                         // where bytes are looked up in vectors,
  unsigned interleaved = 64;                           // so many at a time
  void (*blocks)(detail::block_job const&) = nullptr;  // where a vector is a line
};

namespace detail {
/// The way to take elements in turn that an instruction set has.
template <class = void>
void add_interleaving(box_moves& moves, instructions set);
}  // namespace detail

/// For units of so many bytes. Whole lines are written past the caches where the machine has such
/// stores. One store for a line is worth its own code: on Ice Lake four of 16 bytes, among reads
/// from memory, took twice the time.
template <class = void>
[[nodiscard]] box_moves box_moves_of(instructions set, index_t unit);

/// The same for what is to stay in the caches: nothing is stored past them.
[[nodiscard]] inline box_moves into_caches(box_moves moves) {
  moves.write = box_moves_of(instructions::portable, 0).write;
  moves.to_lines = nullptr;
  return moves;
}

/// After the last row: lines that were stored past the caches come before all later stores.
inline void end_of_rows() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_ia32_sfence();
#endif
}

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/local/boxes/box_moves.hpp>
#endif
