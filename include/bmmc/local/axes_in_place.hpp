// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/in_place.hpp>

namespace bmmc::local {

namespace detail {

/// Two axes of one extent that change places in an array: positions (o, i, b, j) and (o, j, b, i),
/// of `segment` bytes each.
struct square_swap {
  index_t outer = 1, extent = 1, between = 1, segment = 1;

  [[nodiscard]] index_t row() const noexcept { return between * extent * segment; }
  [[nodiscard]] index_t bytes() const noexcept { return outer * extent * row(); }
};

/// Axes of a target, the slowest first, of which neighbours that stay together are one where
/// `joins` has a bit.
[[nodiscard]] inline short_list<strided_axis> joined_axes(short_list<strided_axis> const& axes,
                                                          index_t joins) {
  short_list<strided_axis> made;
  for (unsigned k = 0; k < axes.size(); ++k)
    if (k != 0 && (joins >> k & 1) != 0)
      made[made.size() - 1] = {made[made.size() - 1].extent * axes[k].extent, axes[k].source,
                               axes[k].target};
    else
      made.push_back(axes[k]);
  return made;
}

/// The swaps that bring axes to their places, one after another, each to that of one of the same
/// extent; false where that cannot be.
[[nodiscard]] inline bool find_swaps(short_list<strided_axis> const& wanted, index_t element_bytes,
                                     std::vector<square_swap>& swaps) {
  auto held = wanted;
  sort_stably(held, [](auto const& a, auto const& b) { return a.source > b.source; });
  for (unsigned k = 0; k < wanted.size(); ++k)
    if (held[k].extent != wanted[k].extent) return false;
  for (unsigned k = 0; k < wanted.size(); ++k) {
    unsigned m = k;
    while (held[m].target != wanted[k].target) ++m;
    if (m == k) continue;
    square_swap s;
    s.extent = held[k].extent;
    s.segment = element_bytes;
    for (unsigned i = 0; i < held.size(); ++i)
      if (i != k && i != m) (i < k ? s.outer : i > m ? s.segment : s.between) *= held[i].extent;
    swaps.push_back(s);
    std::swap(held[k], held[m]);
  }
  return true;
}

/// The swaps that permute the axes of an array. Neighbours that stay together are joined where that
/// helps.
/// Errors  bad_value where an axis would come to the place of one of another extent.
[[nodiscard]] inline std::vector<square_swap> square_swaps(extents const& array,
                                                           axis_order const& axes,
                                                           index_t element_bytes) {
  const digit_permutation p(array, axes);
  short_list<strided_axis> apart;
  index_t joinable = 0;
  for (const unsigned k : axes) {
    if (array[k] == 1) continue;
    const strided_axis next{array[k], array.stride(k), p.target_stride(k)};
    if (apart.size() != 0 && apart[apart.size() - 1].source == next.source * next.extent)
      joinable |= bit(apart.size());
    apart.push_back(next);
  }
  std::vector<square_swap> swaps;
  for (index_t joins = 0;; joins = (joins - joinable) & joinable) {  // all subsets
    if (find_swaps(joined_axes(apart, joins), element_bytes, swaps)) return swaps;
    if (joins == joinable) break;
  }
  throw bad_value(
      "in place an axis can only come to the place of one of the same extent; permute_axes takes "
      "a second array and any extents");
}

/// Carries out a square_swap by pairs of tiles: both are transposed into buffers, while the next
/// pair is fetched, and each is written where the other was.
class tile_swapper {
 public:
  tile_swapper(square_swap const& s, tuning const& t)
      : swap_(s),
        unit_(s.segment <= 16 && std::has_single_bit(s.segment) ? s.segment : 0),
        moves_(box_moves_of(t.use, unit_)) {
    if (s.bytes() < t.stream_from) moves_.write = box_moves_of(instructions::portable, 0).write;
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
      copy_segments(buffer + j * step_, from + j * swap_.segment, offsets, count(rows),
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
    for (index_t i = 0; i < count(rows); ++i, from += swap_.row())
      for (index_t k = 0; k < count(cols) * swap_.segment; k += 64)
        __builtin_prefetch(from + k, 1, 2);
  }

  square_swap swap_;
  index_t unit_;
  box_moves moves_;
  index_t side_ = 1, tiles_ = 1, step_ = 64;
};

}  // namespace detail

/// Axes permuted in one array, where each comes to the place of an axis of the same extent: squares
/// and cubes, and any order where all extents are powers of two. Neighbours that stay together
/// count as one axis: 4 x 6 x 24 may become 24 x 4 x 6. Prepared once, run often. Passes  over the
/// array: one for each exchange of two axes, so c - 1 for c axes that change places
///         in a circle; for powers of two those of in_place_pass.
/// Memory  up to 300 KiB for each thread, kept until the thread ends; none is allocated in a
///         repeated call. Elements that are not trivially copyable are swapped one by one.
template <class T>
class axes_in_place_pass {
 public:
  /// Throws bad_value unless `axes` names each axis once, where extents do not fit each other, and
  /// for over 2^63 bytes.
  axes_in_place_pass(extents const& array, axis_order const& axes, axes_tuning const& t = {})
      : elements_(array.elements()) {
    static_cast<void>(
        detail::spanned(array, detail::as_span(detail::dense_strides(array)), sizeof(T)));
    if (const auto p = as_affine(digit_permutation(array, axes))) {
      affine_.emplace(*p, t.machine);
      return;
    }
    swaps_ = detail::square_swaps(array, axes, sizeof(T));
    for (auto const& s : swaps_) tiles_.emplace_back(s, t.machine);
    if constexpr (std::is_trivially_copyable_v<T>)
      for (auto const& s : tiles_) static_cast<void>(thread_workspace(s.buffer_bytes()));
  }

  template <Threading E = sequential>
  void operator()(T* data, E const& threads = {}) const {
    if (affine_) return (*affine_)(data, threads);
    if constexpr (std::is_trivially_copyable_v<T>) {
      for (auto const& s : tiles_)
        threads(s.parts(), [&](index_t first, index_t last) {
          if (auto* const buffer = thread_workspace(s.buffer_bytes()))
            s.run(reinterpret_cast<unsigned char*>(data), buffer, first, last);
          else
            throw std::bad_alloc();
        });
    } else {
      for (auto const& s : swaps_) exchange_elements(data, s);
    }
  }

  [[nodiscard]] index_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::size_t passes() const noexcept {
    return affine_ ? affine_->passes() : swaps_.size();
  }

 private:
  static void exchange_elements(T* data, detail::square_swap const& s) {
    const index_t segment = s.segment / sizeof(T), row = s.row() / sizeof(T);
    for (index_t o = 0; o < s.outer; ++o)
      for (index_t b = 0; b < s.between; ++b) {
        T* const square = data + o * s.extent * row + b * s.extent * segment;
        for (index_t i = 0; i < s.extent; ++i)
          for (index_t j = 0; j < i; ++j)
            std::swap_ranges(square + i * row + j * segment, square + i * row + (j + 1) * segment,
                             square + j * row + i * segment);
      }
  }

  index_t elements_;
  std::optional<in_place_pass<T>> affine_;
  std::vector<detail::square_swap> swaps_;
  std::vector<detail::tile_swapper> tiles_;
};

/// One process, no MPI: the axes of an array permuted where it is; see axes_in_place_pass. Axis k
/// of the result is axis axes[k] of what was there.
/// Errors  bad_value before anything is moved.
template <class T, Threading E = sequential>
void permute_axes_in_place(std::span<T> data, extents const& array, axis_order const& axes,
                           E const& threads = {}) {
  const axes_in_place_pass<T> pass(array, axes);
  if (data.size() != array.elements())
    throw bad_value(bmmc::detail::text(
        {"the array must hold ", array.elements(), " elements, not ", data.size()}));
  pass(data.data(), threads);
}

}  // namespace bmmc::local
