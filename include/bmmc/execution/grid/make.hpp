// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <memory>

#include <bmmc/comm/grid_policy.hpp>
#include <bmmc/execution/grid/automatic.hpp>
#include <bmmc/execution/grid/exchanged.hpp>

namespace bmmc::detail {

/// Makes what a policy needs for the kinds of calls of grid_runner::calls that it is to serve. Not
/// collective; throws bad_value or std::bad_alloc. In place rounds need more memory.
template <comm::GridPolicy Comm>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work,
                                                            Comm const& policy,
                                                            std::array<bool, 2> const& serves) {
  if constexpr (std::same_as<Comm, comm::pairwise>)
    return std::make_unique<grid_in_rounds<>>(work, serves[0]);
  else if constexpr (std::same_as<Comm, comm::pipelined>)
    return std::make_unique<grid_pipelined<>>(work);
  else if constexpr (std::same_as<Comm, comm::alltoallv>)
    return std::make_unique<grid_alltoallv<>>(work);
  else if constexpr (std::same_as<Comm, comm::shared_window>)
    return std::make_unique<grid_automatic<>>(work, serves, comm::automatic{}, way::window);
  else if constexpr (std::same_as<Comm, comm::automatic>)
    return std::make_unique<grid_automatic<>>(work, serves, policy);
  else
    return std::make_unique<grid_exchanged<Comm>>(work, policy, serves[0]);
}

}  // namespace bmmc::detail
