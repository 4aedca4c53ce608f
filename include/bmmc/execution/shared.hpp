// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <memory>
#include <utility>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/execution/execution.hpp>
#include <bmmc/execution/node_pass.hpp>
#include <bmmc/execution/workspace.hpp>

namespace bmmc::detail {

/// Carries out a plan through memory that the processes of a node share. The nodes are the
/// processes of a plan of their own, A = V W. With one node W is all there is. With several, the
/// blocks of V lie one after another in the node's array, so each process sends what its own part
/// holds: whole blocks or a part of one, to the process in the same place of another node.
template <class T, class Element>
class shared_execution final : public execution<T> {
 public:
  [[nodiscard]] static constexpr index_t scratch(plan const&, comm::shared_window const&,
                                                 bool) noexcept {
    return 0;
  }

  /// Collective; throws bad_value on all processes where there is no shared memory for a chunk.
  shared_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                   comm::shared_window const& policy, workspace<T>)
      : shared_execution(c, p, std::make_shared<comm::node const>(*c, policy.processes_per_node)) {}

  shared_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                   std::shared_ptr<comm::node const> n)
      : node_(std::move(n)), chunk_(p.chunk_elements()), stays_(p.is_local()) {
    const plan among_nodes(p.physical(), p.proc_bits() - node_->bits());
    is_within_nodes_ = among_nodes.is_local();
    if (stays_) {
      const auto proc = static_cast<index_t>(c->rank());
      alone_ = local::pass<T>(compose(p.scatter(proc), p.gather(proc)));
    }
    window_ = comm::agreed_window(*c, node_, chunk_ * sizeof(T));
    const auto number = static_cast<index_t>(node_->number());
    const auto place = static_cast<index_t>(node_->place());
    const auto gather = among_nodes.gather(number), scatter = among_nodes.scatter(number);
    first_ =
        node_pass<T>(is_within_nodes_ ? compose(scatter, gather) : gather, node_->bits(), place);
    if (is_within_nodes_) return;
    second_ = node_pass<T>(scatter, node_->bits(), place);
    received_ = workspace<T>(chunk_);
    exchange_ = exchange_of_parts(std::move(c), among_nodes);
  }

  void in_place(T* chunk) override {
    if (!stays_) return move(chunk, chunk);
    if (alone_.is_identity()) return;
    T* const scratch = reinterpret_cast<T*>(window_.part());
    alone_(chunk, scratch);
    std::memcpy(chunk, scratch, chunk_ * sizeof(T));
  }

  void move(T const* source, T* target) override {
    if (stays_ && source != target) return alone_(source, target);
    first_(source, target, window_);
    if (is_within_nodes_) return;
    T* const received = received_.elements().data();
    comm::sendrecv().move(*exchange_, target, received);
    second_(received, target, window_);
  }

  /// The same for arrays in windows: one pass with one node.
  void in_place(shared_vector<T>& data) {
    if (!is_in_window(data)) return in_place(data.data());
    first_(data.memory(), window_);
    data.memory().swap(window_);
  }
  void move(shared_vector<T> const& source, shared_vector<T>& target) {
    if (!is_in_window(source) || !is_in_window(target)) return move(source.data(), target.data());
    first_(source.memory(), target.memory());
  }

 private:
  [[nodiscard]] bool is_in_window(shared_vector<T> const& v) const noexcept {
    return is_within_nodes_ && v.memory().owner()->is_like(*node_);
  }

  /// The exchange of what lies in each process's part of its node's array: block b' of place l is
  /// block (l, b') of the node, or lies in block b with b the high bits of l.
  [[nodiscard]] std::unique_ptr<comm::exchange> exchange_of_parts(
      std::shared_ptr<comm::communicator const> c, plan const& among_nodes) const {
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
        element_.handle(), sizeof(T), chunk_ >> own);
  }

  std::shared_ptr<comm::node const> node_;
  index_t chunk_;
  bool stays_, is_within_nodes_ = true;
  comm::datatype element_ = Element::template datatype<T>();
  comm::window window_;
  node_pass<T> first_, second_;
  local::pass<T> alone_;
  workspace<T> received_;
  std::unique_ptr<comm::exchange> exchange_;
};

}  // namespace bmmc::detail
