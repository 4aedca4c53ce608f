// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <vector>

#include <bmmc/comm/grid_policy.hpp>
#include <bmmc/execution/grid/exchanged.hpp>
#include <bmmc/execution/grid/runner.hpp>

namespace bmmc::detail {

// The runners of the library's own policies. Where BMMC_COMPILED is defined bmmc/compiled.hpp has
// them, once for a program; else they are compiled where they are called.

/// One array at least, all with one communicator and one route; their elements may differ.
template <class = void>
[[nodiscard]] std::unique_ptr<grid_flight> make_grid_flight(std::vector<grid_work> const& arrays);
template <class = void>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, comm::pairwise,
                                                            std::array<bool, 2> const& serves);
template <class = void>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work,
                                                            comm::alltoallv const&,
                                                            std::array<bool, 2> const& serves);
template <class = void>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work,
                                                            comm::shared_window const&,
                                                            std::array<bool, 2> const& serves);
template <class = void>
[[nodiscard]] std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work,
                                                            comm::automatic const& policy,
                                                            std::array<bool, 2> const& serves);

/// Makes what a policy needs for the kinds of calls of grid_runner::calls that it is to serve. Not
/// collective; throws bad_value or std::bad_alloc. In place rounds need more memory.
template <comm::GridPolicy Comm>
[[nodiscard]] std::unique_ptr<grid_runner> make_runner_by(grid_work const& work, Comm const& policy,
                                                          std::array<bool, 2> const& serves) {
  if constexpr (std::same_as<Comm, comm::pipelined>)
    return make_grid_flight({work});
  else if constexpr (moves_boxes<Comm>)
    return make_grid_runner(work, policy, serves);
  else
    return std::make_unique<grid_exchanged<Comm>>(work, policy, serves[0]);
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED
#include <bmmc/execution/grid/made.hpp>
#endif
