// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/execution/handover.hpp>
#include <bmmc/execution/map/blocks_by.hpp>
#include <bmmc/local/combine.hpp>
#include <bmmc/local/fold.hpp>
#include <bmmc/local/run_copies.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::detail {

/// Carries out target[y] = op over all source[x] with A x + c = y: each process folds its own
/// elements first, so that one value travels for each of its target places; those that arrive are
/// folded in ascending order of (their process number xor the target's).
template <class T, class Op>
class reduce_runner {
 public:
  static constexpr std::array<char const*, 2> calls{"from a span", "from a shared_vector"};

  /// make_blocks makes the blocks travel. Without a node all travels in messages.
  template <class MakeBlocks>
  reduce_runner(std::shared_ptr<comm::communicator const> c, reduce_plan const& p, Op op,
                T const& unreached, std::shared_ptr<comm::node const> n, MakeBlocks make_blocks)
      : comm_(c), op_(std::move(op)), unreached_(unreached), target_elements_(p.image_elements()) {
    const auto proc = static_cast<index_t>(c->rank());
    if (p.is_local()) {
      const auto map = p.local(proc);
      fold_ = local::fold<T>(map);
      fills_ = matrix_rank(map.matrix) < map.matrix.rows();
      return;
    }
    if (n) handover_ = handover<>(p.list_elements() * sizeof(T));
    fold_ = local::fold<T>(p.list(proc), n ? handover_.writing() : local::tuning{});
    if (!fold_.is_identity() && !n) partial_ = transport::workspace<T>(p.list_elements());
    is_sent_as_it_stands_ = p.lists_are_offsets();
    const auto writers = p.of_image(proc);
    fills_ = writers.count == 0 || p.region_elements() < p.image_elements();
    // Where blocks are no lines of the target they are combined one after the other.
    const bool in_rows = !std::is_trivially_copyable_v<T> ||
                         sizeof(T) << local::run_bits({p.block(), 0}) >= local::line_bytes;
    place_ = local::run_walk({in_rows ? p.block() : identity_matrix(p.block().cols()), 0});
    if (!in_rows && writers.count != 0) {
      region_ = transport::workspace<T>(p.region_elements());
      from_region_.emplace(p.region(writers));
    }
    map_blocks work{std::move(c), pattern_of(p, proc), p.block_elements(),
                    true,         std::move(n),        p.list_elements()};
    index_t step = 0;
    for (message_round const& round : work.pattern.rounds)
      arrivals_.push_back({in_rows ? round.received.first : p.place_in_region(round.received.first),
                           round.received.elements != 0 && p.is_first(step++)});
    work.origins.assign(work.pattern.rounds.size(), p.place_in_list(proc));
    const bool in_window = work.node != nullptr;
    blocks_ = make_blocks(std::move(work));
    if (!in_window) return;
    copies_ = local::run_copies<T>(p.block().cols(), handover_.writing());
    blocks_->stage_by([this](void const* from, void* to, std::size_t bytes) {
      handover_.timed(
          [&] { copies_(static_cast<T const*>(from), static_cast<T*>(to), bytes / sizeof(T)); });
    });
  }
  reduce_runner(reduce_runner const&) = delete;
  reduce_runner& operator=(reduce_runner const&) = delete;

  /// Collective where blocks go through windows.
  void open() {
    if (blocks_) blocks_->open();
  }

  void set_unreached(T const& value) { unreached_ = value; }

  void operator()(T const* source, T* target) {
    if (!blocks_)
      return transport::copy_together<T>(*comm_, [&] {
        fill(target);
        fold_(source, target, op_);  // for bytes nobody agrees on what it throws
      });
    handover_.prepare(fold_);
    handover_.prepare(copies_);
    transport::copy_together<T>(*comm_, [&] {
      if (fold_.is_identity()) return;
      T* const partial = place_for_partial();
      unfailing op{op_};
      handover_.timed([&] { fold_(source, partial, op); });
      source = partial;
    });
    combine(source, target);
    handover_.end_call();
  }

  /// The same for a source in windows: what is sent as it stands is read there.
  void operator()(shared_vector<T> const& source, T* target) {
    if (!blocks_ || !is_sent_as_it_stands_ || !blocks_->reads(source.memory()))
      return (*this)(source.data(), target);
    combine(source.memory(), target);
    handover_.drop_call();
  }

 private:
  /// An operation that throws while other processes wait for this one ends the program. Elements
  /// that are written into bytes are agreed upon: then all processes throw.
  struct unfailing {
    Op& op;
    T operator()(T const& a, T const& b) const noexcept(std::is_trivially_copyable_v<T>) {
      return static_cast<T>(op(a, b));
    }
  };

  struct arrival {
    index_t position;
    bool is_first;  // nothing has arrived there before
  };

  [[nodiscard]] T* place_for_partial() const noexcept {
    if (void* const seen = blocks_->staging()) return static_cast<T*>(seen);
    return partial_.elements().data();
  }

  template <class Source>
  void combine(Source const& source, T* target) {
    const auto ready = [&] { fill(target); };
    blocks_->combine(source, ready, arrivals_at(from_region_ ? region_.elements().data() : target));
    if (from_region_) (*from_region_)(region_.elements().data(), target);
  }
  /// Puts elements of a block that has arrived to those at their places.
  [[nodiscard]] auto arrivals_at(T* target) {
    return [this, target](index_t i, index_t first, index_t count, void const* block) {
      const auto [position, is_first] = arrivals_[i];
      T const* const data = static_cast<T const*>(block);
      const auto arrive = [&, to_place = position, copies = is_first](index_t x, index_t y,
                                                                      index_t run) {
        T* const to = target + (y ^ to_place);
        T const* const from = data + (x - first);
        if (copies) {
          std::copy_n(from, run, to);
          return;
        }
        unfailing op{op_};
        local::detail::combine(to, from, run, op);
      };
      handover_.timed([&] { place_.for_each(first, count, arrive); });
    };
  }

  void fill(T* target) const {
    if (fills_) std::fill_n(target, target_elements_, unreached_);
  }

  std::shared_ptr<comm::communicator const> comm_;
  Op op_;
  T unreached_;
  index_t target_elements_;
  bool fills_ = false, is_sent_as_it_stands_ = false;
  std::unique_ptr<transport::blocks> blocks_;
  local::fold<T> fold_;
  handover<> handover_;  // of what others read in a window
  local::run_copies<T> copies_;
  local::run_walk place_;
  std::vector<arrival> arrivals_;
  transport::workspace<T> partial_, region_;
  std::optional<local::pass<T>> from_region_;
};

}  // namespace bmmc::detail
