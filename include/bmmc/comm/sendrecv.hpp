// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// One MPI_Sendrecv per block, from one array to another. See bmmc/transport/rounds.hpp.
/// Memory  nothing beyond the two arrays.
/// Source  Cormen 1997, sections 5 and 7.
struct sendrecv {
  void move(exchange const& e, void const* source, void* target) const;
  friend constexpr bool operator==(sendrecv, sendrecv) = default;
};

/// One MPI_Sendrecv_replace per piece of a block: the paper's own way, in one array. See
/// bmmc/transport/in_place_once.hpp.
/// Memory  MPI buffers the message it is given; pieces of 128 KiB keep that small.
/// Source  Cormen 1997, section 5.
struct sendrecv_replace {
  void replace(exchange const& e, void* data) const;
  friend constexpr bool operator==(sendrecv_replace, sendrecv_replace) = default;
};

static_assert(MovingPolicy<sendrecv> && !ReplacingPolicy<sendrecv>);
static_assert(ReplacingPolicy<sendrecv_replace> && !MovingPolicy<sendrecv_replace>);

}  // namespace bmmc::comm
