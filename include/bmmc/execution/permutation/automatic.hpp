// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/permutation/piecewise.hpp>
#include <bmmc/execution/permutation/shared.hpp>
#include <bmmc/execution/permutation/trial.hpp>
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
    if (p.is_local()) choose(false);  // it asks nothing of the machine
  }

  void open() override {
    if (plan_.is_local()) return;
    around_ = comm::surroundings::of(*comm_);
    if (!policy_.costs) costs_ = around_->costs(*comm_);
    try {
      open_with(true);
    } catch (bad_value const& error) {  // on all processes
      no_windows_.raise(error.what());
      open_with(false);
    }
  }

  void in_place(void* chunk) override {
    run(0, [&](plan_runner& r) { r.in_place(chunk); });
  }
  void move(void const* source, void* target) override {
    run(1, [&](plan_runner& r) { r.move(source, target); });
  }
  void in_window(comm::window& chunk) override { through_windows().in_window(chunk); }
  void move_windows(comm::window const& source, comm::window const& target) override {
    through_windows().move_windows(source, target);
  }
  [[nodiscard]] std::string choice() const override {
    std::string text = choice_.text();
    for (std::size_t kind = 0; kind < kinds; ++kind) text += told(kind);
    if (!no_windows_.empty()) text.append("  no windows: ").append(no_windows_.text()).append("\n");
    return text;
  }

 private:
  static constexpr std::size_t kinds = 2;  // calls in place, and from a source to a target
  struct rival {
    candidate how;
    std::unique_ptr<plan_runner> runner;
  };

  template <class Call>
  void run(std::size_t kind, Call call) {
    trial& t = trials_[kind];
    if (t.is_over()) return call(*rivals_[fastest_[kind]].runner);
    t.measure(*comm_, [&] { call(*rivals_[t.next()].runner); });
    if (!t.is_over()) return;
    fastest_[kind] = t.fastest();
    around_->remember(key_ + kind, number_of(rivals_[t.fastest()].how));
  }
  [[nodiscard]] static unsigned number_of(candidate const& c) noexcept {
    return static_cast<unsigned>(c.name) + 8 * c.bits;
  }
  void settle(std::size_t kind, unsigned number) {
    for (std::size_t k = 0; k < rivals_.size(); ++k)
      if (number_of(rivals_[k].how) == number) fastest_[kind] = k;
  }
  /// Where arrays lie in windows themselves there is no better way.
  [[nodiscard]] plan_runner& through_windows() {
    for (rival& each : rivals_)
      if (each.how.name == way::window) return *each.runner;
    return *rivals_.front().runner;
  }
  [[nodiscard]] std::string told(std::size_t kind) const {
    if (rivals_.size() == 1) return {};
    std::string text = kind == 0 ? "  in place: " : "  from source to target: ";
    trial const& t = trials_[kind];
    if (!t.is_over()) return text + "will be tried in the first calls\n";
    text += choice::name(rivals_[fastest_[kind]].how);
    if (t.seconds().empty()) return text + ", known from another permuter\n";
    text += "; measured ms: ";
    for (std::size_t k = 0; k < rivals_.size(); ++k)
      text += detail::text({k == 0 ? "" : "; ", choice::name(rivals_[k].how), " ",
                            choice::figure(1e3 * t.seconds()[k])});
    return text + "\n";
  }

  void open_with(bool windows) {
    comm::objection against;
    against.attempt("no memory for the tables of a permutation", [&] { choose(windows); });
    comm::agree(*comm_, against);
    for (rival& each : rivals_) each.runner->open();
  }

  void choose(bool windows) {
    choice_ = chosen(windows ? around_->node()->bits() : 0);
    key_ =
        fingerprint({plan_.physical().matrix(), plan_.physical().complement()}) ^ element_.bytes();
    const bool tries = policy_.is_tried() && around_;
    rivals_.clear();
    trials_ = {};  // of a choice that was not agreed upon
    fastest_ = {};
    for (candidate const& each : tries ? choice_.rivals() : std::vector{choice_.chosen()})
      rivals_.push_back({each, make(each)});
    // the less there is to move, the more a single call's time says about other things
    const auto rounds = static_cast<unsigned>(
        std::clamp<index_t>(bit(24) / (plan_.chunk_elements() * element_.bytes()), 3, 8));
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (const auto known = tries ? around_->fastest(key_ + kind) : std::nullopt; known)
        settle(kind, *known);
      else if (rivals_.size() > 1)
        trials_[kind] = trial(rivals_.size(), rounds);
  }

  [[nodiscard]] std::unique_ptr<plan_runner> make(candidate const& c) const {
    switch (c.name) {
      case way::window:
        return std::make_unique<shared_plan>(comm_, plan_, element_, around_->node(),
                                             memory_.window);
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

  [[nodiscard]] detail::choice chosen(unsigned node_bits) const {
    plan const& p = plan_;
    const index_t chunk = p.chunk_elements();
    const bool has_pieces = scratch_of_pieces(p, element_.bytes(), {}, true) <= budget_;
    if (p.is_local())
      return has_pieces ? detail::choice(way::pipelined, "automatic: a pass\n")
                        : detail::choice(way::bounded, "automatic: passes in place\n");
    std::vector<candidate> possible;
    const auto offer = [&](way w, bool is_possible) {
      if (is_possible) possible.push_back({w, work_of(w, p, chunk * element_.bytes(), node_bits)});
    };
    offer(way::window, node_bits > 0 && (node_bits < p.proc_bits() ? 2 : 1) * chunk <= budget_);
    offer(way::pipelined, has_pieces);
    if (offers_rounds(p, budget_))
      for (unsigned bits = 1; bits < p.rank(); ++bits)
        possible.push_back({way::rounds,
                            work_of(way::rounds, p, chunk * element_.bytes(), node_bits, bits),
                            bits});
    offer(way::bounded, make_bounded_ != nullptr);
    return {possible, policy_.costs ? *policy_.costs : costs_, policy_.expected_calls};
  }

  std::shared_ptr<comm::communicator const> comm_;
  plan plan_;
  element_kind element_;
  comm::automatic policy_;
  index_t budget_;
  working_memory memory_;
  bounded_maker make_bounded_;
  std::shared_ptr<comm::surroundings const> around_;
  comm::cost_model costs_;  // measured, where the policy gives none
  comm::objection no_windows_;
  detail::choice choice_;
  std::uint64_t key_ = 0;
  std::vector<rival> rivals_;  // that predicted to be the fastest first
  std::array<trial, kinds> trials_;
  std::array<std::size_t, kinds> fastest_{};
};

}  // namespace bmmc::detail
