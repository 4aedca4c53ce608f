// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/index/extents.hpp>
#include <bmmc/index/stride.hpp>

namespace bmmc {

/// A permutation of the digits of an index in a mixed radix, as a bit permutation is one of its
/// bits: the index of an element of a row-major array has one digit for each axis. The position x
/// along axis k of the source becomes q x + r modulo the extent, and the axes are permuted.
/// Made by axis_permutation, axis_reversal, axis_shift and axis_stride. Two are equal where
/// extents, axes, q and r are; see simplified.
class digit_permutation {
 public:
  /// The identity of one element.
  constexpr digit_permutation() = default;
  /// Throws bad_value unless `axes` names each axis once.
  constexpr digit_permutation(extents const& source, axis_order const& axes)
      : source_(source), axes_(axes) {
    detail::require_axes(source.order(), axes);
    for (unsigned k = 0; k < source.order(); ++k) {
      multiplier_.push_back(1 % source[k]);
      shift_.push_back(0);
      target_stride_.push_back(0);
    }
    index_t step = 1;
    for (unsigned k = axes.size(); k-- > 0;) {
      target_stride_[axes[k]] = step;
      step *= source[axes[k]];
    }
  }
  /// The same with the positions along an axis of the source permuted so.
  /// Throws bad_value where there is no such axis or it has another extent.
  [[nodiscard]] constexpr digit_permutation with(unsigned axis, stride_permutation const& s) const {
    detail::require_axis(order(), axis);
    if (s.size() != source_[axis])
      detail::refuse({"axis ", axis, " has ", source_[axis], " positions, not ", s.size()});
    digit_permutation changed = *this;
    changed.multiplier_[axis] = s.multiplier();
    changed.shift_[axis] = s.shift();
    return changed;
  }

  [[nodiscard]] constexpr index_t size() const noexcept { return source_.elements(); }
  [[nodiscard]] constexpr unsigned order() const noexcept { return source_.order(); }
  [[nodiscard]] constexpr extents const& source_extents() const noexcept { return source_; }
  [[nodiscard]] constexpr axis_order const& axes() const noexcept { return axes_; }
  [[nodiscard]] constexpr extents target_extents() const {
    short_list<index_t> each;
    for (const unsigned axis : axes_) each.push_back(source_[axis]);
    return extents(std::span(each.data(), each.size()));
  }
  /// What happens to the positions along an axis of the source.
  [[nodiscard]] constexpr stride_permutation along(unsigned axis) const {
    return {source_[axis], source_[axis] == 1 ? 1 : multiplier_[axis], shift_[axis]};
  }
  /// Elements of the target from one position along an axis of the source to the next.
  [[nodiscard]] constexpr index_t target_stride(unsigned axis) const noexcept {
    return target_stride_[axis];
  }
  [[nodiscard]] constexpr bool stays_along(unsigned axis) const noexcept {
    return multiplier_[axis] == 1 % source_[axis] && shift_[axis] == 0;
  }
  [[nodiscard]] constexpr bool is_reversed_along(unsigned axis) const noexcept {
    return multiplier_[axis] == source_[axis] - 1 && shift_[axis] == source_[axis] - 1;
  }
  /// Nothing but axes are permuted.
  [[nodiscard]] constexpr bool keeps_positions() const noexcept {
    for (unsigned k = 0; k < order(); ++k)
      if (!stays_along(k)) return false;
    return true;
  }

  /// The target index of source index x < size(). Cost: a division for each axis.
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    index_t y = 0;
    for (unsigned k = order(); k-- > 0;) {
      const index_t extent = source_[k], at = x % extent;
      x /= extent;
      y += moved(k, at) * target_stride_[k];
    }
    return y;
  }

  [[nodiscard]] friend constexpr digit_permutation inverse(digit_permutation const& p) {
    digit_permutation undo(p.target_extents(), inverse(p.axes_));
    for (unsigned k = 0; k < p.order(); ++k) {
      const auto back = inverse(p.along(p.axes_[k]));
      undo.multiplier_[k] = back.multiplier();
      undo.shift_[k] = back.shift();
    }
    return undo;
  }
  friend constexpr bool operator==(digit_permutation const&, digit_permutation const&) = default;

 private:
  [[nodiscard]] constexpr index_t moved(unsigned k, index_t at) const noexcept {
    const index_t extent = source_[k], q = multiplier_[k], room = extent - shift_[k];
    if (q != 1)
      at = q == extent - 1 ? (at == 0 ? 0 : extent - at) : detail::multiply_modulo(q, at, extent);
    return at >= room ? at - room : at + shift_[k];
  }

  extents source_{};
  axis_order axes_{};
  short_list<index_t> multiplier_{}, shift_{}, target_stride_{};  // of each axis of the source
};
[[nodiscard]] constexpr digit_permutation inverse(digit_permutation const& p);

/// The identity of an array.
[[nodiscard]] constexpr digit_permutation identity_permutation(extents const& array) {
  return {array, axis_order::unchanged(array.order())};
}

/// Every element stays where it is.
[[nodiscard]] constexpr bool is_identity(digit_permutation const& p) noexcept {
  // The elements next to index 0 along each axis would show any other stride or multiplier.
  for (unsigned k = 0; k < p.order(); ++k)
    if (p.source_extents()[k] != 1 &&
        !(p.stays_along(k) && p.target_stride(k) == p.source_extents().stride(k)))
      return false;
  return true;
}

}  // namespace bmmc
