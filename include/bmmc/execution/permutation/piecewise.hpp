// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/execution/permutation/scratch.hpp>
#include <bmmc/transport/ring.hpp>

namespace bmmc::detail {

/// Carries out a plan piece by piece; see comm::pipelined and plan/pieces.hpp.
class piecewise_plan final : public plan_runner {
 public:
  piecewise_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
                 element_kind const& element, comm::pipelined const& policy,
                 working_memory const& memory)
      : is_local_(p.is_local()),
        moves_whole_blocks_(p.is_exchange_only()),
        chunk_bytes_(p.chunk_elements() * element.bytes()),
        pieces_(pieces_of(p, element.bytes(), policy)),
        scratch_(static_cast<std::byte*>(memory.scratch)),
        depth_(slots_of(policy)),
        proc_(static_cast<index_t>(c->rank())),
        element_(element) {
    copy_ = element.pass(identity_permutation(p.bits() - p.proc_bits()));
    if (is_local_) {
      local_ = element.pass(local_permutation(p, proc_));
      return;
    }
    const auto past_caches = local::tuning{}.for_part_of(chunk_bytes_);
    // What another process reads goes to memory: a core far away waits long for lines of a cache.
    gather_ = element.pass(pieces_.gather_to(), pieces_.gather_from(proc_), past_caches);
    scatter_ = element.pass(pieces_.scatter(proc_), past_caches);
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.datatype(),
                                                 element_.bytes(), pieces_.message_elements());
    are_gathered_ = pieces_.are_gathered(proc_);
    depth_ = std::min(depth_, pieces_.count());
    receives_ = transport::ring(depth_, pieces_.messages());
    sends_ = transport::ring(pieces_.count(), pieces_.messages());
  }

  void in_place(void* chunk) override {
    const transport::given_up_on_exception guard(receives_.receives(), sends_.sends());
    std::byte* const gathered = scratch_;
    if (is_local_) {
      if (local_.is_identity()) return;
      local_(chunk, gathered);
      return copy_(gathered, chunk);
    }
    if (moves_whole_blocks_) {
      move_blocks(chunk, gathered);
      return copy_(gathered, chunk);
    }
    std::byte* const received = gathered + chunk_bytes_;
    const auto place = [&](index_t k) { return gathered + k * piece_bytes(); };
    for (index_t k = 0; k < depth_; ++k) receive(k, received);
    for (index_t k = 0; k < pieces_.count(); ++k) {
      gather(k, chunk, place(k));
      send(k, place(k), k);
    }
    for (index_t k = 0; k < pieces_.count(); ++k) {  // all has left the chunk
      collect(k, place(k), received, chunk);
      if (k + depth_ < pieces_.count()) receive(k + depth_, received);
    }
    for (index_t k = 0; k < pieces_.count(); ++k) sends_.wait_sent(k);
  }

  void move(void const* source, void* target) override {
    const transport::given_up_on_exception guard(receives_.receives(), sends_.sends());
    if (is_local_) return local_(source, target);
    if (moves_whole_blocks_) return move_blocks(source, target);
    std::byte* const received = scratch_ + depth_ * piece_bytes();
    const auto gathered = [&](index_t k) -> std::byte const* {
      if (!are_gathered_) return scratch_ + k % depth_ * piece_bytes();
      return static_cast<std::byte const*>(source) +
             pieces_.source_offset(proc_, k) * element_.bytes();
    };
    for (index_t k = 0; k < depth_; ++k) receive(k, received);
    const index_t count = pieces_.count();
    for (index_t k = 0; k < count + depth_ - 1; ++k) {
      if (k < count) {
        sends_.wait_sent(k % depth_);
        if (!are_gathered_) gather(k, source, scratch_ + k % depth_ * piece_bytes());
        send(k, gathered(k), k % depth_);
      }
      if (k + 1 < depth_) continue;
      const index_t arrived = k + 1 - depth_;
      collect(arrived, gathered(arrived), received, target);
      if (arrived + depth_ < count) receive(arrived + depth_, received);
    }
    for (index_t k = 0; k < depth_; ++k) sends_.wait_sent(k);
  }

 private:
  [[nodiscard]] std::size_t piece_bytes() const { return pieces_.elements() * element_.bytes(); }

  void gather(index_t piece, void const* source, void* to) {
    gather_.set_complement(0, pieces_.source_offset(proc_, piece));
    gather_(source, to);
  }

  /// Whole blocks, from where they lie.
  void move_blocks(void const* source, void* target) {
    receive(0, static_cast<std::byte*>(target));
    send(0, static_cast<std::byte const*>(source), 0);
    keep(0, static_cast<std::byte const*>(source), static_cast<std::byte*>(target));
    receives_.wait_received(0, *exchange_);
    sends_.wait_sent(0);
  }

  /// Calls f(message, its block, where it begins in a piece) for those that leave, or that stay.
  template <class F>
  void for_each_message(index_t piece, bool staying, F f) const {
    for (index_t i = 0; i < pieces_.messages(); ++i)
      if (const index_t b = pieces_.block(piece, i); exchange_->stays(b) == staying)
        f(i, b, i * exchange_->block_bytes());
  }
  /// What stays of a piece, between buffers that hold it.
  void keep(index_t piece, std::byte const* from, std::byte* to) const {
    for_each_message(piece, true, [&](index_t, index_t, std::size_t at) {
      std::memcpy(to + at, from + at, exchange_->block_bytes());
    });
  }
  void send(index_t piece, std::byte const* from, index_t slot) {
    for_each_message(piece, false, [&](index_t i, index_t b, std::size_t at) {
      sends_.send(slot, i, *exchange_, b, from + at, exchange_->block_type(), 1);
    });
  }
  void receive(index_t piece, std::byte* received) {
    const index_t slot = piece % depth_;
    for_each_message(piece, false, [&](index_t i, index_t b, std::size_t at) {
      receives_.receive(slot, i, *exchange_, b, received + slot * piece_bytes() + at,
                        exchange_->block_type(), 1);
    });
  }
  /// Takes what has arrived of a piece, and what stayed of it, to its place in the target.
  void collect(index_t piece, std::byte const* gathered, std::byte* received, void* target) {
    std::byte* const arrived = received + piece % depth_ * piece_bytes();
    keep(piece, gathered, arrived);
    receives_.wait_received(piece % depth_, *exchange_);
    scatter_.set_complement(pieces_.scatter_offset(proc_, piece));
    scatter_(arrived, target);
  }

  bool is_local_, moves_whole_blocks_, are_gathered_ = false;
  std::size_t chunk_bytes_;
  pieces pieces_;
  std::byte* scratch_;
  index_t depth_, proc_;
  element_kind element_;
  std::unique_ptr<comm::exchange> exchange_;
  any_pass gather_, scatter_, local_, copy_;
  transport::ring sends_, receives_;
};

}  // namespace bmmc::detail
