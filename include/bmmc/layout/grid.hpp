// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include <bmmc/index/extents.hpp>
#include <bmmc/layout/grid_axis.hpp>
#include <bmmc/layout/layout.hpp>

namespace bmmc {

/// An array of any extents on a grid of any number of processes: its axes, the slowest first and
/// the last running fastest, as in C and numpy. An element's index is its position in that order.
/// The grid of processes is numbered like the array, the last axis fastest; see on_grid. Processes
/// beyond procs() hold nothing. In a process's memory its positions along each axis follow one
/// another, row-major, without gaps; see with_row_stride.
///     grid_layout slabs{grid_axis::blocks(100, 6), grid_axis::local(60), grid_axis::local(48)};
///     grid_layout pencils{grid_axis::blocks(100, 2), grid_axis::blocks(60, 3),
///                         grid_axis::local(48)};
class grid_layout {
 public:
  /// No axes: one element on one process.
  constexpr grid_layout() = default;
  /// Throws bad_value for over 2^63 elements, over 2^31 - 1 processes, and for over 21 axes.
  constexpr grid_layout(std::initializer_list<grid_axis> axes) : grid_layout(std::span(axes)) {}
  constexpr explicit grid_layout(std::span<grid_axis const> axes) {
    if (axes.size() > most_axes)
      detail::refuse({"an array on a grid has at most ", most_axes, " axes, not ", axes.size()});
    short_list<index_t> each;
    for (grid_axis const& one : axes) {
      if (one.procs() > most_procs / procs_)
        detail::refuse({"a grid of ", procs_, " times ", one.procs(),
                        " processes is larger than any communicator"});
      axes_.push_back(one);
      each.push_back(one.extent());
      procs_ *= one.procs();
    }
    shape_ = extents(std::span(each.data(), each.size()));
    number_grid(axis_order::unchanged(order()));
  }

  /// The same array on a grid that is numbered in another order: the axes from the slowest to the
  /// fastest. Throws bad_value unless each axis is named once.
  [[nodiscard]] constexpr grid_layout on_grid(axis_order const& numbered) const {
    detail::require_axes(order(), numbered);
    grid_layout result = *this;
    result.number_grid(numbered);
    return result;
  }
  /// The same with rows, of the last axis, that start so many elements apart in this process's
  /// memory: ScaLAPACK's LLD. Each process may have its own. Throws bad_value for an array of less
  /// than two axes; a process whose rows are longer refuses it when it is used.
  [[nodiscard]] constexpr grid_layout with_row_stride(index_t elements) const {
    if (order() < 2) throw bad_value("an array of less than two axes has no rows to be apart");
    grid_layout result = *this;
    result.row_stride_ = elements;
    return result;
  }

  [[nodiscard]] constexpr unsigned order() const noexcept { return axes_.size(); }
  [[nodiscard]] constexpr grid_axis const& axis(unsigned k) const noexcept { return axes_[k]; }
  [[nodiscard]] constexpr extents const& shape() const noexcept { return shape_; }
  [[nodiscard]] constexpr index_t elements() const noexcept { return shape_.elements(); }
  [[nodiscard]] constexpr index_t procs() const noexcept { return procs_; }
  /// What with_row_stride was given; 0: no gaps.
  [[nodiscard]] constexpr index_t row_stride() const noexcept { return row_stride_; }

  /// Where process `proc` < procs() stands in the grid, along axis k.
  [[nodiscard]] constexpr index_t at(index_t proc, unsigned k) const noexcept {
    return proc / grid_stride_[k] % axes_[k].procs();
  }
  /// Process numbers from one process along axis k to the next.
  [[nodiscard]] constexpr index_t grid_stride(unsigned k) const noexcept { return grid_stride_[k]; }
  /// The positions along axis k that process `proc` holds, if it is in the grid.
  [[nodiscard]] constexpr periodic_section section(index_t proc, unsigned k) const noexcept {
    return proc < procs_ ? axes_[k].section(at(proc, k)) : periodic_section{};
  }
  /// Elements that process `proc` holds.
  [[nodiscard]] constexpr index_t count(index_t proc) const noexcept {
    index_t all = proc < procs_ ? 1 : 0;
    for (unsigned k = 0; k < order() && all != 0; ++k) all *= section(proc, k).count();
    return all;
  }
  /// Elements of the process that holds most.
  [[nodiscard]] constexpr index_t most() const noexcept {
    index_t all = 1;
    for (grid_axis const& one : axes_) all *= one.most();
    return all;
  }
  /// Offsets of process `proc` from one position along an axis to the next.
  [[nodiscard]] constexpr short_list<index_t> strides(index_t proc) const {
    short_list<index_t> each;
    for (unsigned k = 0; k < order(); ++k) each.push_back(1);
    for (unsigned k = order(); k-- > 1;) {
      const bool is_row = k + 1 == order() && row_stride_ != 0;
      each[k - 1] = is_row ? row_stride_ : each[k] * section(proc, k).count();
    }
    return each;
  }
  /// Length of the array in which process `proc` has its elements: count(proc) where rows have no
  /// gaps. Throws bad_value where they overlap.
  [[nodiscard]] constexpr index_t span(index_t proc) const {
    const index_t held = count(proc);
    if (row_stride_ == 0 || held == 0) return held;
    const index_t row = section(proc, order() - 1).count();
    if (row_stride_ < row)
      detail::refuse({"rows of ", row, " elements cannot start ", row_stride_, " apart"});
    if (row_stride_ > bit(most_bits) / (held / row))
      throw bad_value("an array spans at most 2^63 elements");
    return row_stride_ * (held / row - 1) + row;
  }

  /// The process and offset of index x < elements(). Cost: some divisions for each axis.
  [[nodiscard]] constexpr placement place(index_t x) const {
    short_list<index_t> position;
    placement home;
    for (unsigned k = 0; k < order(); ++k) position.push_back(x / shape_.stride(k) % shape_[k]);
    for (unsigned k = 0; k < order(); ++k)
      home.proc += axes_[k].proc_of(position[k]) * grid_stride_[k];
    const auto stride = strides(home.proc);
    for (unsigned k = 0; k < order(); ++k)
      home.offset += section(home.proc, k).offset_of(position[k]) * stride[k];
    return home;
  }
  /// The index of element number i < count(proc) of process `proc`, counted without gaps.
  [[nodiscard]] constexpr index_t index_at(index_t proc, index_t i) const noexcept {
    index_t x = 0;
    for (unsigned k = order(); k-- > 0;) {
      const auto held = section(proc, k);
      x += held.position_of(i % held.count()) * shape_.stride(k);
      i /= held.count();
    }
    return x;
  }

  /// Whether each process has the same elements in the other layout, if other row strides.
  [[nodiscard]] constexpr bool shares_grid(grid_layout other) const {
    other.row_stride_ = row_stride_;
    return *this == other;
  }
  friend constexpr bool operator==(grid_layout const&, grid_layout const&) = default;

 private:
  static constexpr std::size_t most_axes = 21;  // three loops for each in a list of 64
  static constexpr index_t most_procs = (index_t{1} << 31) - 1;

  constexpr void number_grid(axis_order const& numbered) {
    grid_stride_ = {};
    for (unsigned k = 0; k < order(); ++k) grid_stride_.push_back(1);
    index_t step = 1;
    for (unsigned i = order(); i-- > 0;) {
      grid_stride_[numbered[i]] = step;
      step *= axes_[numbered[i]].procs();
    }
  }

  short_list<grid_axis> axes_{};
  short_list<index_t> grid_stride_{};
  extents shape_{};
  index_t procs_ = 1, row_stride_ = 0;
};

}  // namespace bmmc
