// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include <bmmc/execution/map_machine.hpp>
#include <bmmc/execution/pipelined_blocks.hpp>

namespace bmmc::detail {

/// Carries blocks through memory that the processes of a node share: what a process sends stands in
/// its part of a window, and its neighbours read it there. Partners on other nodes come last in the
/// order of blocks, since the high bits of a number name the node; their blocks come in messages,
/// as those of all do without a node. The block that stays is read where it is.
/// Memory  what a process sends, in the window; for messages as pipelined_blocks, 8 under way.
template <class T, class Element>
class window_blocks {
 public:
  template <class Comm>
  window_blocks(block_list list, bool combines, Comm const&)
      : comm_(list.comm),
        node_(list.node),
        elements_(list.elements),
        staged_(list.staged_elements),
        out_(near_of(list.out)),
        in_(near_of(list.in)),
        origins_(std::move(list.origins)),
        far_(std::move(list), combines, comm::pipelined{0, far_in_flight}) {
    for (std::size_t i = 0; i < in_.size(); ++i)
      origins_[i] += static_cast<index_t>(in_[i].proc % node_->processes()) * staged_;
  }
  /// Collective.
  void open() {
    if (node_) window_ = comm::agreed_window(*comm_, node_, staged_ * sizeof(T));
  }

  /// Where a process puts what it sends, unless that stands ready: nullptr where anywhere will do.
  [[nodiscard]] T* staging() const noexcept { return reinterpret_cast<T*>(window_.part()); }

  /// Brings every block to its position in the target.
  void deliver(T const* source, T* target) {
    if (!node_) return far_.deliver(source, target);
    stage(source);
    window_.synchronize();
    for (std::size_t i = 0; i < in_.size(); ++i)
      std::copy_n(block(window_, i, source), elements_, target + in_[i].position);
    far_.deliver(source, target);
    window_.synchronize();  // before others write there again
  }

  /// Hands every block to arrive, once ready() has been called.
  template <class Ready, class Arrive>
  void combine(T const* source, Ready ready, Arrive arrive) {
    ready();
    if (node_) {
      stage(source);
      window_.synchronize();
      read(window_, source, arrive);
    }
    far_.combine(
        source, [] {},
        [&](std::size_t i, index_t first, index_t count, T const* data) {
          arrive(in_.size() + i, first, count, data);
        });
    if (node_) window_.synchronize();
  }

  /// The same from a window that holds what all send, for processes of one node.
  template <class Ready, class Arrive>
  void combine(comm::window const& source, Ready ready, Arrive arrive) {
    source.synchronize();
    ready();
    read(source, reinterpret_cast<T const*>(source.part()), arrive);
    source.synchronize();  // before it is written again
  }
  /// Whether it can be read there.
  [[nodiscard]] bool reads(comm::window const& w) const noexcept {
    return node_ && node_->processes() == comm_->size() && w.owner()->is_like(*node_);
  }

 private:
  /// Takes the first blocks off a list, those of this node.
  [[nodiscard]] std::vector<comm::block> near_of(std::vector<comm::block>& all) const {
    if (!node_) return {};
    const auto is_far = [this](comm::block const& b) {
      return (b.proc ^ comm_->rank()) >= node_->processes();
    };
    const auto end = std::find_if(all.begin(), all.end(), is_far);
    std::vector<comm::block> near(all.begin(), end);
    all.erase(all.begin(), end);
    return near;
  }

  /// Copies what others read.
  void stage(T const* source) const {
    if (source == staging()) return;
    for (comm::block const& b : out_)
      if (b.proc != comm_->rank())
        std::copy_n(source + b.position, elements_, staging() + b.position);
  }

  [[nodiscard]] T const* block(comm::window const& w, std::size_t i, T const* own) const noexcept {
    if (in_[i].proc == comm_->rank()) return own + out_.front().position;
    return reinterpret_cast<T const*>(w.array()) + origins_[i];
  }

  /// Parts that stay in a cache are shown from all blocks before the next.
  template <class Arrive>
  void read(comm::window const& w, T const* own, Arrive arrive) const {
    for (index_t first = 0; first < elements_; first += part) {
      const index_t count = std::min(part, elements_ - first);
      for (std::size_t i = 0; i < in_.size(); ++i)
        arrive(i, first, count, block(w, i, own) + first);
    }
  }

  static constexpr unsigned far_in_flight = 8;
  static constexpr index_t part = std::max<index_t>(1, bit(14) / sizeof(T));

  std::shared_ptr<comm::communicator const> comm_;
  std::shared_ptr<comm::node const> node_;
  index_t elements_, staged_;
  std::vector<comm::block> out_, in_;
  std::vector<index_t> origins_;  // of blocks of this node, in its window
  pipelined_blocks<T, Element> far_;
  comm::window window_;
};

}  // namespace bmmc::detail
