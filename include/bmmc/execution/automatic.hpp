// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/execution/bounded.hpp>
#include <bmmc/execution/pipelined.hpp>
#include <bmmc/execution/predict.hpp>
#include <bmmc/execution/shared.hpp>

namespace bmmc::detail {

/// Carries out a plan by the way that is predicted to be the fastest: of those that comm::automatic
/// knows, or those that keep to the budget of comm::within_budget.
template <class T, class Element, class Comm>
class automatic_execution final : public execution<T> {
  static constexpr bool has_budget = std::derived_from<Comm, comm::within_budget>;

 public:
  /// Enough for each way; pages that no way writes cost nothing.
  [[nodiscard]] static constexpr index_t scratch(plan const& p, Comm const& policy, bool in_place) {
    const index_t needed = pipelined_execution<T, Element>::scratch(p, {}, in_place);
    return fits(policy, needed) ? needed : 0;
  }

  automatic_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                      Comm const& policy, workspace<T> scratch)
      // a local plan asks nothing of the machine
      : automatic_execution(c, p, policy, std::move(scratch),
                            p.is_local() ? nullptr : comm::surroundings::of(*c)) {}

  void in_place(T* chunk) override { chosen_->in_place(chunk); }
  void move(T const* source, T* target) override { chosen_->move(source, target); }

  void in_place(shared_vector<T>& data) {
    if (windows_ != nullptr) return windows_->in_place(data);
    chosen_->in_place(data.data());
  }
  void move(shared_vector<T> const& source, shared_vector<T>& target) {
    if (windows_ != nullptr) return windows_->move(source, target);
    chosen_->move(source.data(), target.data());
  }

  /// What was chosen, and why.
  [[nodiscard]] std::string explain() const { return prediction_.text(); }

 private:
  automatic_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                      Comm const& policy, workspace<T> scratch,
                      std::shared_ptr<comm::surroundings const> const& around)
      : prediction_(p, p.chunk_elements() * sizeof(T), around ? around->node()->bits() : 0, policy,
                    policy.costs ? *policy.costs
                    : around     ? around->costs()
                                 : comm::cost_model{},
                    possible(p, around ? around->node()->bits() : 0, policy)) {
    if (prediction_.chosen() == way::window) {
      auto made = std::make_unique<shared_execution<T, Element>>(std::move(c), p, around->node());
      windows_ = made.get();
      chosen_ = std::move(made);
    } else if (prediction_.chosen() == way::pipelined) {
      chosen_ = std::make_unique<pipelined_execution<T, Element>>(
          std::move(c), p, comm::pipelined{}, std::move(scratch));
    }
    if constexpr (has_budget)
      if (!chosen_) chosen_ = std::make_unique<bounded_execution<T, Element>>(std::move(c), p);
  }

  [[nodiscard]] static constexpr bool fits(Comm const& policy, index_t elements) {
    if constexpr (has_budget)
      return elements <= policy.bytes / sizeof(T);
    else
      return true;
  }
  [[nodiscard]] static std::array<bool, way_names.size()> possible(plan const& p,
                                                                   unsigned node_bits,
                                                                   Comm const& policy) {
    const index_t chunk = p.chunk_elements();
    const bool several_nodes = node_bits < p.proc_bits();
    return {node_bits > 0 && !p.is_local() && fits(policy, several_nodes ? 2 * chunk : chunk),
            fits(policy, pipelined_execution<T, Element>::scratch(p, {}, true)), has_budget};
  }

  prediction prediction_;
  std::unique_ptr<execution<T>> chosen_;
  shared_execution<T, Element>* windows_ = nullptr;
};

}  // namespace bmmc::detail
