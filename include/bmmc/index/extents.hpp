// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// Elements along each axis of a row-major array, the slowest axis first and the last running
/// fastest, as in C and numpy: extents{100, 60, 48}. No axis at all is one element.
class extents {
 public:
  constexpr extents() = default;
  /// Throws bad_value for an extent of 0, for over 2^63 elements, and for a 65th axis.
  constexpr extents(std::initializer_list<index_t> each) : extents(std::span(each)) {}
  constexpr explicit extents(std::span<index_t const> each) {
    for (const index_t extent : each) {
      if (extent == 0) detail::refuse({"axis ", each_.size(), " of the array has no elements"});
      if (extent > bit(most_bits) / elements_)
        detail::refuse({"an array has at most 2^63 elements: axes of ", elements_,
                        " elements together cannot have ", extent, " more each"});
      each_.push_back(extent);
      elements_ *= extent;
    }
  }

  /// Number of axes.
  [[nodiscard]] constexpr unsigned order() const noexcept { return each_.size(); }
  [[nodiscard]] constexpr index_t operator[](unsigned axis) const noexcept { return each_[axis]; }
  [[nodiscard]] constexpr index_t elements() const noexcept { return elements_; }
  [[nodiscard]] constexpr index_t const* begin() const noexcept { return each_.begin(); }
  [[nodiscard]] constexpr index_t const* end() const noexcept { return each_.end(); }

  /// Elements from one position along an axis to the next.
  [[nodiscard]] constexpr index_t stride(unsigned axis) const noexcept {
    index_t step = 1;
    for (unsigned k = axis + 1; k < order(); ++k) step *= each_[k];
    return step;
  }

  friend constexpr bool operator==(extents const&, extents const&) = default;

 private:
  short_list<index_t> each_{};
  index_t elements_ = 1;
};

/// Extents that are powers of two, as their logarithms: lg_extents{10, 3} is 1024 x 8.
class lg_extents {
 public:
  constexpr lg_extents() = default;
  /// Throws bad_value for over 2^63 elements and for a 65th axis.
  constexpr lg_extents(std::initializer_list<unsigned> each) : lg_extents(std::span(each)) {}
  constexpr explicit lg_extents(std::span<unsigned const> each) {
    for (const unsigned lg : each) {
      if (lg > most_bits - bits_)
        detail::refuse({"an array has at most 2^63 elements: axes of 2^", bits_,
                        " elements together cannot have 2^", lg, " more each"});
      each_.push_back(lg);
      bits_ += lg;
    }
  }

  [[nodiscard]] constexpr unsigned order() const noexcept { return each_.size(); }
  [[nodiscard]] constexpr unsigned operator[](unsigned axis) const noexcept { return each_[axis]; }
  /// The array has 2^bits() elements.
  [[nodiscard]] constexpr unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr unsigned const* begin() const noexcept { return each_.begin(); }
  [[nodiscard]] constexpr unsigned const* end() const noexcept { return each_.end(); }

  /// The same extents as numbers.
  constexpr operator extents() const {  // NOLINT: nothing is lost
    short_list<index_t> each;
    for (const unsigned lg : each_) each.push_back(bit(lg));
    return extents(std::span(each.data(), each.size()));
  }

  friend constexpr bool operator==(lg_extents const&, lg_extents const&) = default;

 private:
  short_list<unsigned> each_{};
  unsigned bits_ = 0;
};

/// An order of axes: axis k of the result is axis number order[k] of the source, as in numpy.
class axis_order {
 public:
  constexpr axis_order() = default;
  /// Throws bad_value unless the numbers are 0 .. order - 1, each once.
  constexpr axis_order(std::initializer_list<unsigned> axes) : axis_order(std::span(axes)) {}
  constexpr explicit axis_order(std::span<unsigned const> axes) {
    index_t taken = 0;
    for (const unsigned axis : axes) {
      if (axis >= axes.size()) detail::refuse({"there is no axis ", axis, " among ", axes.size()});
      if ((taken & bit(axis)) != 0) detail::refuse({"axis ", axis, " is named twice"});
      axes_.push_back(axis);
      taken |= bit(axis);
    }
  }

  [[nodiscard]] constexpr unsigned size() const noexcept { return axes_.size(); }
  [[nodiscard]] constexpr unsigned operator[](unsigned k) const noexcept { return axes_[k]; }
  [[nodiscard]] constexpr unsigned const* begin() const noexcept { return axes_.begin(); }
  [[nodiscard]] constexpr unsigned const* end() const noexcept { return axes_.end(); }

  /// All axes in their places.
  [[nodiscard]] static constexpr axis_order unchanged(unsigned order) {
    axis_order same;
    for (unsigned k = 0; k < order; ++k) same.axes_.push_back(k);
    return same;
  }
  /// The order that undoes this one.
  [[nodiscard]] friend constexpr axis_order inverse(axis_order const& axes) {
    axis_order undo = axes;
    for (unsigned k = 0; k < axes.size(); ++k) undo.axes_[axes[k]] = k;
    return undo;
  }
  friend constexpr bool operator==(axis_order const&, axis_order const&) = default;

 private:
  short_list<unsigned> axes_{};
};

namespace detail {
constexpr void require_axis(unsigned order, unsigned axis) {
  if (axis >= order) refuse({"there is no axis ", axis, " among ", order});
}
constexpr void require_axes(unsigned order, axis_order const& axes) {
  if (axes.size() != order)
    refuse({"an array of ", order, " axes cannot have ", axes.size(), " of them permuted"});
}
}  // namespace detail

}  // namespace bmmc
