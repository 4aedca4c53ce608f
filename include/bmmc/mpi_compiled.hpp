// SPDX-License-Identifier: BSL-1.0
#pragma once

// The part of bmmc/compiled.hpp that needs MPI. Where another file has the other part,
// bmmc/planning_compiled.hpp, both can be compiled at the same time.
#ifndef BMMC_COMPILED
#define BMMC_COMPILED
#endif

#include <bmmc/comm/agree_once.hpp>
#include <bmmc/comm/communicator_once.hpp>
#include <bmmc/comm/datatype_once.hpp>
#include <bmmc/comm/mpi_once.hpp>
#include <bmmc/comm/node_once.hpp>
#include <bmmc/comm/objection_once.hpp>
#include <bmmc/comm/shared_memory_once.hpp>
#include <bmmc/comm/surroundings_once.hpp>
#include <bmmc/comm/window_once.hpp>
#include <bmmc/execution/call_memory_once.hpp>
#include <bmmc/execution/choice_once.hpp>
#include <bmmc/execution/grid/made.hpp>
#include <bmmc/execution/map/one_call_once.hpp>
#include <bmmc/execution/permutation/bounded_plan.hpp>
#include <bmmc/execution/permutation/in_flight_once.hpp>
#include <bmmc/execution/permutation/made.hpp>
#include <bmmc/execution/permutation/scratch_once.hpp>
#include <bmmc/execution/trial_once.hpp>
#include <bmmc/permuter/options_once.hpp>
#include <bmmc/reshape/redistributor_once.hpp>
#include <bmmc/transport/all_at_once.hpp>
#include <bmmc/transport/dimensions_once.hpp>
#include <bmmc/transport/exchange_once.hpp>
#include <bmmc/transport/in_place_once.hpp>
#include <bmmc/transport/pending_once.hpp>
#include <bmmc/transport/radix_once.hpp>
#include <bmmc/transport/ring_once.hpp>
#include <bmmc/transport/rounds_once.hpp>
#include <bmmc/transport/written_once.hpp>

namespace bmmc::detail {

template std::unique_ptr<grid_flight> make_grid_flight<void>(std::vector<grid_work> const&);
template std::unique_ptr<grid_runner> make_grid_runner<void>(grid_work const&, comm::pairwise,
                                                             std::array<bool, 2> const&);
template std::unique_ptr<grid_runner> make_grid_runner<void>(grid_work const&,
                                                             comm::alltoallv const&,
                                                             std::array<bool, 2> const&);
template std::unique_ptr<grid_runner> make_grid_runner<void>(grid_work const&,
                                                             comm::shared_window const&,
                                                             std::array<bool, 2> const&);
template std::unique_ptr<grid_runner> make_grid_runner<void>(grid_work const&,
                                                             comm::automatic const&,
                                                             std::array<bool, 2> const&);
template std::unique_ptr<in_flight> make_in_flight<void>(std::shared_ptr<comm::communicator const>,
                                                         plan const&,
                                                         std::vector<element_kind> const&);
template std::unique_ptr<plan_runner> make_bounded<void>(std::shared_ptr<comm::communicator const>,
                                                         plan const&, element_kind const&,
                                                         in_place_maker);

}  // namespace bmmc::detail
