// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/permutation/node_pass.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/execution/permutation/used_window.hpp>
#include <bmmc/plan/nodes.hpp>
#include <bmmc/transport/radix_once.hpp>
#include <bmmc/transport/rounds.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// Carries out a plan through memory that the processes of a node share. The nodes are the
/// processes of a plan of their own, A = V W. With one node W is all there is. With several, see
/// node_plan: each process sends what its own part of the node's array holds.
class shared_plan final : public plan_runner {
 public:
  /// The policy's node, if none is known.
  shared_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
              element_kind const& element, comm::shared_window const& policy,
              working_memory const& memory, std::shared_ptr<comm::node const> n = nullptr)
      : comm_(std::move(c)),
        node_(std::move(n)),
        plan_(p),
        policy_(policy),
        bytes_(p.chunk_elements() * element.bytes()),
        stays_(p.is_local()),
        element_(element),
        window_(memory) {}

  void open() override {
    if (!node_) node_ = comm::surroundings::node_of(*comm_, policy_.processes_per_node);
    local::tuning agreed;  // tiles are dealt out by number, so all take those of its first process
    node_->share(&agreed, sizeof agreed);
    window_.open(*comm_, node_, bytes_, [&] { prepare(agreed); });
  }

  void in_place(void* chunk) override {
    if (!stays_) return move(chunk, chunk);
    if (alone_.is_identity()) return;
    alone_(chunk, window_->part());
    std::memcpy(chunk, window_->part(), bytes_);
  }

  void move(void const* source, void* target) override {
    if (stays_ && source != target) return alone_(source, target);
    first_(source, target, *window_, !is_within_nodes_ || window_.needs_last_barrier());
    if (is_within_nodes_) return;
    void* const received = received_.elements().data();
    if (rounds_)
      rounds_->move(*exchange_, target, received);
    else
      comm::sendrecv().move(*exchange_, target, received);
    second_(received, target, *window_, window_.needs_last_barrier());
  }

  /// One pass with one node.
  void in_window(comm::window& data) override {
    if (!is_of_node(data) || window_.is_shared()) return in_place(data.part());
    first_(data, *window_);
    data.swap(*window_);
  }
  void move_windows(comm::window const& source, comm::window const& target) override {
    if (!is_of_node(source) || !is_of_node(target)) return move(source.part(), target.part());
    first_(source, target);
  }

 private:
  void prepare(local::tuning const& agreed) {
    const node_plan nodes(plan_, node_->bits());
    plan const& among = nodes.among();
    is_within_nodes_ = nodes.is_within_nodes();
    if (stays_)
      alone_ = element_.pass(local_permutation(plan_, static_cast<index_t>(comm_->rank())));
    const auto number = static_cast<index_t>(node_->number());
    const auto gather = among.gather(number), scatter = among.scatter(number);
    first_ =
        node_pass(is_within_nodes_ ? compose(scatter, gather) : gather, *node_, element_, agreed);
    if (is_within_nodes_) return;
    second_ = node_pass(scatter, *node_, element_, agreed);
    received_ = transport::workspace<std::byte>(bytes_);
    exchange_ = std::make_unique<comm::exchange>(comm_, nodes.moves(), element_.datatype(),
                                                 element_.bytes(), nodes.message_elements());
    if (policy_.bits != 0) rounds_.emplace(policy_.bits).prepare(*exchange_);
  }
  [[nodiscard]] bool is_of_node(comm::window const& w) const noexcept {
    return is_within_nodes_ && w.owner()->is_like(*node_);
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  plan plan_;
  comm::shared_window policy_;
  std::size_t bytes_;
  bool stays_, is_within_nodes_ = true;
  element_kind element_;
  used_window window_;
  node_pass first_, second_;
  any_pass alone_;
  transport::workspace<std::byte> received_;
  std::unique_ptr<comm::exchange> exchange_;
  std::optional<comm::radix_exchange> rounds_;
};

}  // namespace bmmc::detail
