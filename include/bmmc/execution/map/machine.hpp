// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/choice.hpp>

namespace bmmc::detail {

/// Whether a map may go through windows.
template <class T, class Element, class Comm>
concept ThroughWindows = Movable<T, Element> && (std::derived_from<Comm, comm::shared_window> ||
                                                 std::derived_from<Comm, comm::automatic>);

/// What a map has to know of the machine, found out before processes agree on anything else.
class map_machine {
 public:
  /// All travels in messages.
  map_machine() = default;
  /// Collective.
  map_machine(comm::communicator const& c, comm::shared_window const& policy) {
    node_ = comm::node::agreed(c, policy.processes_per_node);
  }
  /// Collective; milliseconds for the first map of a kind of communicators: see surroundings.
  map_machine(comm::communicator const& c, comm::automatic const& policy) {
    if (c.size() == 1) return;
    const auto around = comm::surroundings::of(c);
    costs_ = policy.costs ? *policy.costs : around->costs(c);
    calls_ = policy.expected_calls;
    node_ = around->node();
    chooses_ = true;
  }

  /// The node through whose windows work is done, none where it is done by messages. The same on
  /// all processes, if they are to do the same.
  template <class Plan>
  [[nodiscard]] std::shared_ptr<comm::node const> node_for(Plan const& p,
                                                           std::size_t element_bytes) {
    if (p.is_local() || !node_ || node_->bits() == 0) return nullptr;
    if (!chooses_) return node_;
    std::vector<candidate> possible{{way::pipelined, work_of(way::pipelined, p, element_bytes)}};
    if (node_->bits() == p.proc_bits())  // between nodes windows have not paid yet
      possible.push_back({way::window, work_of(way::window, p, element_bytes)});
    const choice chosen(possible, costs_, calls_);
    choice_ = chosen.text();
    return chosen.chosen().name == way::window ? node_ : nullptr;
  }
  /// Whether another way may be taken where there are no windows.
  [[nodiscard]] bool chooses() const noexcept { return chooses_; }
  /// What was chosen and why, where there was a choice.
  [[nodiscard]] std::string const& choice_text() const noexcept { return choice_; }

 private:
  std::shared_ptr<comm::node const> node_;
  comm::cost_model costs_;
  double calls_ = 1;
  bool chooses_ = false;
  std::string choice_;
};

template <class T, class Element, class Comm>
[[nodiscard]] map_machine machine_for(comm::communicator const& c, Comm const& policy) {
  if constexpr (ThroughWindows<T, Element, Comm>)
    return {c, policy};
  else
    return {};
}

}  // namespace bmmc::detail
