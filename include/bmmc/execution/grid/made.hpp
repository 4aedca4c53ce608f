// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/execution/grid/automatic.hpp>
#include <bmmc/execution/grid/make.hpp>

namespace bmmc::detail {

template <class>
std::unique_ptr<grid_flight> make_grid_flight(std::vector<grid_work> const& arrays) {
  return std::make_unique<grid_pipelined<>>(arrays);
}
template <class>
std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, comm::pairwise,
                                              std::array<bool, 2> const& serves) {
  return std::make_unique<grid_in_rounds<>>(work, serves[0]);
}
template <class>
std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, comm::alltoallv const&,
                                              std::array<bool, 2> const&) {
  return std::make_unique<grid_alltoallv<>>(work);
}
template <class>
std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, comm::shared_window const&,
                                              std::array<bool, 2> const& serves) {
  return std::make_unique<grid_automatic<>>(work, serves, comm::automatic{}, way::window);
}
template <class>
std::unique_ptr<grid_runner> make_grid_runner(grid_work const& work, comm::automatic const& policy,
                                              std::array<bool, 2> const& serves) {
  return std::make_unique<grid_automatic<>>(work, serves, policy);
}

}  // namespace bmmc::detail
