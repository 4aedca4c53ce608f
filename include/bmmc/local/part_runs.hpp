// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include <bmmc/local/lines/line_job.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// The elements of a part of an array, element t at points(t), run by run: copied to an array of
/// their own and back, or exchanged with those at points(t) + v. Short runs are fetched ahead: the
/// hardware fetches what lies between them, too, and not what comes next.
template <class T>
class part_runs {
 public:
  part_runs() = default;
  /// `others` has a 1 where offsets and v may have one below the highest bits of a run.
  explicit part_runs(affine_map const& points, index_t others = 0) : walk_(points, others) {
    const index_t bytes = sizeof(T) << walk_.q;
    if (bytes < bit(page_bits)) ahead_ = std::max<index_t>(2, bytes_ahead / bytes);
    const index_t runs = bit(walk_.bits - walk_.q);
    if (ahead_ >= runs) ahead_ = 0;
  }

  /// Whether runs are of whole lines of memory, so that copying them needs no tiles.
  [[nodiscard]] bool has_lines() const noexcept {
    return std::is_trivially_copyable_v<T> && (sizeof(T) << walk_.q) % line_bytes == 0;
  }
  [[nodiscard]] index_t elements() const noexcept { return bit(walk_.bits); }
  /// The same points, all of them elsewhere.
  void set_offset(index_t offset) noexcept { walk_.offset = offset; }

  void pack(T const* array, T* packed) const {
    for_each<reading>(array, 0, [&](index_t x, index_t y, index_t count) {
      copy_run(array + y, packed + x, count);
    });
  }
  void unpack(T const* packed, T* array) const {
    for_each<writing>(array, 0, [&](index_t x, index_t y, index_t count) {
      copy_run(packed + x, array + y, count);
    });
  }
  void swap(T* array, index_t v) const {
    if (has_lines())
      for_each_pair(array, v, swap_lines);
    else
      for_each_pair(array, v, [](T* first, T* second, index_t count) {
        std::swap_ranges(first, first + count, second);
      });
  }
  /// Calls visit(run, count) for all runs, and visit(run, partner, count) with the runs at
  /// points(t) + v. No bit of v is below the highest bit of a run.
  template <class Visit>
  void for_each_run(T* array, Visit visit) const {
    for_each<writing>(array, 0,
                      [&](index_t, index_t y, index_t count) { visit(array + y, count); });
  }
  template <class Visit>
  void for_each_pair(T* array, index_t v, Visit visit) const {
    for_each<writing>(array, v, [&](index_t, index_t y, index_t count) {
      visit(array + y, array + (y ^ v), count);
    });
  }

 private:
  static constexpr index_t bytes_ahead = 2048;
  static constexpr int reading = 0, writing = 1;

  /// A line is read whole before it is written: a store to a line that is still on its way holds up
  /// the loads after it.
  static void swap_lines(T* first, T* second, index_t count) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      auto* const a = reinterpret_cast<unsigned char*>(first);
      auto* const b = reinterpret_cast<unsigned char*>(second);
      for (index_t at = 0; at < count * sizeof(T); at += line_bytes) {
        std::array<unsigned char, line_bytes> line;
        std::memcpy(line.data(), a + at, line_bytes);
        std::memcpy(a + at, b + at, line_bytes);
        std::memcpy(b + at, line.data(), line_bytes);
      }
    }
  }
  /// Short runs of lines without a call.
  void copy_run(T const* from, T* to, index_t count) const {
    if constexpr (std::is_trivially_copyable_v<T>)
      if (has_lines() && ahead_ != 0) {
        auto const* const a = reinterpret_cast<unsigned char const*>(from);
        auto* const b = reinterpret_cast<unsigned char*>(to);
        for (index_t at = 0; at < count * sizeof(T); at += line_bytes)
          std::memcpy(b + at, a + at, line_bytes);
        return;
      }
    std::copy_n(from, count, to);
  }
  /// Calls visit(x, y, count) for each run; y and y + v are fetched some runs before. It is written
  /// out here since g++ 12 leaves out calls of functions that do nothing but fetch.
  template <int IsWritten, class Visit>
  void for_each(T const* array, index_t v, Visit visit) const {
    const index_t runs = bit(walk_.bits - walk_.q), count = bit(walk_.q);
    const index_t bytes = count * sizeof(T);
    index_t y = walk_.offset, later = walk_.offset ^ walk_.beyond.at(ahead_);
    for (index_t run = 0;;) {
      if (ahead_ != 0) {
        auto const* const first = reinterpret_cast<char const*>(array + later);
        auto const* const other = reinterpret_cast<char const*>(array + (later ^ v));
        for (index_t at = 0; at < bytes; at += line_bytes) {
          __builtin_prefetch(first + at, IsWritten, 3);
          if (v != 0) __builtin_prefetch(other + at, IsWritten, 3);
        }
        __builtin_prefetch(first + bytes - 1, IsWritten, 3);  // of an array that is not aligned
        if (v != 0) __builtin_prefetch(other + bytes - 1, IsWritten, 3);
      }
      visit(run << walk_.q, y, count);
      if (++run == runs) return;
      walk_.beyond.advance(y, run);
      if (run + ahead_ < runs) walk_.beyond.advance(later, run + ahead_);
    }
  }

  run_walk walk_;
  index_t ahead_ = 0;  // runs
};

}  // namespace bmmc::local
