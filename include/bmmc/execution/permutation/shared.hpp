// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include <bmmc/execution/permutation/node_pass.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/execution/permutation/used_window.hpp>
#include <bmmc/transport/rounds.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// Carries out a plan through memory that the processes of a node share. The nodes are the
/// processes of a plan of their own, A = V W. With one node W is all there is. With several, the
/// blocks of V lie one after another in the node's array, so each process sends what its own part
/// holds: whole blocks or a part of one, to the process in the same place of another node.
class shared_plan final : public plan_runner {
 public:
  /// `kept`: see working_memory.
  shared_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
              element_kind const& element, int processes_per_node,
              std::shared_ptr<comm::window>* kept)
      : comm_(std::move(c)),
        plan_(p),
        processes_per_node_(processes_per_node),
        bytes_(p.chunk_elements() * element.bytes()),
        stays_(p.is_local()),
        element_(element),
        window_(kept) {}
  /// With a node that is known.
  shared_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
              element_kind const& element, std::shared_ptr<comm::node const> n,
              std::shared_ptr<comm::window>* kept)
      : shared_plan(std::move(c), p, element, 0, kept) {
    node_ = std::move(n);
  }

  void open() override {
    if (!node_) node_ = comm::node::agreed(*comm_, processes_per_node_);
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
    first_(source, target, *window_);
    if (is_within_nodes_) return;
    void* const received = received_.elements().data();
    comm::sendrecv().move(*exchange_, target, received);
    second_(received, target, *window_);
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
    const plan among_nodes(plan_.physical(), plan_.proc_bits() - node_->bits());
    is_within_nodes_ = among_nodes.is_local();
    if (stays_)
      alone_ = element_.pass(local_permutation(plan_, static_cast<index_t>(comm_->rank())));
    const auto number = static_cast<index_t>(node_->number());
    const auto gather = among_nodes.gather(number), scatter = among_nodes.scatter(number);
    first_ =
        node_pass(is_within_nodes_ ? compose(scatter, gather) : gather, *node_, element_, agreed);
    if (is_within_nodes_) return;
    second_ = node_pass(scatter, *node_, element_, agreed);
    received_ = transport::workspace<std::byte>(bytes_);
    exchange_ = exchange_of_parts(comm_, among_nodes, plan_.chunk_elements());
  }
  [[nodiscard]] bool is_of_node(comm::window const& w) const noexcept {
    return is_within_nodes_ && w.owner()->is_like(*node_);
  }

  /// The exchange of what lies in each process's part of its node's array: block b' of place l is
  /// block (l, b') of the node, or lies in block b with b the high bits of l.
  [[nodiscard]] std::unique_ptr<comm::exchange> exchange_of_parts(
      std::shared_ptr<comm::communicator const> c, plan const& among_nodes, index_t chunk) const {
    const auto of_nodes = among_nodes.moves();  // (b, node) -> (b, other node)
    const unsigned rank = among_nodes.rank(), bits = node_->bits();
    const unsigned own = rank > bits ? rank - bits : 0;  // bits of blocks within a part
    const unsigned shared = own + bits - rank;           // bits that tell parts of one block apart
    auto moves = identity_matrix(own + bits + among_nodes.proc_bits());
    for (unsigned b = 0; b < rank; ++b)
      moves.column[b + shared] |= of_nodes.matrix().column[b] >> rank << (own + bits);
    for (unsigned k = 0; k < among_nodes.proc_bits(); ++k)
      moves.column[own + bits + k] = of_nodes.matrix().column[rank + k] >> rank << (own + bits);
    return std::make_unique<comm::exchange>(
        std::move(c), permutation<>(moves, of_nodes.complement() >> rank << (own + bits)),
        element_.datatype(), element_.bytes(), chunk >> own);
  }

  std::shared_ptr<comm::communicator const> comm_;
  plan plan_;
  int processes_per_node_;
  std::shared_ptr<comm::node const> node_;
  std::size_t bytes_;
  bool stays_, is_within_nodes_ = true;
  element_kind element_;
  used_window window_;
  node_pass first_, second_;
  any_pass alone_;
  transport::workspace<std::byte> received_;
  std::unique_ptr<comm::exchange> exchange_;
};

}  // namespace bmmc::detail
