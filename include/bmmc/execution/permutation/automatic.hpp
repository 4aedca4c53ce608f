// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/permutation/exchanged.hpp>
#include <bmmc/execution/permutation/piecewise.hpp>
#include <bmmc/execution/permutation/shared.hpp>
#include <bmmc/execution/permutation/windowed.hpp>
#include <bmmc/execution/tried_ways.hpp>
#include <bmmc/transport/radix_once.hpp>

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
    return {chosen(node_bits), policy_.is_tried() ? around_ : nullptr,
            fingerprint_of(plan_) ^ element_.bytes(), plan_.chunk_elements() * element_.bytes(),
            [&](candidate const& c) { return make(c); }};
  }

  [[nodiscard]] std::unique_ptr<plan_runner> make(candidate const& c) const {
    switch (c.name) {
      case way::window:
        return std::make_unique<shared_plan>(
            comm_, plan_, element_, comm::shared_window{.bits = c.bits}, memory_, around_->node());
      case way::window_pieces:
        return std::make_unique<windowed_plan>(
            comm_, plan_, element_, comm::shared_window{.piece_bytes = bit(lg_window_piece())},
            memory_, around_->node());
      case way::pipelined:
        return std::make_unique<piecewise_plan>(comm_, plan_, element_, comm::pipelined{}, memory_);
      case way::rounds:
        return std::make_unique<exchanged_plan<comm::radix_exchange>>(
            comm_, plan_, element_, comm::radix_exchange{c.bits}, memory_.scratch);
      default:
        return make_bounded_(comm_, plan_, element_);
    }
  }

  /// Single calls take small pieces, since a window is slow where it is touched for the first time:
  /// a 64th of a chunk.
  [[nodiscard]] unsigned lg_window_piece() const noexcept {
    const auto part =
        static_cast<unsigned>(std::bit_width(plan_.chunk_elements() * element_.bytes() / 64 | 1));
    return policy_.expected_calls < 100 ? std::clamp(part, 19U, 21U) - 1 : 20;
  }
  [[nodiscard]] detail::choice chosen(unsigned node_bits) const {
    plan const& p = plan_;
    const index_t chunk = p.chunk_elements();
    const bool has_pieces = scratch_of_pieces(p, element_.bytes(), {}, true) <= budget_;
    if (p.is_local())
      return has_pieces ? detail::choice(way::pipelined, "automatic: a pass\n")
                        : detail::choice(way::bounded, "automatic: passes in place\n");
    std::vector<candidate> possible;
    const auto offer = [&](way w, bool is_possible, unsigned bits = 0) {
      if (!is_possible) return;
      const index_t bytes = chunk * element_.bytes();
      const unsigned of = w == way::window_pieces ? lg_window_piece() : bits;
      auto work = work_of(w, p, bytes, node_bits, of);
      if (w == way::window_pieces && !memory_.to_target) work.copied_bytes += double(bytes);
      if (memory_.has_window(w == way::window ? bytes : std::min(bytes, bit(of + 1))))
        work.windows = work.window_bytes = 0;
      possible.push_back({w, work, bits});
    };
    const bool has_window = node_bits > 0 && (node_bits < p.proc_bits() ? 2 : 1) * chunk <= budget_;
    offer(way::window, has_window);
    if (has_window && budget_ == unlimited) {
      const index_t messages = node_plan(p, node_bits).messages();
      for (unsigned bits = 1; bit(bits) <= messages; ++bits) offer(way::window, true, bits);
    }
    offer(way::window_pieces, node_bits == p.proc_bits() && has_pieces);
    offer(way::pipelined, has_pieces);
    for (unsigned bits = 1; offers_rounds(p, budget_) && bits < p.rank(); ++bits)
      offer(way::rounds, true, bits);
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
