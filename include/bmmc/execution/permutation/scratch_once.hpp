// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/execution/permutation/scratch.hpp>

namespace bmmc::detail {

BMMC_ONCE index_t compiled_scratch::of_pieces(plan const& p, std::size_t element_bytes,
                                              comm::piece_sizes const& policy, bool in_place) {
  return scratch_of_pieces(p, element_bytes, policy, in_place);
}
BMMC_ONCE index_t compiled_scratch::of_choice(plan const& p, std::size_t element_bytes,
                                              index_t budget, bool in_place) {
  return scratch_of_choice(p, element_bytes, budget, in_place);
}

}  // namespace bmmc::detail
