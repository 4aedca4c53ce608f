// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/axes/axes_walk.hpp>
#include <bmmc/local/boxes/box_kernel.hpp>

namespace bmmc::local {

namespace detail {

/// Calls move(source, target) with the offsets, in bytes, of each unit of a box.
template <class Move>
void each_element(axes_plan const& p, box const& b, Move move) {
  nest<2> all;
  for (unsigned k = p.axes.size(); k-- > 0;)
    all.add(b.width[k], {p.axes[k].source, p.axes[k].target});
  nest<2>::places at{b.source, b.target};
  do move(at[0], at[1]);
  while (all.advance(at));
}

}  // namespace detail

/// How the boxes of a plan are moved: past the caches by way of a buffer; into the caches straight,
/// or by way of the buffer where that is faster.
struct box_way {
  box_moves moves;
  bool has_buffer = true;

  box_way() = default;
  box_way(axes_plan const& p, instructions use, bool past_caches);
  /// The memory of this thread; null where none is needed, or none is left.
  [[nodiscard]] unsigned char* buffer(axes_plan const& p) const noexcept;
};

/// Boxes of that shape for what an instruction set has: lookups, and vectors of a line, which
/// matter where stores go past the caches.
template <class = void>
[[nodiscard]] box_shape fitted(box_shape shape, instructions use, bool past_caches) {
  const box_moves moves = box_moves_of(use, 1);
  if (moves.blocks == nullptr) shape.block = 0;
  shape.goes_by_lines = past_caches && moves.to_lines != nullptr;
  return shape;
}

/// Moves boxes [first, last) of a plan. `buffer` has p.buffer_bytes(), aligned to lines, or is
/// null: then boxes are written through the caches.
template <class = void>
void move_boxes(axes_plan const& p, unsigned char const* source, unsigned char* target,
                unsigned char* buffer, box_moves const& moves, index_t first, index_t last);

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/local/axes/axes_boxes_once.hpp>
#endif
