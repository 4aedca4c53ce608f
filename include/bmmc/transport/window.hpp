// SPDX-License-Identifier: BSL-1.0
#pragma once

// Through memory that the processes of a node share.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <bmmc/transport/parts.hpp>

namespace bmmc::transport {

/// Collective in the node: every process fills its part of the window, and reads the array of all
/// parts when all are filled. The window may have been made for another node like this one.
template <class Fill, class Read>
void through_window(comm::node const& n, comm::window const& w, Fill fill, Read read) {
  fill(w.part());
  n.synchronize();
  read(w.array());
  n.synchronize();  // before others write there again
}

/// Blocks that stand in the window of a node, where neighbours read them. Partners on other nodes
/// come last in the order of rounds, since the high bits of a number name the node; their blocks
/// come in messages. The block that stays is read where it is.
/// Memory  what a process sends, in the window; for messages as blocks_in_parts.
template <class = void>
class window_blocks final : public blocks {
 public:
  /// Each process sends `staged` elements; what comes in a round begins at element origins[round]
  /// of them. `far` carries the rounds of other nodes: see far_rounds.
  window_blocks(std::shared_ptr<comm::communicator const> c, std::shared_ptr<comm::node const> n,
                message_pattern pattern, std::size_t element_bytes, index_t elements,
                index_t staged, std::vector<index_t> origins, std::unique_ptr<blocks> far)
      : comm_(std::move(c)),
        node_(std::move(n)),
        bytes_(element_bytes),
        elements_(elements),
        staged_(staged),
        near_(std::move(pattern.rounds)),
        origins_(std::move(origins)),
        far_(std::move(far)) {
    near_.resize(near_rounds(near_, comm_->rank(), *node_));
    for (std::size_t b = 0; b < near_.size(); ++b)
      origins_[b] += near_[b].received.proc % static_cast<index_t>(node_->processes()) * staged_;
  }

  /// The rounds with processes of other nodes.
  [[nodiscard]] static message_pattern far_rounds(message_pattern pattern, comm::node const& n) {
    const auto near = near_rounds(pattern.rounds, static_cast<int>(pattern.proc), n);
    pattern.rounds.erase(pattern.rounds.begin(),
                         pattern.rounds.begin() + static_cast<std::ptrdiff_t>(near));
    return pattern;
  }

  void open() override { window_ = comm::agreed_window(*comm_, node_, staged_ * bytes_); }
  void stage_by(copy_block copy) override { copy_ = std::move(copy); }
  [[nodiscard]] void* staging() const noexcept override { return window_.part(); }

  void deliver(void const* source, void* target) override {
    through_window(
        *node_, window_, [&](std::byte*) { stage(source); },
        [&](std::byte*) {
          for (std::size_t b = 0; b < near_.size(); ++b)
            if (message const& in = near_[b].received; in.elements != 0)
              std::memcpy(static_cast<std::byte*>(target) + in.first * bytes_,
                          block(window_, b, source), elements_ * bytes_);
          far_->deliver(source, target);
        });
  }
  void combine(void const* source, function_ref<void()> ready, arrival arrive) override {
    through_window(
        *node_, window_,
        [&](std::byte*) {
          ready();
          stage(source);
        },
        [&](std::byte*) {
          read(window_, source, arrive);
          far_->combine(
              source, [] {},
              [&](index_t round, index_t first, index_t count, void const* data) {
                arrive(near_.size() + round, first, count, data);
              });
        });
  }

  [[nodiscard]] bool reads(comm::window const& w) const noexcept override {
    return node_->processes() == comm_->size() && w.owner()->is_like(*node_);
  }
  void combine(comm::window const& source, function_ref<void()> ready, arrival arrive) override {
    through_window(
        *node_, source, [](std::byte*) {},
        [&](std::byte*) {
          ready();
          read(source, source.part(), arrive);
        });
  }

 private:
  /// How many rounds, the first ones, are with processes of this node.
  [[nodiscard]] static std::size_t near_rounds(std::vector<message_round> const& rounds, int rank,
                                               comm::node const& n) {
    const auto is_far = [&](message_round const& r) {
      const index_t partner = r.sent.elements != 0 ? r.sent.proc : r.received.proc;
      return (partner ^ static_cast<index_t>(rank)) >= static_cast<index_t>(n.processes());
    };
    return static_cast<std::size_t>(std::find_if(rounds.begin(), rounds.end(), is_far) -
                                    rounds.begin());
  }
  [[nodiscard]] bool stays(std::size_t b) const noexcept {
    return near_[b].received.elements != 0 &&
           near_[b].received.proc == static_cast<index_t>(comm_->rank());
  }

  /// Copies what others read.
  void stage(void const* source) const {
    if (source == staging()) return;
    for (std::size_t b = 0; b < near_.size(); ++b)
      if (message const& out = near_[b].sent; out.elements != 0 && !stays(b))
        copy_(static_cast<std::byte const*>(source) + out.first * bytes_,
              window_.part() + out.first * bytes_, elements_ * bytes_);
  }
  [[nodiscard]] std::byte const* block(comm::window const& w, std::size_t b,
                                       void const* own) const noexcept {
    if (stays(b)) return static_cast<std::byte const*>(own) + near_[b].sent.first * bytes_;
    return w.array() + origins_[b] * bytes_;
  }
  /// Parts that stay in a cache are shown from all blocks before the next.
  void read(comm::window const& w, void const* own, arrival arrive) const {
    const index_t part = std::max<index_t>(1, bit(14) / bytes_);
    for (index_t first = 0; first < elements_; first += part) {
      const index_t count = std::min(part, elements_ - first);
      for (std::size_t b = 0; b < near_.size(); ++b)
        if (near_[b].received.elements != 0)
          arrive(b, first, count, block(w, b, own) + first * bytes_);
    }
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  std::size_t bytes_;
  index_t elements_, staged_;
  std::vector<message_round> near_;
  std::vector<index_t> origins_;  // in the array of the node's window
  std::unique_ptr<blocks> far_;
  comm::window window_;
  copy_block copy_ = [](void const* from, void* to, std::size_t bytes) {
    std::memcpy(to, from, bytes);
  };
};

}  // namespace bmmc::transport
