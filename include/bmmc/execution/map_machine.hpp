// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <memory>
#include <string>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/blocks.hpp>
#include <bmmc/comm/cost_model.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc::detail {

/// Whether a map may go through windows.
template <class T, class Comm, class Element>
concept ThroughWindows = Movable<T, Element> && (std::derived_from<Comm, comm::shared_window> ||
                                                 std::derived_from<Comm, comm::automatic>);

/// What a map has to do between processes. In messages it receives blocks, less the one that stays.
/// Through windows bytes are copied into them, and out of them where a message would have brought
/// them to their place.
struct map_work {
  double blocks, block_bytes;
  double copied_bytes, window_bytes;

  [[nodiscard]] static map_work of(gather_plan const& p, std::size_t element_bytes) {
    const index_t there = p.lists_are_offsets() ? p.list_elements() : 0;
    return {p, element_bytes, p.region_elements() + there, p.region_elements()};
  }
  [[nodiscard]] static map_work of(reduce_plan const& p, std::size_t element_bytes) {
    const index_t there = p.lists_are_offsets() ? p.list_elements() : 0;
    return {p, element_bytes, there, p.list_elements()};
  }

 private:
  map_work(map_plan const& p, std::size_t element_bytes, index_t copied, index_t window)
      : blocks(static_cast<double>(std::max<index_t>(2, p.list_elements() / p.block_elements()))),
        block_bytes(static_cast<double>(p.block_elements() * element_bytes)),
        copied_bytes(static_cast<double>(copied * element_bytes)),
        window_bytes(static_cast<double>(window * element_bytes)) {}
};

/// What a map has to know of the machine, found out before processes agree on anything else.
class map_machine {
 public:
  /// All travels in messages.
  map_machine() = default;
  /// Collective.
  map_machine(comm::communicator const& c, comm::shared_window const& policy) {
    const comm::common_fact fact{"settings of the policy", policy.settings(), false};
    comm::agree(c, {}, {&fact, 1});
    node_ = std::make_shared<comm::node const>(c, policy.processes_per_node);
  }
  /// Collective; milliseconds for the first map of a communicator.
  map_machine(comm::communicator const& c, comm::automatic const& policy) {
    if (c.size() == 1) return;
    const auto around = comm::surroundings::of(c);
    costs_ = policy.costs ? *policy.costs : around->costs();
    calls_ = policy.calls;
    node_ = around->node();
    chooses_ = true;
  }

  /// The node through whose windows work is done, none where it is done by messages. The same on
  /// all processes, if they are to do the same.
  [[nodiscard]] std::shared_ptr<comm::node const> node_for(map_plan const& p,
                                                           map_work const& work) {
    if (p.is_local() || !node_ || node_->bits() == 0) return nullptr;
    if (!chooses_) return node_;
    const double windows = 2 * costs_.barrier + work.copied_bytes * costs_.copied_byte +
                           (costs_.window + work.window_bytes * costs_.window_byte) / calls_;
    const double messages = costs_.message + (work.blocks - 2) * costs_.message_together +
                            (work.blocks - 1) * work.block_bytes * costs_.message_byte;
    const bool on_one_node = node_->bits() == p.proc_bits();
    const bool pays = on_one_node && windows < messages;
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(),
                  on_one_node
                      ? "automatic: %s\n  predicted ms: pipelined %.3g; shared_window %.3g\n"
                      : "automatic: %s\n  predicted ms: pipelined %.3g\n",
                  pays ? "shared_window" : "pipelined", 1e3 * messages, 1e3 * windows);
    choice_ = text.data();
    return pays ? node_ : nullptr;
  }
  /// What was chosen and why, where there was a choice.
  [[nodiscard]] std::string const& choice() const noexcept { return choice_; }

 private:
  std::shared_ptr<comm::node const> node_;
  comm::cost_model costs_;
  double calls_ = 1;
  bool chooses_ = false;
  std::string choice_;
};

template <class T, class Element, class Comm>
[[nodiscard]] map_machine machine_for(comm::communicator const& c, Comm const& policy) {
  if constexpr (ThroughWindows<T, Comm, Element>)
    return {c, policy};
  else
    return {};
}

}  // namespace bmmc::detail
