// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/permutation/piecewise.hpp>
#include <bmmc/execution/permutation/shared.hpp>
#ifdef BMMC_COMPILED
#include <bmmc/execution/permutation/exchanged.hpp>
#include <bmmc/transport/dimensions.hpp>
#endif

namespace bmmc::detail {

/// Carries out a plan by the way that is predicted to be the fastest, of those that keep to a
/// budget of scratch elements: without one those that comm::automatic knows.
class automatic_plan final : public plan_runner {
 public:
  automatic_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
                 element_kind const& element, comm::automatic const& policy, index_t budget,
                 void* scratch, bounded_maker make_bounded) {
    // a local plan asks nothing of the machine
    const auto around = p.is_local() ? nullptr : comm::surroundings::of(*c);
    choice_ = chosen(p, element.bytes(), around ? around->node()->bits() : 0, policy, budget,
                     make_bounded != nullptr, around ? around->costs() : comm::cost_model{});
    switch (choice_.chosen()) {
      case way::window:
        runner_ = std::make_unique<shared_plan>(std::move(c), p, element, around->node());
        break;
      case way::pipelined:
        runner_ =
            std::make_unique<piecewise_plan>(std::move(c), p, element, comm::pipelined{}, scratch);
        break;
#ifdef BMMC_COMPILED
      case way::dimensions:
        runner_ = std::make_unique<exchanged_plan<comm::dimension_exchange>>(
            std::move(c), p, element, comm::dimension_exchange{}, scratch);
        break;
#endif
      default:
        runner_ = make_bounded(std::move(c), p, element);
    }
  }

  void in_place(void* chunk) override { runner_->in_place(chunk); }
  void move(void const* source, void* target) override { runner_->move(source, target); }
  void in_window(comm::window& chunk) override { runner_->in_window(chunk); }
  void move_windows(comm::window const& source, comm::window const& target) override {
    runner_->move_windows(source, target);
  }
  [[nodiscard]] std::string choice() const override { return choice_.text(); }

 private:
  [[nodiscard]] static detail::choice chosen(plan const& p, std::size_t element_bytes,
                                             unsigned node_bits, comm::automatic const& policy,
                                             index_t budget, bool has_bounded,
                                             comm::cost_model const& measured) {
    const index_t chunk = p.chunk_elements();
    const bool has_pieces = scratch_of_pieces(p, element_bytes, {}, true) <= budget;
    if (p.is_local())
      return has_pieces ? detail::choice(way::pipelined, "automatic: a pass\n")
                        : detail::choice(way::bounded, "automatic: passes in place\n");
    std::vector<candidate> possible;
    const auto offer = [&](way w, bool is_possible) {
      if (is_possible) possible.push_back({w, work_of(w, p, chunk * element_bytes, node_bits)});
    };
    offer(way::window, node_bits > 0 && (node_bits < p.proc_bits() ? 2 : 1) * chunk <= budget);
    offer(way::pipelined, has_pieces);
    offer(way::dimensions, offers_dimensions(p, budget));
    offer(way::bounded, has_bounded);
    return {possible, policy.costs ? *policy.costs : measured, policy.expected_calls};
  }

  detail::choice choice_;
  std::unique_ptr<plan_runner> runner_;
};

}  // namespace bmmc::detail
