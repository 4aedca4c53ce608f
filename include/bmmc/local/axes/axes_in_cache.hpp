// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include <bmmc/local/axes/axes_walk.hpp>
#include <bmmc/local/axes/box_memory.hpp>

/// Boxes of arrays that stay in the caches: straight to the target, with no buffer, where that is
/// not slow.
namespace bmmc::local {

namespace detail {

using widths = std::array<index_t, 64>;

/// Copies units one by one.
class unit_copies {
 public:
  unit_copies(axes_plan const& p, box_moves const& moves)
      : how_(permuted_block(p)), unit_(p.unit), blocks_(moves.blocks) {}
  void operator()(unsigned char* to, unsigned char const* from) const {
    constexpr index_t here = 0;
    if (how_)
      blocks_({&*how_, unit_, from, &here, 1, to});
    else
      copy_bytes(to, from, unit_);
  }

 private:
  std::optional<interleaving> how_;  // of blocks
  index_t unit_;
  void (*blocks_)(block_job const&);
};

/// Moves so many positions along each axis from `from` to `to`.
template <unsigned Unit>
void fill(axes_plan const& p, widths const& width, unsigned char const* from, unsigned char* to,
          turns const& in_turn, unit_copies const& copy) {
  const unsigned s = p.fastest_of_source(), t = p.axes.size() - 1;
  auto const &in_source = p.axes[s], &in_target = p.axes[t];
  nest<2> rest;
  for (unsigned k = p.axes.size(); k-- > 0;)
    if (k != s && k != t) rest.add(width[k], {p.axes[k].source, p.axes[k].target});
  const index_t unit = Unit == 0 ? p.unit : Unit, rows = width[s], cols = width[t];
  nest<2>::places at{};
  if (s == t) {
    if (in_target.source == unit && in_target.target == unit && p.block_axes == 0) {
      do copy_bytes(to + at[1], from + at[0], cols * unit);
      while (rest.advance(at));
      return;
    }
  } else if constexpr (Unit != 0) {
    if (in_source.source == Unit && in_target.target == Unit) {
      do
        if (in_turn.has(rows, cols))
          in_turn.move(
              Unit, rows, cols, nullptr,
              [&](index_t j) { return from + at[0] + j * in_target.source; },
              [&](index_t i) { return to + at[1] + i * in_source.target; });
        else
          transpose_plane<Unit>(from + at[0], in_target.source, to + at[1], in_source.target, rows,
                                cols);
      while (rest.advance(at));
      return;
    }
  }
  do {
    for (index_t i = 0; i < (s == t ? 1 : rows); ++i)
      for (index_t j = 0; j < cols; ++j)
        copy(to + at[1] + i * in_source.target + j * in_target.target,
             from + at[0] + i * in_source.source + j * in_target.source);
  } while (rest.advance(at));
}

/// How elements in turn are moved in boxes of a plan.
[[nodiscard]] inline turns turns_in_cache(axes_plan const& p, box_moves const& moves) {
  auto const &in_source = p.axes[p.fastest_of_source()], &in_target = p.fastest();
  const index_t rows = in_source.width, cols = in_target.width;
  return turns(moves, p.unit, rows, cols, true, in_target.source == rows * p.unit ? cols : 0,
               in_source.target == cols * p.unit ? rows : 0);
}

/// Whether boxes straight to the target are slower than those by way of the buffer: where segments
/// are shorter than a line, where squares have room in the buffer alone, and where lines of the
/// target that are written in turn share sets of the first-level cache, so that each is fetched
/// again for every 16 bytes of it.
[[nodiscard]] inline bool is_slow_in_cache(axes_plan const& p, box_moves const& moves) {
  constexpr index_t line = 64, word = 8, ways = 8, page = 4096;
  const unsigned s = p.fastest_of_source();
  auto const &in_source = p.axes[s], &in_target = p.fastest();
  const index_t rows = in_source.width, cols = in_target.width;
  if (!p.is_worth_tables || p.block_axes != 0) return false;
  if (in_source.source != p.unit || in_target.target != p.unit) return false;
  if (s + 1 == p.axes.size()) return p.axes.size() > 1 && cols * p.unit < line;
  if (16 % p.unit != 0) return false;
  // Rows of the target lie at page / apart places of a page, or at one.
  const index_t apart = in_source.target & (~in_source.target + 1), few_places = page / 8;
  const bool is_short = std::min(rows, cols) * p.unit < word,
             shares_sets = apart >= few_places && rows * apart > ways * std::max(apart, page),
             has_room = std::min(p.rows_of_run * p.piece, p.cols) * p.unit >= word;
  return (is_short ? has_room : shares_sets) && !turns_in_cache(p, moves).has(rows, cols);
}

}  // namespace detail

/// Moves boxes [first, last) of a plan through the caches, for units of so many bytes; 0 stands for
/// any others.
template <unsigned Unit>
void move_boxes_in_cache(axes_plan const& p, unsigned char const* source, unsigned char* target,
                         box_moves const& moves, index_t first, index_t last) {
  const detail::turns in_turn = detail::turns_in_cache(p, moves);
  const detail::unit_copies copy(p, moves);
  for (index_t number = first; number < last; ++number) {
    const detail::box b(p, number);
    detail::fill<Unit>(p, b.width, source + b.source, target + b.target, in_turn, copy);
  }
}

}  // namespace bmmc::local
