// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <memory>

#include <bmmc/comm/grid_policy.hpp>
#include <bmmc/execution/grid/automatic.hpp>

namespace bmmc::detail {

/// Makes what a policy needs. Not collective; throws bad_value or std::bad_alloc. Elements that may
/// be moved in place need more memory in rounds.
template <comm::GridPolicy Comm>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work,
                                                            Comm const& policy, bool in_place) {
  if constexpr (std::same_as<Comm, comm::pairwise>)
    return std::make_unique<grid_in_rounds>(work, in_place);
  else if constexpr (std::same_as<Comm, comm::pipelined>)
    return std::make_unique<grid_pipelined>(work);
  else if constexpr (std::same_as<Comm, comm::alltoallv>)
    return std::make_unique<grid_alltoallv>(work);
  else if constexpr (std::same_as<Comm, comm::shared_window>)
    return std::make_unique<grid_automatic>(work, in_place, comm::automatic{}, way::window);
  else
    return std::make_unique<grid_automatic>(work, in_place, policy);
}

}  // namespace bmmc::detail
