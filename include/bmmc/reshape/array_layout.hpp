// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include <bmmc/gf2/exchange.hpp>
#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/extents.hpp>
#include <bmmc/layout/layout.hpp>
#include <bmmc/reshape/axis.hpp>

namespace bmmc {

/// A distributed array: its axes, the slowest first and the last running fastest, as in C and
/// numpy. An element's index is its position in that order. It is a layout policy, so `permute` and
/// `permuter` take it as they take the others. The grid of processes is numbered like the array,
/// the last axis fastest; see on_grid. In a process's memory the local bits of the index stay in
/// order.
class array_layout {
 public:
  /// No axes: one element, one process.
  constexpr array_layout() = default;
  /// Throws bad_value for more than 63 axes or 2^63 elements.
  constexpr array_layout(std::initializer_list<axis> axes) : array_layout(std::span(axes)) {}
  constexpr explicit array_layout(std::span<axis const> axes) {
    for (axis const& each : axes) {
      if (axes_.size() == most_bits || each.bits > most_bits || bits_ + each.bits > most_bits)
        throw bad_value("an array has at most 63 axes and 2^63 elements");
      axes_.push_back(each);
      bits_ += each.bits;
    }
    for (unsigned a = axes_.size(); a-- > 0;) append_process_bits(a);
  }

  /// An array of these extents, the slowest first, all axes in one code. The dimensions of the
  /// index in `processes` name the processes, whatever axes they belong to: two arrays with the
  /// same set keep the assignment of dimensions.
  [[nodiscard]] static constexpr array_layout over(lg_extents const& shape, index_t processes,
                                                   axis_code code = axis_code::binary) {
    short_list<axis> axes;
    unsigned low = shape.bits();
    if ((processes & ~low_bits(low)) != 0)
      detail::refuse({"the array of ", low, " bits lacks some process bits"});
    for (const unsigned bits : shape) {
      low -= bits;
      axes.push_back({bits, (processes >> low) & low_bits(bits), code});
    }
    return array_layout(std::span(axes.data(), axes.size()));
  }

  /// The same array on a grid of processes that is numbered in another order: the axes from the
  /// slowest to the fastest. Throws bad_value unless each axis is named once.
  [[nodiscard]] constexpr array_layout on_grid(std::initializer_list<unsigned> order) const {
    array_layout result = *this;
    result.process_bits_ = {};
    index_t seen = 0;
    for (unsigned a : order) {
      if (a >= axes_.size() || (seen & bit(a)) != 0)
        detail::refuse({"axis ", a, " is named twice or beyond ", axes_.size()});
      seen |= bit(a);
    }
    if (order.size() != axes_.size())
      detail::refuse({"the grid needs an order of all ", axes_.size(), " axes"});
    for (std::size_t k = order.size(); k-- > 0;) result.append_process_bits(order.begin()[k]);
    return result;
  }

  [[nodiscard]] constexpr std::span<axis const> axes() const noexcept {
    return {axes_.data(), axes_.size()};
  }
  /// The array has 2^bits() elements on 2^proc_bits() processes.
  [[nodiscard]] constexpr unsigned bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr unsigned proc_bits() const noexcept { return process_bits_.size(); }
  /// Bit k of the process number is this dimension of the (coded) index.
  [[nodiscard]] constexpr unsigned process_bit(unsigned k) const noexcept {
    return process_bits_[k];
  }
  /// The dimensions that name processes, as a set.
  [[nodiscard]] constexpr index_t process_set() const noexcept {
    index_t set = 0;
    for (unsigned d : process_bits_) set |= bit(d);
    return set;
  }
  /// Lowest dimension of axis a.
  [[nodiscard]] constexpr unsigned lowest_bit(unsigned a) const noexcept {
    unsigned low = 0;
    for (unsigned faster = a + 1; faster < axes_.size(); ++faster) low += axes_[faster].bits;
    return low;
  }

  /// The codes of all axes: from the index to the coded index, dimension by dimension.
  [[nodiscard]] constexpr permutation<> encoding() const {
    auto a = identity_matrix(bits_);
    for (unsigned k = 0; k < axes_.size(); ++k) {
      const unsigned low = lowest_bit(k);
      index_t coded = axes_[k].code == axis_code::gray ? low_bits(axes_[k].bits) : 0;
      if (axes_[k].code == axis_code::gray_processes) coded = axes_[k].processes;
      unsigned below = 0;
      for (index_t rest = coded; rest != 0; rest &= rest - 1) {
        const auto j = low + detail::lowest_one(rest);
        if (rest != coded) a.column[j] |= bit(below);  // a bit is added to the one below it
        below = j;
      }
    }
    return detail::known_nonsingular(a);
  }

  /// The layout: from the index to the processor-major address. Throws bad_value where the array
  /// has not 2^n elements on 2^p processes.
  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    if (n != bits_ || p != proc_bits())
      detail::refuse({"an array of 2^", bits_, " elements on 2^", proc_bits(),
                      " processes cannot place 2^", n, " elements on 2^", p, " processes"});
    return compose(assignment(), encoding());
  }
  [[nodiscard]] constexpr permutation<> physical() const { return physical(bits_, proc_bits()); }

  /// From the dimensions of the coded index to the bits of the address.
  [[nodiscard]] constexpr permutation<> assignment() const {
    std::array<unsigned, most_bits> target_of{};
    const unsigned m = bits_ - proc_bits();
    const index_t on_processes = process_set();
    for (unsigned j = 0, offset_bit = 0; j < bits_; ++j)
      if ((on_processes & bit(j)) == 0) target_of[j] = offset_bit++;
    for (unsigned k = 0; k < proc_bits(); ++k) target_of[process_bits_[k]] = m + k;
    return bit_permutation(std::span<unsigned const>(target_of.data(), bits_));
  }

  friend constexpr bool operator==(array_layout const&, array_layout const&) = default;

 private:
  constexpr void append_process_bits(unsigned a) {
    const unsigned low = lowest_bit(a);
    for (index_t rest = axes_[a].processes; rest != 0; rest &= rest - 1)
      process_bits_.push_back(low + detail::lowest_one(rest));
  }

  short_list<axis> axes_{};
  dimension_order process_bits_{};
  unsigned bits_ = 0;
};

/// A matrix as ScaLAPACK distributes it: 2^lg_rows x 2^lg_cols elements in blocks of
/// 2^lg_row_block x 2^lg_col_block, dealt out over a grid of grid_rows x grid_cols processes,
/// powers of two, the first block on the first process, stored column by column without a gap. The
/// index of element (i, j) is i + j * 2^lg_rows. The grid is numbered row by row, as BLACS does by
/// default; by_columns for the other order.
struct block_cyclic_matrix {
  unsigned lg_rows = 0, lg_cols = 0;
  unsigned lg_row_block = 0, lg_col_block = 0;
  index_t grid_rows = 1, grid_cols = 1;
  bool by_columns = false;

  /// Throws bad_value where the blocks do not fit.
  [[nodiscard]] constexpr array_layout layout() const {
    const array_layout a{axis::block_cyclic(lg_cols, grid_cols, lg_col_block),
                         axis::block_cyclic(lg_rows, grid_rows, lg_row_block)};
    return by_columns ? a : a.on_grid({1, 0});
  }
};

static_assert(Layout<array_layout>);

}  // namespace bmmc
