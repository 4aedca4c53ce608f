// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <bmmc/gf2/short_list.hpp>

namespace bmmc::local::detail {

/// So many rows at most are taken from elements in turn, or put together to such; fewer with short
/// lines. A line of 64 bytes takes a lookup for each two rows, a short one a lookup for each;
/// transposed in squares it takes some 12 instructions.
inline constexpr unsigned most_interleaved = 15, most_interleaved_short = 12;

/// How `rows` lines of 64 bytes or 16, one of each of as many rows, lie in as many lines of
/// elements in turn: one of each row, then the next one of each. For each line that is made, the
/// byte that each of its bytes was in its own pair of lines, which are looked up together, and by
/// the pair which bytes come from that; for short lines the same by the line.
struct interleaving {
  static constexpr unsigned short_line = 16, none = 0x80;  // that no byte of such a line has
  using lookups = std::array<std::uint8_t, short_line>;
  using short_lookups = std::array<lookups, most_interleaved_short>;

  unsigned rows = 0, line = 64;
  alignas(64) std::array<std::array<std::uint8_t, 64>, most_interleaved> from{};
  std::array<std::array<std::uint64_t, (most_interleaved + 1) / 2>, most_interleaved> lanes{};
  std::array<short_lookups, most_interleaved_short> picked{};

  interleaving() = default;
  /// Any permutation of the first `count` bytes of some whole lines: byte i is made of byte
  /// source_of(i).
  template <class Source>
  static interleaving of_bytes(unsigned count, Source source_of) {
    interleaving how;
    how.rows = (count + 63) / 64;
    for (unsigned i = 0; i < count; ++i)
      how.set(i / 64, i % 64, source_of(i) / 64, source_of(i) % 64);
    return how;
  }
  /// The rows, side by side, of a block of columns of elements of `unit` bytes; place_of(col) is
  /// the number of a column in the block.
  template <class Place>
  static interleaving of_columns(index_t unit, index_t rows, index_t cols, Place place_of) {
    return of_bytes(static_cast<unsigned>(unit * rows * cols), [=](unsigned byte) {
      const index_t element = byte / unit, row = element / cols, col = element % cols;
      return static_cast<unsigned>((place_of(col) * rows + row) * unit + byte % unit);
    });
  }
  /// Lines of elements in turn are made, or, `apart`, lines of rows.
  interleaving(unsigned count, unsigned bytes, unsigned unit, bool apart)
      : rows(count), line(bytes) {
    if (line == short_line)
      for (auto& of_line : picked)
        for (auto& each : of_line) each.fill(none);
    for (unsigned row = 0; row < count; ++row)
      for (unsigned i = 0; i < line; ++i) {
        const unsigned in_turn = (i / unit * count + row) * unit + i % unit;
        if (apart)
          set(row, i, in_turn / line, in_turn % line);
        else
          set(in_turn / line, in_turn % line, row, i);
      }
  }

 private:
  void set(unsigned made, unsigned lane, unsigned read, unsigned read_lane) {
    if (line == short_line) {
      picked[made][read][lane] = static_cast<std::uint8_t>(read_lane);
    } else {
      from[made][lane] = static_cast<std::uint8_t>(read_lane + read % 2 * line);
      lanes[made][read / 2] |= std::uint64_t{1} << lane;
    }
  }
};

/// Rows of so many bytes that are put together to elements in turn, or taken from these. Line l of
/// the next lines of all rows is read at from[l], or written at to[l]; then they go on by a step.
struct interleave_job {
  interleaving const* how;
  index_t bytes;
  std::array<unsigned char const*, most_interleaved> from;
  std::array<unsigned char*, most_interleaved> to;
  index_t from_step = 0, to_step = 0;

  /// Rows that begin at row(i) are put together at `turns`.
  template <class Row>
  static interleave_job join(interleaving const& how, index_t bytes, Row row,
                             unsigned char* turns) {
    interleave_job job(how, bytes);
    for (unsigned i = 0; i < how.rows; ++i) {
      job.from[i] = row(i);
      job.to[i] = turns + index_t{how.line} * i;
    }
    job.to_step *= how.rows;
    return job;
  }
  /// Rows are taken from `turns`.
  template <class Row>
  static interleave_job split(interleaving const& how, index_t bytes, unsigned char const* turns,
                              Row row) {
    interleave_job job(how, bytes);
    for (unsigned i = 0; i < how.rows; ++i) {
      job.from[i] = turns + index_t{how.line} * i;
      job.to[i] = row(i);
    }
    job.from_step *= how.rows;
    return job;
  }
  /// Of the last lines, when `rest` bytes of each row are left: bytes of line l, which goes on by
  /// `step`.
  [[nodiscard]] index_t bytes_of(unsigned l, index_t rest, index_t step) const noexcept {
    const index_t line = how->line, all = rest * how->rows, before = line * l;
    if (step == line) return rest;
    return all < before ? 0 : std::min(all - before, line);
  }

 private:
  interleave_job(interleaving const& table, index_t count)
      : how(&table), bytes(count), from_step(table.line), to_step(table.line) {}
};

/// Blocks of `unit` bytes that begin at from + offsets[j], put side by side, each permuted.
struct block_job {
  interleaving const* how;
  index_t unit;
  unsigned char const* from;
  index_t const* offsets;
  index_t cols;
  unsigned char* to;
};

}  // namespace bmmc::local::detail
