// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/file/transfer.hpp>

namespace bmmc::file {

namespace detail {
/// Runs of 2^run_bits elements of a tile; those that stand side by side become one.
template <class Index>
[[nodiscard]] std::vector<run> make_runs(tiling const& t, unsigned run_bits, index_t element_bytes,
                                         index_t data_offset, unsigned char* memory, Index index) {
  std::vector<run> runs;
  const index_t bytes = element_bytes << run_bits;
  for (index_t at = 0; at < t.tile_elements(); at += bit(run_bits)) {
    const index_t offset = data_offset + index(at) * element_bytes;
    if (!runs.empty() && runs.back().offset + runs.back().bytes == offset)
      runs.back().bytes += bytes;
    else
      runs.push_back({offset, memory + at * element_bytes, bytes});
  }
  return runs;
}
}  // namespace detail

/// What is to be read for a tile, in the order of the file and of memory.
[[nodiscard]] inline std::vector<run> source_runs(tiling const& t, index_t tile,
                                                  index_t element_bytes, index_t data_offset,
                                                  unsigned char* memory) {
  return detail::make_runs(t, t.source_run_bits(), element_bytes, data_offset, memory,
                           [&](index_t at) { return t.source_index(tile, at); });
}
/// What is to be written for the image of a tile.
[[nodiscard]] inline std::vector<run> target_runs(tiling const& t, index_t tile,
                                                  index_t element_bytes, index_t data_offset,
                                                  unsigned char* memory) {
  return detail::make_runs(t, t.target_run_bits(), element_bytes, data_offset, memory,
                           [&](index_t at) { return t.target_index(tile, at); });
}

}  // namespace bmmc::file
