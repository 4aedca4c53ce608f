// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>

#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/catalogue/gray.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/tuning/seconds.hpp>

namespace bmmc::local {

namespace detail {
/// Arrays of so many bytes, as a number of bits, do not stay in the last cache: twice of it each,
/// 2^24 to 2^27.
[[nodiscard]] inline unsigned lg_beyond_caches() noexcept {
  const index_t cache = cache_bytes(3, index_t{1} << 26);
  return std::clamp(static_cast<unsigned>(std::bit_width(cache)), 24U, 27U);
}
}  // namespace detail

/// Measures which shape of tiles is the fastest here: that of the process or, where one of them
/// is faster by a twentieth at least, tiles that are fetched, with an eighth of the second-level
/// cache, with half and twice of that, and with as much for targets that are not aligned, those
/// whose rows have one length, or into that cache alone. Each moves 4-byte elements by the bit
/// reversal and by its composition with a Gray code, three times; the best times are added.
/// Targets are aligned; what is done in place stays as it is. A fixed shape where passes have no
/// lines (no such instructions).
/// Time    some 45 passes over 2^lg_bytes bytes: 2 s where 2^27 bytes are copied in 25 ms. Arrays
///         smaller than those by default may stay in the last cache, which shows nothing.
/// Memory  two arrays of 2^lg_bytes, freed at the end. Throws std::bad_alloc.
template <class = void>
[[nodiscard]] tile_shape measured_shape(unsigned lg_bytes = detail::lg_beyond_caches()) {
  const index_t cache = second_level_cache();
  const std::array<tile_shape, 7> candidates{default_shape(),           fetched_tiles(cache),
                                             fetched_tiles(cache / 2),  fetched_tiles(cache * 2),
                                             second_level_tiles(cache), one_length_tiles(cache),
                                             one_size_tiles(cache)};
  const unsigned n = lg_bytes - 2;
  const std::array<permutation<>, 2> maps{bit_reversal(n),
                                          compose(gray_encode(n), bit_reversal(n))};
  const auto source = std::make_unique<std::uint32_t[]>(bit(n));
  const auto target = std::make_unique<std::uint32_t[]>(bit(n));
  const auto seconds = [&](tile_shape const& shape) {
    double sum = 0;
    for (auto const& map : maps) {
      tuning t;
      t.shape = shape;
      const pass<std::uint32_t> run(map, t);
      double fastest = 0;
      for (int i = 0; i < 3; ++i) {
        const double begin = detail::now();
        run(source.get(), target.get());
        const double time = detail::now() - begin;
        fastest = i == 0 ? time : std::min(fastest, time);
      }
      sum += fastest;
    }
    return sum;
  };
  tile_shape best = candidates[0];
  double least = 0.95 * seconds(best);
  for (auto shape : candidates) {
    shape.caches_in_place = best.caches_in_place;  // nothing is measured in place,
    shape.direct_lines = best.direct_lines;
    shape.direct_alike = best.direct_alike;
    shape.alternates_sets = best.alternates_sets;  // in the caches,
    shape.joins_pairs = best.joins_pairs;          // or to targets that are not aligned
    shape.run = best.run;
    if (shape == candidates[0]) continue;
    if (const double time = seconds(shape); time < least) {
      least = time;
      best = shape;
    }
  }
  return best;
}

}  // namespace bmmc::local
