// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <bmmc/local/axes/merged_axes.hpp>
#include <bmmc/local/axes/square_swaps.hpp>
#include <bmmc/local/boxes/box_kernel.hpp>
#include <bmmc/local/tuning/tuning.hpp>

namespace bmmc::local::detail {

/// Carries out a square_swap by pairs of tiles: both are transposed into buffers, while the next
/// pair is fetched, and each is written where the other was.
class tile_swapper {
 public:
  tile_swapper(square_swap const& s, tuning const& t)
      : swap_(s),
        unit_(s.segment <= 16 && std::has_single_bit(s.segment) ? s.segment : 0),
        moves_(box_moves_of(t.use, unit_)) {
    if (s.bytes() < t.stream_from || t.shape.caches_in_place) moves_ = into_caches(moves_);
    constexpr index_t most = index_t{1} << 17;  // of a tile: four of them in a second-level cache
    while (4 * side_ * side_ * s.segment <= most && side_ < s.extent) side_ *= 2;
    tiles_ = (s.extent + side_ - 1) / side_;
    step_ = whole_lines(side_ * s.segment) + 64;
  }

  /// Pairs of tiles, each of which may be moved at any time.
  [[nodiscard]] index_t parts() const noexcept {
    return swap_.outer * swap_.between * (tiles_ * (tiles_ + 1) / 2);
  }
  [[nodiscard]] index_t buffer_bytes() const noexcept {
    return 2 * side_ * step_ + table_bytes() + 64;
  }
  void run(unsigned char* data, unsigned char* buffer, index_t first, index_t last) const {
    auto* const offsets = reinterpret_cast<index_t*>(buffer);
    auto* const places = reinterpret_cast<std::uint32_t*>(offsets + side_);
    for (index_t k = 0; k < side_; ++k) {
      offsets[k] = k * swap_.row();
      places[k] = static_cast<std::uint32_t>(k * step_);
    }
    unsigned char* const one = buffer + table_bytes();
    unsigned char* const other = one + side_ * step_;
    pair at = pair_of(first);
    for (index_t number = first; number < last; ++number) {
      const pair now = at;
      advance(at);
      read(data, now.base, now.low, now.high, one, offsets, places);
      if (now.low != now.high) read(data, now.base, now.high, now.low, other, offsets, places);
      if (number + 1 < last) {
        fetch(data, at.base, at.low, at.high);
        if (at.low != at.high) fetch(data, at.base, at.high, at.low);
      }
      write(data, now.base, now.high, now.low, one, offsets);
      if (now.low != now.high) write(data, now.base, now.low, now.high, other, offsets);
    }
    end_of_rows();
  }

 private:
  struct pair {
    index_t base = 0, inner = 0, low = 0, high = 0;  // rows of tile `low`, columns of tile `high`
  };
  [[nodiscard]] index_t table_bytes() const noexcept {
    return whole_lines(side_ * (sizeof(index_t) + sizeof(std::uint32_t)));
  }
  [[nodiscard]] pair pair_of(index_t number) const {
    const index_t triangle = tiles_ * (tiles_ + 1) / 2, square = number / triangle;
    pair at;
    at.inner = square % swap_.between;
    at.base = square / swap_.between * swap_.extent * swap_.row() +
              at.inner * swap_.extent * swap_.segment;
    index_t left = number % triangle;
    for (; left >= tiles_ - at.low; ++at.low) left -= tiles_ - at.low;
    at.high = at.low + left;
    return at;
  }
  void advance(pair& at) const {
    if (++at.high < tiles_) return;
    if (++at.low == tiles_) {
      at.low = 0;
      at.base += swap_.extent * swap_.segment;
      if (++at.inner == swap_.between) {
        at.inner = 0;
        at.base += (swap_.extent - 1) * swap_.row();
      }
    }
    at.high = at.low;
  }
  [[nodiscard]] index_t count(index_t tile) const {
    return std::min(side_, swap_.extent - tile * side_);
  }
  [[nodiscard]] index_t begin(index_t base, index_t rows, index_t cols) const {
    return base + side_ * (rows * swap_.row() + cols * swap_.segment);
  }
  void read(unsigned char const* data, index_t base, index_t rows, index_t cols,
            unsigned char* buffer, index_t const* offsets, std::uint32_t const* places) const {
    unsigned char const* const from = data + begin(base, rows, cols);
    if (unit_ != 0) {
      moves_.transpose({from, offsets, count(rows), buffer, places, count(cols), unit_});
      return;
    }
    for (index_t j = 0; j < count(cols); ++j)
      join_segments(buffer + j * step_, from + j * swap_.segment, offsets, count(rows),
                    swap_.segment);
  }
  void write(unsigned char* data, index_t base, index_t rows, index_t cols,
             unsigned char const* buffer, index_t const* offsets) const {
    moves_.write({data + begin(base, rows, cols), offsets, buffer, step_, data, count(rows),
                  count(cols) * swap_.segment, true, true});
  }
  // Inline: g++ 12 leaves out calls of functions that only fetch.
  [[gnu::always_inline]] void fetch(unsigned char const* data, index_t base, index_t rows,
                                    index_t cols) const {
    unsigned char const* from = data + begin(base, rows, cols);
    const index_t bytes = count(cols) * swap_.segment;
    for (index_t i = 0; i < count(rows); ++i, from += swap_.row()) {
      for (index_t k = 0; k < bytes; k += 64) __builtin_prefetch(from + k, 1, 2);
      __builtin_prefetch(from + bytes - 1, 1, 2);  // of an array that is not aligned
    }
  }

  square_swap swap_;
  index_t unit_;
  box_moves moves_;
  index_t side_ = 1, tiles_ = 1, step_ = 64;
};

}  // namespace bmmc::local::detail
