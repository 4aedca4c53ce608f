// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/execution/blocks_for.hpp>
#include <bmmc/local/fold.hpp>
#include <bmmc/local/runs.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc::detail {

/// Carries out target[y] = op over all source[x] with A x + c = y: each process folds its own
/// elements first, so that one value travels for each of its target places; those that arrive are
/// folded in ascending order of (their process number xor the target's).
template <class T, class Op, class Comm, class Element>
class fold_execution {
  static constexpr bool through_windows = ThroughWindows<T, Comm, Element>;

 public:
  /// Without a node all travels in messages.
  fold_execution(std::shared_ptr<comm::communicator const> c, map_plan const& p, Op op,
                 T const& unreached, Comm const& policy, std::shared_ptr<comm::node const> n = {})
      : op_(std::move(op)), unreached_(unreached), target_elements_(p.image_elements()) {
    const auto proc = static_cast<index_t>(c->rank());
    if (p.is_local()) {
      const auto map = p.local(proc);
      fold_ = local::fold<T>(map);
      fills_ = matrix_rank(map.matrix) < map.matrix.rows();
      return;
    }
    fold_ = local::fold<T>(p.list(proc));
    if (!fold_.is_identity() && !n) partial_ = workspace<T>(p.list_elements());
    is_sent_as_it_stands_ = p.lists_are_offsets();
    const auto writers = p.of_image(proc);
    fills_ = writers.count == 0 || p.region_elements() < p.image_elements();
    place_ = local::run_walk({p.block(), 0});
    arrivals_.reserve(writers.count);
    for (index_t step = 0; step < writers.count; ++step)
      arrivals_.push_back({writers.positions(step), p.is_first(step)});
    const std::vector<index_t> origins(writers.count, p.place_in_list(proc));
    blocks_.emplace(block_list{std::move(c), blocks_of(p.of_domain(proc)), blocks_of(writers),
                               p.block_elements(), std::move(n), p.list_elements(), origins},
                    true, policy);
  }
  /// Collective where blocks go through windows.
  void open() {
    if constexpr (through_windows)
      if (blocks_) blocks_->open();
  }

  void operator()(T const* source, T* target) {
    if (!blocks_) {
      fill(target);
      return fold_(source, target, op_);
    }
    if (!fold_.is_identity()) {
      T* const partial = place_for_partial();
      fold_(source, partial, op_);
      source = partial;
    }
    blocks_->combine(
        source, [&] { fill(target); }, arrivals_at(target));
  }

  /// The same for a source in windows: what is sent as it stands is read there.
  void operator()(shared_vector<T> const& source, T* target)
    requires through_windows
  {
    if (!blocks_ || !is_sent_as_it_stands_ || !blocks_->reads(source.memory()))
      return (*this)(source.data(), target);
    blocks_->combine(
        source.memory(), [&] { fill(target); }, arrivals_at(target));
  }

 private:
  struct arrival {
    index_t position;
    bool is_first;  // nothing has arrived there before
  };

  [[nodiscard]] T* place_for_partial() const noexcept {
    if constexpr (through_windows)
      if (T* const seen = blocks_->staging()) return seen;
    return partial_.elements().data();
  }

  /// Puts elements of a block that has arrived to those at their places.
  [[nodiscard]] auto arrivals_at(T* target) {
    return [this, target](std::size_t i, index_t first, index_t count, T const* data) {
      place_.for_each(first, count, [&](index_t x, index_t y, index_t run) {
        T* const to = target + (y ^ arrivals_[i].position);
        T const* const from = data + (x - first);
        if (arrivals_[i].is_first) {
          std::copy_n(from, run, to);
          return;
        }
        for (index_t k = 0; k < run; ++k) to[k] = static_cast<T>(op_(to[k], from[k]));
      });
    };
  }

  void fill(T* target) const {
    if (fills_) std::fill_n(target, target_elements_, unreached_);
  }

  Op op_;
  T unreached_;
  index_t target_elements_;
  bool fills_ = false, is_sent_as_it_stands_ = false;
  std::optional<blocks_for<T, Comm, Element>> blocks_;
  local::fold<T> fold_;
  local::run_walk place_;
  std::vector<arrival> arrivals_;
  workspace<T> partial_;
};

}  // namespace bmmc::detail
