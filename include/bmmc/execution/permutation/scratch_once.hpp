// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/execution/permutation/scratch.hpp>

namespace bmmc::detail {

BMMC_ONCE index_t compiled_scratch_of_pieces(plan const& p, std::size_t element_bytes,
                                             comm::piece_sizes const& policy, bool in_place) {
  return constant_scratch_of_pieces(p, element_bytes, policy, in_place);
}

}  // namespace bmmc::detail
