// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/node.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/execution/permutation/scratch.hpp>

// The runners that depend on no template argument of a user's. Where BMMC_COMPILED is defined
// bmmc/compiled.hpp defines them, once for a program.

namespace bmmc::detail {

[[nodiscard]] std::unique_ptr<plan_runner> make_piecewise(
    std::shared_ptr<comm::communicator const> c, plan const& p, element_kind const& element,
    comm::pipelined const& policy, working_memory memory);
[[nodiscard]] std::unique_ptr<plan_runner> make_shared_plan(
    std::shared_ptr<comm::communicator const> c, plan const& p, element_kind const& element,
    comm::shared_window const& policy, working_memory memory);
[[nodiscard]] std::unique_ptr<plan_runner> make_automatic(
    std::shared_ptr<comm::communicator const> c, plan const& p, element_kind const& element,
    comm::automatic const& policy, index_t budget, working_memory memory,
    bounded_maker make_bounded);

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED
#include <bmmc/execution/permutation/made.hpp>
#endif
