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
#include <bmmc/execution/permutation/windowed.hpp>
#include <bmmc/execution/tried_ways.hpp>
#ifdef BMMC_COMPILED
#include <bmmc/execution/permutation/exchanged.hpp>
#include <bmmc/transport/radix.hpp>
#endif

namespace bmmc::detail {

/// Carries out a plan by the fastest way of those that keep to a budget of scratch elements:
/// without one those that comm::automatic knows. The way that is predicted to be the fastest, or,
/// for many calls, the one that was the fastest in the first of them: see comm::automatic.
class automatic_plan final : public plan_runner {
 public:
  automatic_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
                 element_kind const& element, comm::automatic const& policy, index_t budget,
                 working_memory memory, bounded_maker make_bounded)
      : comm_(std::move(c)),
        plan_(p),
        element_(element),
        policy_(policy),
        budget_(budget),
        memory_(memory),
        make_bounded_(make_bounded) {
    if (p.is_local()) ways_ = ways(0);  // it asks nothing of the machine
  }

  void open() override {
    if (plan_.is_local()) return;
    around_ = comm::surroundings::of(*comm_);
    costs_ = policy_.costs ? *policy_.costs : around_->costs(*comm_);
    open_ways(*comm_, ways_, "no memory for the tables of a permutation", true,
              [&](bool windows) { return ways(windows ? around_->node()->bits() : 0); });
  }

  void in_place(void* chunk) override {
    ways_.run(*comm_, 0, [&](plan_runner& r) { r.in_place(chunk); });
  }
  void move(void const* source, void* target) override {
    ways_.run(*comm_, 1, [&](plan_runner& r) { r.move(source, target); });
  }
  // where arrays lie in windows themselves there is no better way
  void in_window(comm::window& chunk) override { ways_.prefer(way::window, 0).in_window(chunk); }
  void move_windows(comm::window const& source, comm::window const& target) override {
    ways_.prefer(way::window, 1).move_windows(source, target);
  }
  [[nodiscard]] std::string choice() const override { return ways_.text(); }

 private:
  [[nodiscard]] tried_ways<plan_runner> ways(unsigned node_bits) const {
    const auto key = fingerprint({plan_.physical().matrix(), plan_.physical().complement()});
    return {chosen(node_bits), policy_.is_tried() ? around_ : nullptr, key ^ element_.bytes(),
            plan_.chunk_elements() * element_.bytes(), [&](candidate const& c) { return make(c); }};
  }

  [[nodiscard]] std::unique_ptr<plan_runner> make(candidate const& c) const {
    switch (c.name) {
      case way::window:
        return std::make_unique<shared_plan>(comm_, plan_, element_, around_->node(),
                                             memory_.window);
      case way::window_pieces:
        return std::make_unique<windowed_plan>(
            comm_, plan_, element_, comm::shared_window{.piece_bytes = bit(lg_window_piece())},
            memory_, around_->node());
      case way::pipelined:
        return std::make_unique<piecewise_plan>(comm_, plan_, element_, comm::pipelined{},
                                                memory_.scratch);
#ifdef BMMC_COMPILED
      case way::rounds:
        return std::make_unique<exchanged_plan<comm::radix_exchange>>(
            comm_, plan_, element_, comm::radix_exchange{c.bits}, memory_.scratch);
#endif
      default:
        return make_bounded_(comm_, plan_, element_);
    }
  }

  /// Single calls take small pieces, since a window is slow where it is touched for the first time.
  [[nodiscard]] unsigned lg_window_piece() const noexcept {
    return policy_.expected_calls < 100 ? 18 : 20;
  }
  [[nodiscard]] detail::choice chosen(unsigned node_bits) const {
    plan const& p = plan_;
    const index_t chunk = p.chunk_elements();
    const bool has_pieces = scratch_of_pieces(p, element_.bytes(), {}, true) <= budget_;
    if (p.is_local())
      return has_pieces ? detail::choice(way::pipelined, "automatic: a pass\n")
                        : detail::choice(way::bounded, "automatic: passes in place\n");
    std::vector<candidate> possible;
    const auto offer = [&](way w, bool is_possible) {
      if (is_possible)
        possible.push_back(
            {w, work_of(w, p, chunk * element_.bytes(), node_bits, lg_window_piece())});
    };
    offer(way::window, node_bits > 0 && (node_bits < p.proc_bits() ? 2 : 1) * chunk <= budget_);
    offer(way::window_pieces, node_bits == p.proc_bits() && has_pieces);
    offer(way::pipelined, has_pieces);
    if (offers_rounds(p, budget_))
      for (unsigned bits = 1; bits < p.rank(); ++bits)
        possible.push_back({way::rounds,
                            work_of(way::rounds, p, chunk * element_.bytes(), node_bits, bits),
                            bits});
    offer(way::bounded, make_bounded_ != nullptr);
    return {possible, costs_, policy_.expected_calls};
  }

  std::shared_ptr<comm::communicator const> comm_;
  plan plan_;
  element_kind element_;
  comm::automatic policy_;
  index_t budget_;
  working_memory memory_;
  bounded_maker make_bounded_;
  std::shared_ptr<comm::surroundings const> around_;
  comm::cost_model costs_;
  tried_ways<plan_runner> ways_;
};

}  // namespace bmmc::detail
