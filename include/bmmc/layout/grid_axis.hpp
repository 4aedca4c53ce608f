// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/index/permutation.hpp>
#include <bmmc/layout/blocks.hpp>
#include <bmmc/layout/section.hpp>

namespace bmmc {

/// One axis of an array of any extents, and how its positions are spread over any number of
/// processes. Made by one of the functions below, which throw bad_value for no positions, no
/// processes, or over 2^63 of either:
///     grid_axis::blocks(100, 6)              17 17 17 17 16 16
///     grid_axis::full_blocks(100, 6)         17 17 17 17 17 15
///     grid_axis::cyclic(100, 6)              positions 0, 6, 12, ... on the first process
///     grid_axis::block_cyclic(100, 6, 8)     blocks of 8 dealt out in turn
///     grid_axis::local(100)                  all on one process
class grid_axis {
 public:
  /// One position on one process.
  constexpr grid_axis() = default;

  [[nodiscard]] static constexpr grid_axis local(index_t extent) {
    return {extent, 1, extent, false};
  }
  /// Consecutive blocks of which the first `extent` mod `procs` have one position more, as in
  /// layout::blocks.
  [[nodiscard]] static constexpr grid_axis blocks(index_t extent, index_t procs) {
    return {extent, procs, 1, true};
  }
  /// Consecutive blocks of ceil(extent / procs) positions: the last processes hold less, or
  /// nothing. So FFTW, MPI's darray and ScaLAPACK have it.
  [[nodiscard]] static constexpr grid_axis full_blocks(index_t extent, index_t procs) {
    const grid_axis checked(extent, procs, 1, false);
    return {extent, procs, (checked.extent_ - 1) / checked.procs_ + 1, false};
  }
  /// Positions dealt out one by one.
  [[nodiscard]] static constexpr grid_axis cyclic(index_t extent, index_t procs) {
    return {extent, procs, 1, false};
  }
  /// Blocks of `block` positions dealt out in turn.
  [[nodiscard]] static constexpr grid_axis block_cyclic(index_t extent, index_t procs,
                                                        index_t block) {
    return {extent, procs, block, false};
  }

  /// The same with the first block on process `first` along this axis: ScaLAPACK's RSRC, CSRC.
  /// Throws bad_value where there is no such process.
  [[nodiscard]] constexpr grid_axis beginning_on(index_t first) const {
    if (first >= procs_)
      detail::refuse(
          {"the first block of an axis over ", procs_, " processes cannot lie on process ", first});
    grid_axis moved = *this;
    moved.begins_ = first;
    return moved;
  }

  [[nodiscard]] constexpr index_t extent() const noexcept { return extent_; }
  [[nodiscard]] constexpr index_t procs() const noexcept { return procs_; }

  /// What process `at` < procs() along this axis holds.
  [[nodiscard]] constexpr periodic_section section(index_t at) const noexcept {
    const index_t turn = at >= begins_ ? at - begins_ : at + (procs_ - begins_);
    if (is_balanced_) {
      const index_t least = extent_ / procs_, longer = extent_ % procs_;
      const index_t start = turn * least + std::min(turn, longer);
      return periodic_section::interval(start, start + least + (turn < longer ? 1 : 0));
    }
    if (turn > (extent_ - 1) / block_) return {};
    const index_t start = turn * block_;
    if (procs_ > (extent_ - start - 1) / block_)  // no second run
      return periodic_section::interval(start, start + std::min(block_, extent_ - start));
    if (procs_ == 1) return periodic_section::interval(0, extent_);
    return {start, block_, block_ * procs_, extent_};
  }
  /// How many positions process `at` holds, and which process holds a position.
  [[nodiscard]] constexpr index_t count(index_t at) const noexcept { return section(at).count(); }
  [[nodiscard]] constexpr index_t proc_of(index_t position) const noexcept {
    const index_t turn = is_balanced_ ? layout::blocks(extent_, procs_).proc_of(position)
                                      : position / block_ % procs_;
    return turn < procs_ - begins_ ? turn + begins_ : turn - (procs_ - begins_);
  }
  /// Positions from one block of a process to its next; 0 where all hold one block at most.
  [[nodiscard]] constexpr index_t period() const noexcept {
    return is_balanced_ || procs_ == 1 || procs_ > (extent_ - 1) / block_ ? 0 : block_ * procs_;
  }
  /// The block with a position: who holds it, and where it would end if the axis went on. Not for
  /// blocks of different lengths.
  struct block_end {
    index_t proc, end;
  };
  [[nodiscard]] constexpr block_end block_of(index_t position) const noexcept {
    const index_t number = position / block_, turn = number % procs_;
    return {turn < procs_ - begins_ ? turn + begins_ : turn - (procs_ - begins_),
            (number + 1) * block_};
  }
  /// Positions of the process that holds most.
  [[nodiscard]] constexpr index_t most() const noexcept { return count(begins_); }

  /// Two are equal where they are described alike.
  friend constexpr bool operator==(grid_axis const&, grid_axis const&) = default;
  /// Words that tell descriptions apart.
  [[nodiscard]] constexpr std::array<index_t, 5> words() const noexcept {
    return {extent_, procs_, block_, begins_, is_balanced_ ? index_t{1} : 0};
  }

 private:
  constexpr grid_axis(index_t extent, index_t procs, index_t block, bool is_balanced)
      : extent_(extent), procs_(procs), block_(block), is_balanced_(is_balanced) {
    if (extent == 0 || procs == 0 || block == 0)
      detail::refuse({"an axis of ", extent, " positions in blocks of ", block, " over ", procs,
                      " processes: none of them may be 0"});
    if (extent > bit(most_bits) || procs > bit(most_bits))
      throw bad_value("an axis has at most 2^63 positions and processes");
    if (block > extent) block_ = extent;
  }

  index_t extent_ = 1, procs_ = 1, block_ = 1, begins_ = 0;
  bool is_balanced_ = false;
};

}  // namespace bmmc
