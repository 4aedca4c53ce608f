// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/kernels/instructions.hpp>
#include <bmmc/local/lines/line_job.hpp>

namespace bmmc::local {

namespace detail {
/// Bytes of the second-level cache or of the third; `unknown` where the system does not say.
[[nodiscard]] index_t cache_bytes(unsigned level, index_t unknown) noexcept;
}  // namespace detail

/// Bytes of the second-level cache; 2^20 where the system does not say.
[[nodiscard]] index_t second_level_cache() noexcept;

/// Long rows of the source, fetched into the second-level cache, of which the tile that is moved
/// and the one that is fetched take a quarter. Measured on Intel's Ice Lake and Emerald Rapids;
/// in place, in the caches and for an identity on the latter alone, for pairs of lines that are
/// joined on that and on Zen 5. See docs/theory/local.md.
[[nodiscard]] tile_shape fetched_tiles(index_t cache = second_level_cache()) noexcept;
/// The same for a processor whose second level takes more lines at a time than its first, and
/// whose pages are found slowly: a tile lies in the fewest pages where rows of source and target
/// are equally long, down to 512 bytes. Measured on AMD's Zen 4.
[[nodiscard]] tile_shape second_level_tiles(index_t cache = second_level_cache()) noexcept;
/// The same, fetched into the first level; register tiles of 16 lines and more, of which some maps
/// lose, keep long rows in the source and larger tiles, some with target rows of 256 bytes or by
/// way of a buffer. Of four rows in turn 256 bytes are fetched, and of eight where rows stay as
/// they are; 512 where units or such rows go to a target that is not aligned. Measured on AMD's
/// Zen 5.
[[nodiscard]] tile_shape one_length_tiles(index_t cache = second_level_cache()) noexcept;
/// Fetched tiles of one size, whether the target is aligned or not, that stay below a quarter of a
/// second level of 1 MiB; what goes into buffers is fetched into it first. AMD's before Zen 4.
[[nodiscard]] tile_shape one_size_tiles(index_t cache = second_level_cache()) noexcept;

namespace detail {

/// Rows and tiles for the machine that the program runs on; others than AMD's get the first form,
/// which asks less of them.
[[nodiscard]] tile_shape& process_shape() noexcept;

}  // namespace detail

/// The shape of tiles that new passes of this process take.
[[nodiscard]] tile_shape default_shape() noexcept;
/// Has new passes take another one: that which measured_shape() found, now or in an earlier run.
/// Not while another thread makes a pass. Processes need not agree: those that deal out the tiles
/// of one array take the shape of the first of them.
/// Errors  bad_value for a shape that tables have no room for.
void set_default_shape(tile_shape const& shape);

/// What a pass may use of the machine. The defaults are meant for everyone; tests set others.
struct tuning {
  instructions use = best_instructions();
  /// From so many bytes on the target is written past the caches. Below, it stays in them.
  index_t stream_from = index_t{1} << 22;
  tile_shape shape = default_shape();
  /// The target is read again soon, so that it is to stay in the caches however much there is.
  bool keeps_target = false;

  /// How a target is written. Words of 4 bytes, or elements that are smaller, are not cut by a
  /// shift.
  [[nodiscard]] stores stores_to(void const* target, index_t bytes,
                                 unsigned lg_size) const noexcept {
    if (bytes < stream_from) return stores::in_cache;
    if (keeps_target) return stores::from_memory;
    const index_t shift = address(target) % line_bytes;
    if (shift == 0) return stores::past_cache;
    return (shift & low_bits(std::min(lg_size, 2U))) == 0 ? stores::shifted : stores::in_cache;
  }
  /// The same in place, where lines have just been read: into the caches if the shape has it so.
  [[nodiscard]] stores stores_in_place(void const* data, index_t bytes,
                                       unsigned lg_size) const noexcept {
    const stores how = stores_to(data, bytes, lg_size);
    return how == stores::in_cache || !shape.caches_in_place ? how : stores::from_memory;
  }
  /// For a part of an array of `bytes`, in pieces: in memory where that array is.
  [[nodiscard]] tuning for_part_of(index_t bytes) const noexcept;
  /// For a target in memory, however small; and for one in the caches, from a source in memory.
  [[nodiscard]] tuning past_caches() const noexcept;
  [[nodiscard]] tuning from_memory() const noexcept;
  /// For a target that is not aligned, where no pairs are joined: longer rows, since their ends are
  /// written apart. Where tiles are only fetched there is room for larger ones, so that source rows
  /// are hardly shorter for it; a map takes these where rows of the target would be shorter than
  /// grown_below.
  [[nodiscard]] tile_shape shifted_shape() const noexcept;
  /// The same where they are joined: up to 7/2 as many lines as a tile has wait in the second level
  /// (5/2 where runs have 4 KiB), so that tiles have at most 2^17 bytes, in which single bytes
  /// have source rows of 1 KiB.
  [[nodiscard]] tile_shape joined_shape() const noexcept;
  /// For an array in the caches whose lines would be stored to few sets of them one after another:
  /// target pages are filled one by one.
  [[nodiscard]] tile_shape target_order() const noexcept;
  /// For an array permuted in place by way of buffers: rows of one length, since tiles change
  /// places, and tiles of which four have room in the second level.
  [[nodiscard]] tile_shape in_place_shape() const noexcept;
  /// The same where units are put together in a buffer, and written row by row.
  [[nodiscard]] tile_shape rows_in_place_shape() const noexcept;
};

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/local/tuning/tuning_once.hpp>
#endif
