// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <future>
#include <vector>

#include <bmmc/file/tile_runs.hpp>

namespace bmmc::file {

/// The tiles of a pass that one of several processes handles: every P-th.
struct share {
  unsigned rank = 0, processes = 1;

  [[nodiscard]] constexpr index_t count(index_t all) const noexcept {
    return all / processes + (all % processes > rank ? 1 : 0);
  }
  [[nodiscard]] constexpr index_t operator[](index_t k) const noexcept {
    return k * processes + rank;
  }
};

namespace detail {
/// Moves runs on a thread of its own. The runs are kept until then.
template <Transfer X>
[[nodiscard]] std::future<void> start(X const& transfer, direction d, stored_file const& f,
                                      std::vector<run> runs) {
  return std::async(std::launch::async,
                    [&transfer, d, &f, runs = std::move(runs)] { transfer(d, f, runs); });
}
}  // namespace detail

/// What a pass consists of: so many tiles of at most bytes() bytes, the runs that each is read
/// from, and the runs that its image is written to.
template <class T>
concept Tiles = requires(T const& tiles, index_t tile, unsigned char* memory) {
  { tiles.count() } -> std::convertible_to<index_t>;
  { tiles.bytes() } -> std::convertible_to<index_t>;
  { tiles.source(tile, memory) } -> std::same_as<std::vector<run>>;
  { tiles.target(tile, memory) } -> std::same_as<std::vector<run>>;
};

/// The tiles of a tiling, between two arrays that begin somewhere in their files.
struct coset_tiles {
  tiling const& pass;
  index_t element_bytes, source_offset, target_offset;

  [[nodiscard]] index_t count() const noexcept { return pass.tiles(); }
  [[nodiscard]] index_t bytes() const noexcept { return element_bytes * pass.tile_elements(); }
  [[nodiscard]] std::vector<run> source(index_t tile, unsigned char* memory) const {
    return source_runs(pass, tile, element_bytes, source_offset, memory);
  }
  [[nodiscard]] std::vector<run> target(index_t tile, unsigned char* memory) const {
    return target_runs(pass, tile, element_bytes, target_offset, memory);
  }
};

/// One pass from file to file: for each tile of the share from number `first` on, its runs are
/// read, work(tile, from, to) fills its image, and that is written; reading the next tile and
/// writing the last one go on meanwhile. finished(k) is called when the first k tiles of the share
/// have been written.
/// Memory  `buffers` tiles, 2 to 4: with 2 nothing is read or written during work; and 8.25 MiB,
///         32 requests of 264 KiB, where what is read does not begin and end at pages.
/// Errors  those of the transfer, after all that was started has ended.
template <Tiles T, Transfer X, class Work, class Finished>
void stream(T const& tiles, unsigned buffers, stored_file const& source, stored_file const& target,
            share mine, index_t first, X const& transfer, Work work, Finished finished) {
  const index_t count = mine.count(tiles.count());
  if (first >= count) return;
  const index_t reads = buffers > 2 ? 2 : 1, writes = buffers > 3 ? 2 : 1;
  std::vector<tile_buffer> memory;
  for (index_t k = 0; k < reads + writes; ++k) memory.emplace_back(tiles.bytes());
  const auto read_into = [&](index_t k) { return memory[k % reads].data(); };
  const auto write_from = [&](index_t k) { return memory[reads + k % writes].data(); };
  std::vector<std::future<void>> reading(2), writing(2);  // they end before the memory goes
  const auto read = [&](index_t k) {
    if (k < count)
      reading[k % 2] =
          detail::start(transfer, direction::read, source, tiles.source(mine[k], read_into(k)));
  };
  read(first);
  for (index_t k = first; k < count; ++k) {
    reading[k % 2].get();
    if (reads == 2) read(k + 1);
    if (k >= first + writes) {
      writing[(k - writes) % 2].get();
      finished(k - writes + 1);
    }
    work(mine[k], read_into(k), write_from(k));
    if (reads == 1) read(k + 1);
    writing[k % 2] =
        detail::start(transfer, direction::write, target, tiles.target(mine[k], write_from(k)));
  }
  for (index_t k = count - std::min(writes, count - first); k < count; ++k) writing[k % 2].get();
  finished(count);
}

}  // namespace bmmc::file
