// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/execution/permutation/automatic.hpp>
#include <bmmc/execution/permutation/make.hpp>

namespace bmmc::detail {

BMMC_ONCE std::unique_ptr<plan_runner> make_piecewise(std::shared_ptr<comm::communicator const> c,
                                                      plan const& p, element_kind const& element,
                                                      comm::pipelined const& policy,
                                                      working_memory memory) {
  return std::make_unique<piecewise_plan>(std::move(c), p, element, policy, memory);
}
BMMC_ONCE std::unique_ptr<plan_runner> make_shared_plan(std::shared_ptr<comm::communicator const> c,
                                                        plan const& p, element_kind const& element,
                                                        comm::shared_window const& policy,
                                                        working_memory memory) {
  if (policy.piece_bytes != 0 && !p.is_local())
    return std::make_unique<windowed_plan>(std::move(c), p, element, policy, memory);
  return std::make_unique<shared_plan>(std::move(c), p, element, policy, memory);
}
BMMC_ONCE std::unique_ptr<plan_runner> make_automatic(std::shared_ptr<comm::communicator const> c,
                                                      plan const& p, element_kind const& element,
                                                      comm::automatic const& policy, index_t budget,
                                                      working_memory memory,
                                                      bounded_maker make_bounded) {
  return std::make_unique<automatic_plan>(std::move(c), p, element, policy, budget, memory,
                                          make_bounded);
}

}  // namespace bmmc::detail
