// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include <bmmc/local/axes/square_swaps.hpp>
#include <bmmc/local/axes/tile_swapper.hpp>
#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/lines/workspace.hpp>

namespace bmmc::local {

/// Axes permuted in one array, where each comes to the place of an axis of the same extent: squares
/// and cubes, and any order where all extents are powers of two. Neighbours that stay together
/// count as one axis: 4 x 6 x 24 may become 24 x 4 x 6. Prepared once, run often.
/// Passes  over the array: one for each exchange of two axes, so c - 1 for c axes that change
///         places in a circle; for powers of two those of in_place_pass.
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
    bmmc::detail::refuse(
        {"the array must hold ", array.elements(), " elements, not ", data.size()});
  pass(data.data(), threads);
}

}  // namespace bmmc::local
