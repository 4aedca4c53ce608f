// SPDX-License-Identifier: BSL-1.0
// One register tile as straight code, for bench/local/mca.py: LINES_LG lines of 64 bytes read,
// their lanes left (LANES 0), translated (1) or looked up (2), transposed, the same again, stored.
// With NEAR 1 as between arrays in the caches, where AVX-512 leaves out lookups or folds them.

#include <bmmc/local/kernels/kernels.hpp>

namespace bmmc::local::KERNEL {

void one_tile(line_plan const& p, tile_place const& place, line_step const& at,
              unsigned char* spill) {
  constexpr bool words = !lookup_is_cheap && WORDS;
  tile_place here = place;
  here.shift = 0;
#if NEAR
  using how =
      std::conditional_t<LANES == 0, separate_lookups<lookups::none>, folded_lookups<LINES_LG>>;
  const how lanes(p, 0);
#else
  separate_lookups<> lanes(p, 0);
  lanes.how_in = lanes.how_out = static_cast<lane_map>(LANES);
#endif
  const register_tile<words, LINES_LG, std::remove_const_t<decltype(lanes)>> tile{
      lanes, here, at.source, at.target, lanes.in, lanes.out, 0, 0, spill};
  tile.move(to_cache{here.target});
}

}  // namespace bmmc::local::KERNEL
