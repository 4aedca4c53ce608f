// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>

#include <bmmc/comm/grid_policy.hpp>
#include <bmmc/execution/grid/all_at_once.hpp>
#include <bmmc/execution/grid/in_rounds.hpp>

namespace bmmc::detail {

/// What processes must agree on: which policy, and its settings.
template <comm::GridPolicy Comm>
[[nodiscard]] std::uint64_t grid_settings_of(Comm const& policy) {
  const std::uint64_t kind = std::same_as<Comm, comm::pairwise>    ? 1
                             : std::same_as<Comm, comm::pipelined> ? 2
                             : std::same_as<Comm, comm::alltoallv> ? 3
                             : std::same_as<Comm, comm::automatic> ? 4
                                                                   : 5;
  return pair_hash(kind, settings_of(policy));
}

/// Makes what a policy needs. Not collective; throws bad_value or std::bad_alloc.
template <comm::GridPolicy Comm>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, Comm const&,
                                                            bool in_place) {
  if constexpr (std::same_as<Comm, comm::pipelined>)
    return std::make_unique<grid_pipelined>(work);
  else if constexpr (std::same_as<Comm, comm::alltoallv>)
    return std::make_unique<grid_alltoallv>(work);
  else
    return std::make_unique<grid_in_rounds>(work, in_place);
}

}  // namespace bmmc::detail
