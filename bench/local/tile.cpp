// SPDX-License-Identifier: BSL-1.0
// One register tile as straight code, for bench/local/mca.py: LINES_LG lines of 64 bytes read,
// their lanes left (LANES 0), translated (1) or looked up (2), transposed, the same again, stored.

#include <bmmc/local/kernels/kernels.hpp>

namespace bmmc::local::KERNEL {

void one_tile(line_plan const& p, tile_place const& place, line_step const& at,
              unsigned char* spill) {
  constexpr bool words = !lookup_is_cheap && WORDS;
  const line in = load(p.lanes_in.data()), out = load(p.lanes_out.data());
  constexpr auto how = static_cast<lane_map>(LANES);
  const register_tile<words, LINES_LG> tile{p,   place, at.source, at.target, in,   out,
                                            how, how,   0,         0,         spill};
  tile.move(to_cache{place.target});
}

}  // namespace bmmc::local::KERNEL
