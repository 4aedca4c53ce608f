// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include <bmmc/execution/blocks_for.hpp>
#include <bmmc/local/spread.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc::detail {

/// Carries out target[y] = source[A y + c]: what others need is packed, unless it stands in rows
/// already; then it travels, every element once to each process that needs it; the list that has
/// arrived is spread over the target.
template <class T, class Comm, class Element>
class spread_execution {
 public:
  /// Without a node all travels in messages.
  spread_execution(std::shared_ptr<comm::communicator const> c, map_plan const& p,
                   Comm const& policy, std::shared_ptr<comm::node const> n = {}) {
    const auto proc = static_cast<index_t>(c->rank());
    if (p.is_local()) {
      spread_ = local::spread<T>(p.local(proc));
      return;
    }
    block_list blocks{std::move(c), {}, blocks_of(p.of_domain(proc)), p.block_elements(), n};
    blocks.staged_elements = p.region_elements();
    for (comm::block const& b : blocks.in)
      blocks.origins.push_back(p.place_in_region(p.address(proc, b.position) &
                                                 low_bits(p.image_bits() - p.proc_bits())));
    const auto readers = p.of_image(proc);
    // Rows that MPI can count: a block's number among its process's must fit an int.
    const bool in_rows = local::run_bits({p.block(), 0}) == p.block().cols() &&
                         p.image_elements() / p.block_elements() < bit(31);
    if ((in_rows && !n) || readers.count == 0) {
      blocks.out = blocks_of(readers);
    } else {
      blocks.out = blocks_of(readers, [&](index_t z) { return p.place_in_region(z); });
      pack_.emplace(p.region(readers));
      if (!n) packed_ = workspace<T>(p.region_elements());
    }
    const affine_map list = p.list(proc);
    is_list_ = list.offset == 0 && list.matrix == identity_matrix(list.matrix.cols());
    if (!is_list_) {
      spread_ = local::spread<T>(list);
      received_ = workspace<T>(p.list_elements());
    }
    blocks_.emplace(std::move(blocks), false, policy);
  }
  /// Collective where blocks go through windows.
  void open() {
    if constexpr (ThroughWindows<T, Comm, Element>)
      if (blocks_) blocks_->open();
  }

  void operator()(T const* source, T* target) {
    if (!blocks_) return spread_(source, target);
    if (pack_) {
      T* const packed = place_for_packed();
      (*pack_)(source, packed);
      source = packed;
    }
    if (is_list_) return blocks_->deliver(source, target);
    T* const received = received_.elements().data();
    blocks_->deliver(source, received);
    spread_(received, target);
  }

 private:
  [[nodiscard]] T* place_for_packed() const noexcept {
    if constexpr (ThroughWindows<T, Comm, Element>)
      if (T* const seen = blocks_->staging()) return seen;
    return packed_.elements().data();
  }

  std::optional<blocks_for<T, Comm, Element>> blocks_;
  std::optional<local::spread<T>> pack_;
  local::spread<T> spread_;
  bool is_list_ = false;
  workspace<T> packed_, received_;
};

}  // namespace bmmc::detail
