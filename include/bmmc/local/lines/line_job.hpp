// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <bmmc/local/lines/pair_plan.hpp>
#include <bmmc/local/lines/workspace.hpp>

namespace bmmc::local {

/// The place of a byte in memory, as a number.
[[nodiscard]] inline index_t address(void const* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// The smallest parts of lines that are stored past the caches.
inline constexpr index_t block_bytes = 16;

/// Lines of the machine that so many lines from `p` on are parts of.
[[nodiscard]] inline index_t lines_touched(void const* p, index_t lines) noexcept {
  return lines + (address(p) % line_bytes != 0 ? 1 : 0);
}

/// Fetches a line that is written soon.
inline void prefetch_write(void const* line) noexcept { __builtin_prefetch(line, 1, 3); }

/// How a target is written: in small arrays into the caches; past them where all of its lines are
/// whole lines of the machine; where they are not, past them but for the ends of rows; and into the
/// caches from a source that is fetched from memory.
enum class stores { in_cache, past_cache, shifted, from_memory };

/// Bytes that a target of this kind wants of the workspace: a unit between two lines of which
/// nothing is used, and lines that wait; these alone where pairs are joined.
[[nodiscard]] inline index_t unit_bytes(line_plan const& p, stores how) noexcept {
  if (how == stores::in_cache) return p.collects ? bit(p.lg_unit + line_bits) : 0;
  if (how != stores::shifted) return 0;
  const index_t unit = p.joins_pairs ? 0 : bit(p.lg_unit) + 2;
  return (unit + bit(p.lg_slots()) * p.lg_run_rows()) * line_bytes;
}
/// And tiles that are held in buffers: those of a pass, and those of an involution in place.
[[nodiscard]] inline index_t pass_bytes(line_plan const& p, stores how) noexcept {
  const bool is_buffered = p.is_buffered && how != stores::in_cache;
  return unit_bytes(p, how) + (is_buffered ? 2 * bit(p.lg_tile + line_bits) : 0);
}
/// Tiles in the buffers of a pass in place: a pair, and the next one if that is read meanwhile.
[[nodiscard]] inline index_t tiles_held(pair_plan const& p) noexcept {
  return p.lines.collects ? 2 : 4;
}
/// Workspace of a pass in place that exchanges pairs of tiles by way of buffers, in bytes.
[[nodiscard]] inline index_t exchange_bytes(pair_plan const& p, stores how) noexcept {
  if (p.is_direct) return 0;
  return unit_bytes(p.lines, how) + tiles_held(p) * bit(p.lines.lg_tile + line_bits);
}

/// Pieces of a tile that is moved later, in the order in which they are fetched.
struct fetch_list {
  unsigned char const* source;
  walk<index_t, most_inner_steps> const* pieces;
  index_t lines;              // of a piece,
  index_t touched;            // and of the machine, one more where they are not aligned
  bool far;                   // into the second-level cache alone
  index_t offset, next, end;  // the next piece, and how many there are
  index_t due = 0;            // lines that are due to be fetched, less than a piece

  /// Pieces of the tile at `offset`, or none.
  fetch_list(line_plan const& p, unsigned char const* from, index_t tile, bool any,
             bool into_second = false)
      : source(from),
        pieces(&p.gather),
        lines(bit(p.lg_piece)),
        touched(lines_touched(from, lines)),
        far(into_second),
        offset(tile),
        next(0),
        end(any ? bit(p.gather.count) : 0) {}
};

/// The same where pieces are copied to a buffer, and others fetched that are copied later. In
/// fetch_list these words would make the state of move_tiles go through memory wherever tiles are
/// fetched.
struct copy_list : fetch_list {
  unsigned char* buffer;    // where the next piece goes
  index_t soon, soon_next;  // the piece that is fetched when that is copied,
  index_t following = 0;    // and the tile that it is taken from behind the last one

  /// What is fetched is `lines_ahead` lines further on.
  copy_list(line_plan const& p, unsigned char const* from, index_t tile, bool any,
            unsigned char* to, unsigned lines_ahead)
      : fetch_list(p, from, tile, any),
        buffer(to),
        soon_next(std::min<index_t>(lines_ahead >> p.lg_piece, low_bits(p.gather.count))) {
    soon = tile ^ p.gather.at(static_cast<unsigned>(soon_next));
  }
};

/// Register tiles that are moved one after another, and where their lines lie.
struct tile_place {
  unsigned char const* source;
  index_t const* source_line;
  unsigned char* target;
  index_t const* target_line;
  line_step const* steps;            // prefix sums
  fetch_list* ahead = nullptr;       // what is fetched meanwhile, as many lines as are moved
  unsigned char* waiting = nullptr;  // where pairs are joined, room for lines that wait,
  unsigned lg_run_rows = 0;          // rows of a run,
  index_t time = 0;                  // and the time of the tile's first rows in their runs
  index_t shift = 0;            // bytes from `source`, a line of the machine, to where lines begin
  copy_list* copied = nullptr;  // what is copied meanwhile, in place of `ahead`
};
/// Moves 2^k register tiles, the first of which is at `at`.
using tile_mover = void (*)(line_plan const& p, tile_place const& place, line_step at,
                            index_t count);

/// One run of a line_plan.
struct line_job {
  unsigned char const* source;
  unsigned char* target;
  line_step start;  // what the complement contributes
  local::stores stores;
  tile_shape const* shape;
  tile_mover move = nullptr;
  unsigned lg_run_tiles = 0;  // tiles of a run, see line_plan::lg_run_tiles_in

  /// Whether the tiles of a buffer are read line by line while others are stored, not unit by unit:
  /// only register tiles of 16 lines and more, with which it was measured.
  [[nodiscard]] bool copies(line_plan const& p) const noexcept {
    return p.is_buffered && p.lg_lines >= lg_step_lines && stores == stores::past_cache &&
           !shape->second_level;
  }
};

}  // namespace bmmc::local
