// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/tried_ways.hpp>

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
    node_ = comm::surroundings::node_of(c, policy.processes_per_node);
  }
  /// Collective; milliseconds for the first map of a kind of communicators: see surroundings.
  map_machine(comm::communicator const& c, comm::automatic const& policy) : policy_(policy) {
    if (c.size() == 1) return;
    around_ = comm::surroundings::of(c);
    costs_ = policy.costs ? *policy.costs : around_->costs(c);
    node_ = around_->node();
  }

  /// The way of a plan, or several that are to be tried, whose runners make(node) makes: without a
  /// node all travels in messages. The same on all processes, if they are to do the same.
  template <class Runner, class Plan, class Make>
  [[nodiscard]] tried_ways<Runner> ways(Plan const& p, std::size_t element_bytes, bool windows,
                                        Make make) const {
    constexpr std::uint64_t gathers = std::same_as<Plan, gather_plan> ? 0x67617468 : 0x72656475;
    const bool is_tried = around_ && policy_.is_tried() && !p.is_local();
    return {chosen(p, element_bytes, windows), is_tried ? around_ : nullptr,
            fingerprint(p.physical()) ^ gathers ^ element_bytes,
            std::max(p.source_elements(), p.target_elements()) * element_bytes,
            [&](candidate const& c) { return make(c.name == way::window ? node_ : nullptr); }};
  }
  /// Whether another way may be taken where there are no windows.
  [[nodiscard]] bool chooses() const noexcept { return around_ != nullptr; }

 private:
  template <class Plan>
  [[nodiscard]] choice chosen(Plan const& p, std::size_t element_bytes, bool windows) const {
    const bool has_node = windows && !p.is_local() && node_ && node_->bits() != 0;
    if (!around_ || p.is_local()) return {has_node ? way::window : way::pipelined, ""};
    std::vector<candidate> possible{{way::pipelined, work_of(way::pipelined, p, element_bytes)}};
    if (has_node && node_->bits() == p.proc_bits())  // between nodes windows have not paid yet
      possible.push_back({way::window, work_of(way::window, p, element_bytes)});
    return {possible, costs_, policy_.expected_calls};
  }

  std::shared_ptr<comm::node const> node_;
  std::shared_ptr<comm::surroundings const> around_;
  comm::automatic policy_;
  comm::cost_model costs_;
};

template <class T, class Element, class Comm>
[[nodiscard]] map_machine machine_for(comm::communicator const& c, Comm const& policy) {
  if constexpr (ThroughWindows<T, Element, Comm>)
    return {c, policy};
  else
    return {};
}

}  // namespace bmmc::detail
