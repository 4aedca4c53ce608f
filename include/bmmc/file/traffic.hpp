// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <utility>

#include <bmmc/file/tiling.hpp>
#include <bmmc/gf2/elimination.hpp>

namespace bmmc::file {

/// Bytes that passes move, requests that they make, and how often they wait until the disk has what
/// was written (in place; between two files that takes no time to speak of).
struct traffic {
  index_t read = 0, written = 0, journal = 0, requests = 0, flushes = 0;

  [[nodiscard]] constexpr index_t bytes() const noexcept { return read + written + journal; }
  constexpr traffic& operator+=(traffic const& t) noexcept {
    read += t.read;
    written += t.written;
    journal += t.journal;
    requests += t.requests;
    flushes += t.flushes;
    return *this;
  }
};

/// One pass from file to file.
[[nodiscard]] constexpr traffic moves_between(tiling const& t, index_t element_bytes) noexcept {
  const index_t bytes = element_bytes << t.bits();
  return {bytes, bytes, 0,
          bit(t.bits() - t.source_run_bits()) + bit(t.bits() - t.target_run_bits()), 0};
}

/// Tiles of a pass in place: those whose elements all stay, and those that map to themselves.
struct fixed_tiles {
  index_t still = 0, alone = 0;
};
/// Counts them: tiles of which no element moves, and others that map to themselves.
[[nodiscard]] constexpr fixed_tiles count_fixed_tiles(tiling const& t) {
  const unsigned outer = t.bits() - t.tile_bits();
  // On the tiles f is x -> A x + c again; x is a fixed point where (A + 1) x = c.
  bit_matrix<> moved(outer, outer);
  const index_t c = t.image(0);
  for (unsigned j = 0; j < outer; ++j) moved.column[j] = t.image(bit(j)) ^ c ^ bit(j);
  if (!solve(moved, c)) return {0, 0};
  const index_t alone = bit(outer - matrix_rank(moved));
  if (t.inside(0).matrix != identity_matrix(t.tile_bits())) return {0, alone};
  bit_matrix<> all = t.map().matrix();
  for (unsigned j = 0; j < t.bits(); ++j) all.column[j] ^= bit(j);
  if (!solve(all, t.map().complement())) return {0, alone};
  return {bit(t.bits() - matrix_rank(all) - t.tile_bits()), alone};
}

/// One pass in place. Tiles whose elements all stay are left alone; of pairs of tiles one is
/// logged, of a tile that maps to itself the result. A pair waits for its log, the one before it
/// and its first tile; a tile by itself for its log and the pair before; each process for the last
/// one.
[[nodiscard]] constexpr traffic moves_in_place(tiling const& t, index_t element_bytes,
                                               index_t processes) {
  const auto [still, alone] = count_fixed_tiles(t);
  const index_t pairs = (t.tiles() - alone) / 2, singles = alone - still;
  const index_t moved = 2 * pairs + singles, logged = pairs + singles;
  const index_t tile = element_bytes << t.tile_bits();
  return {moved * tile, moved * tile, logged * tile,
          2 * moved * bit(t.tile_bits() - t.source_run_bits()) + logged,
          3 * pairs + 2 * singles + processes};
}

}  // namespace bmmc::file
