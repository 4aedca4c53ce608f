// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/execution/execution.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/pieces.hpp>

namespace bmmc::detail {

/// Carries out a plan piece by piece; see comm::pipelined and plan/pieces.hpp.
template <class T, class Element>
class pipelined_execution final : public execution<T> {
 public:
  /// Scratch elements: pieces that travel, and all of a chunk in place.
  [[nodiscard]] static constexpr index_t scratch(plan const& p, comm::pipelined const& policy,
                                                 bool in_place) {
    const index_t chunk = p.chunk_elements();
    if (p.is_local() || p.is_exchange_only()) return in_place ? chunk : 0;
    const index_t piece = cut(p, policy).elements(), depth = slots(policy);
    return in_place ? chunk + depth * piece : 2 * depth * piece;
  }

  pipelined_execution(std::shared_ptr<comm::communicator const> c, plan const& p,
                      comm::pipelined const& policy, workspace<T> scratch)
      : plan_(p), pieces_(cut(p, policy)), scratch_(std::move(scratch)), depth_(slots(policy)) {
    proc_ = static_cast<index_t>(c->rank());
    copy_ = local::pass<T>(identity_permutation(p.bits() - p.proc_bits()));
    if (p.is_local()) {
      local_ = local::pass<T>(compose(p.scatter(proc_), p.gather(proc_)));
      return;
    }
    gather_ = local::pass<T>(pieces_.gather_to(), pieces_.gather_from(proc_));
    scatter_ = local::pass<T>(pieces_.scatter(proc_));
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.handle(),
                                                 sizeof(T), pieces_.message_elements());
    depth_ = std::min(depth_, pieces_.count());
    receives_.assign(depth_ * pieces_.messages(), MPI_REQUEST_NULL);
    sends_.assign(pieces_.count() * pieces_.messages(), MPI_REQUEST_NULL);
  }

  void in_place(T* chunk) override {
    T* const gathered = scratch_.elements().data();
    if (plan_.is_local()) {
      if (local_.is_identity()) return;
      local_(chunk, gathered);
      return copy_(gathered, chunk);
    }
    if (plan_.is_exchange_only()) {
      move_blocks(chunk, gathered);
      return copy_(gathered, chunk);
    }
    T* const received = gathered + plan_.chunk_elements();
    const auto place = [&](index_t k) { return gathered + k * pieces_.elements(); };
    for (index_t k = 0; k < depth_; ++k) receive(k, received);
    for (index_t k = 0; k < pieces_.count(); ++k) {
      gather(k, chunk, place(k));
      send(k, place(k), k);
    }
    for (index_t k = 0; k < pieces_.count(); ++k) {  // all has left the chunk
      collect(k, place(k), received, chunk);
      if (k + depth_ < pieces_.count()) receive(k + depth_, received);
    }
    for (index_t k = 0; k < pieces_.count(); ++k) wait(sends_, k);
  }

  void move(T const* source, T* target) override {
    if (plan_.is_local()) return local_(source, target);
    if (plan_.is_exchange_only()) return move_blocks(source, target);
    T* const gathered = scratch_.elements().data();
    T* const received = gathered + depth_ * pieces_.elements();
    const auto place = [&](index_t k) { return gathered + k % depth_ * pieces_.elements(); };
    for (index_t k = 0; k < depth_; ++k) receive(k, received);
    const index_t count = pieces_.count();
    for (index_t k = 0; k < count + depth_ - 1; ++k) {
      if (k < count) {
        wait(sends_, k % depth_);
        gather(k, source, place(k));
        send(k, place(k), k % depth_);
      }
      if (k + 1 < depth_) continue;
      const index_t arrived = k + 1 - depth_;
      collect(arrived, place(arrived), received, target);
      if (arrived + depth_ < count) receive(arrived + depth_, received);
    }
    for (index_t k = 0; k < depth_; ++k) wait(sends_, k);
  }

 private:
  [[nodiscard]] static constexpr index_t slots(comm::pipelined const& policy) noexcept {
    return std::max(1U, policy.in_flight);
  }
  /// The pieces of a policy, or those that make messages worth sending.
  [[nodiscard]] static constexpr pieces cut(plan const& p, comm::pipelined const& policy) {
    constexpr index_t least_piece = index_t{1} << 20, least_message = index_t{1} << 16;
    if (p.is_exchange_only()) return {p, p.bits()};  // a single piece: no buffers are needed
    const index_t bytes = policy.piece_bytes != 0 ? policy.piece_bytes : least_piece;
    unsigned bits =
        static_cast<unsigned>(std::bit_width(std::max<index_t>(1, bytes / sizeof(T)))) - 1;
    for (;; ++bits) {
      const pieces cut(p, bits);
      if (policy.piece_bytes != 0 || cut.count() == 1 ||
          cut.message_elements() * sizeof(T) >= least_message)
        return cut;
    }
  }

  void gather(index_t piece, T const* source, T* to) {
    gather_.set_offset(0, pieces_.source_offset(proc_, piece));
    gather_(source, to);
  }
  /// Message i of a piece, in a buffer that holds the piece.
  template <class U>
  [[nodiscard]] U* message(U* piece, index_t i) const noexcept {
    return piece + i * pieces_.message_elements();
  }
  [[nodiscard]] bool stays(index_t block) const noexcept {
    return exchange_->target(block) == exchange_->proc();
  }

  /// Whole blocks, from where they lie.
  void move_blocks(T const* source, T* target) {
    receive(0, target);
    send(0, source, 0);
    keep(0, source, target);
    wait(receives_, 0);
    wait(sends_, 0);
  }
  /// What stays of a piece, between buffers that hold it.
  void keep(index_t piece, T const* from, T* to) const {
    for (index_t i = 0; i < pieces_.messages(); ++i)
      if (stays(pieces_.block(piece, i)))
        std::memcpy(message(to, i), message(from, i), pieces_.message_elements() * sizeof(T));
  }

  void send(index_t piece, T const* from, index_t slot) {
    for (index_t i = 0; i < pieces_.messages(); ++i) {
      const index_t b = pieces_.block(piece, i);
      if (stays(b)) continue;
      exchange_->check(MPI_Isend(message(from, i), 1, exchange_->block_type(), exchange_->target(b),
                                 0, exchange_->comm(), &sends_[slot * pieces_.messages() + i]),
                       "MPI_Isend", b);
    }
  }
  void receive(index_t piece, T* received) {
    const index_t slot = piece % depth_;
    for (index_t i = 0; i < pieces_.messages(); ++i) {
      const index_t b = pieces_.block(piece, i);
      if (stays(b)) continue;
      exchange_->check(MPI_Irecv(message(received + slot * pieces_.elements(), i), 1,
                                 exchange_->block_type(), exchange_->source(b), 0,
                                 exchange_->comm(), &receives_[slot * pieces_.messages() + i]),
                       "MPI_Irecv", b);
    }
  }
  /// Takes what has arrived of a piece, and what stayed of it, to its place in the target.
  void collect(index_t piece, T* gathered, T* received, T* target) {
    T* const arrived = received + piece % depth_ * pieces_.elements();
    keep(piece, gathered, arrived);
    wait(receives_, piece % depth_);
    scatter_.set_offset(pieces_.scatter_offset(proc_, piece));
    scatter_(static_cast<T const*>(arrived), target);
  }
  void wait(std::vector<MPI_Request>& requests, index_t slot) {
    const auto count = static_cast<int>(pieces_.messages());
    comm::check(
        MPI_Waitall(count, requests.data() + slot * pieces_.messages(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
  }

  plan plan_;
  pieces pieces_;
  workspace<T> scratch_;
  index_t depth_, proc_ = 0;
  comm::datatype element_ = Element::template datatype<T>();
  std::unique_ptr<comm::exchange> exchange_;
  local::pass<T> gather_, scatter_, local_, copy_;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace bmmc::detail
