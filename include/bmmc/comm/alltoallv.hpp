// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// One MPI_Alltoallv for all blocks, from one array to another; MPI chooses the order. See
/// bmmc/transport/all_at_once.hpp.
/// Memory  four tables of one int per process, built once.
/// Source  Cormen 1997, section 7.
class alltoallv {
 public:
  void prepare(exchange const& e);
  void move(exchange const& e, void const* source, void* target) const;
  /// Tables follow from the exchange.
  friend constexpr bool operator==(alltoallv const&, alltoallv const&) noexcept { return true; }

 private:
  std::vector<int> send_count_, send_block_, receive_count_, receive_block_;
};

static_assert(MovingPolicy<alltoallv> && PreparedPolicy<alltoallv>);

}  // namespace bmmc::comm
