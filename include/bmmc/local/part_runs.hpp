// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <type_traits>

#include <bmmc/local/line_job.hpp>
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

  /// Whether runs are whole lines of memory, so that copying them needs no tiles.
  [[nodiscard]] bool has_lines() const noexcept {
    return std::is_trivially_copyable_v<T> && (sizeof(T) << walk_.q) >= line_bytes;
  }
  [[nodiscard]] index_t elements() const noexcept { return bit(walk_.bits); }
  /// The same points, all of them elsewhere.
  void set_offset(index_t offset) noexcept { walk_.offset = offset; }

  void pack(T const* array, T* packed) const {
    for_each([&](index_t y) { fetch<0>(array + y); },
             [&](index_t x, index_t y, index_t count) { std::copy_n(array + y, count, packed + x); });
  }
  void unpack(T const* packed, T* array) const {
    for_each([&](index_t y) { fetch<1>(array + y); },
             [&](index_t x, index_t y, index_t count) { std::copy_n(packed + x, count, array + y); });
  }
  void swap(T* array, index_t v) const {
    for_each_pair(array, v, [](T* first, T* second, index_t count) {
      std::swap_ranges(first, first + count, second);
    });
  }
  /// Calls visit(run, count) for all runs, and visit(run, partner, count) with the runs at
  /// points(t) + v. No bit of v is below the highest bit of a run.
  template <class Visit>
  void for_each_run(T* array, Visit visit) const {
    for_each([&](index_t y) { fetch<1>(array + y); },
             [&](index_t, index_t y, index_t count) { visit(array + y, count); });
  }
  template <class Visit>
  void for_each_pair(T* array, index_t v, Visit visit) const {
    for_each(
        [&](index_t y) {
          fetch<1>(array + y);
          fetch<1>(array + (y ^ v));
        },
        [&](index_t, index_t y, index_t count) { visit(array + y, array + (y ^ v), count); });
  }

 private:
  static constexpr index_t bytes_ahead = 2048;

  template <int IsWritten>
  void fetch(T const* run) const noexcept {
    auto const* const first = reinterpret_cast<char const*>(run);
    const index_t bytes = sizeof(T) << walk_.q;
    for (index_t at = 0; at < bytes; at += line_bytes)
      __builtin_prefetch(first + at, IsWritten, 3);
    __builtin_prefetch(first + bytes - 1, IsWritten, 3);  // of an array that is not aligned
  }
  template <class Fetch, class Visit>
  void for_each(Fetch fetch_run, Visit visit) const {
    const index_t runs = bit(walk_.bits - walk_.q), count = bit(walk_.q);
    index_t y = walk_.offset, later = walk_.offset ^ walk_.beyond.at(ahead_);
    for (index_t run = 0;;) {
      if (ahead_ != 0) fetch_run(later);
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
