// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/execution/map/blocks_by.hpp>
#include <bmmc/local/runs.hpp>
#include <bmmc/local/spread.hpp>

namespace bmmc::detail {

/// Carries out target[y] = source[A y + c].
template <class T>
class gather_runner {
 public:
  static constexpr std::array<char const*, 2> calls{"from a span", "from a shared_vector"};

  gather_runner() = default;
  gather_runner(gather_runner const&) = delete;
  gather_runner& operator=(gather_runner const&) = delete;
  virtual ~gather_runner() = default;

  /// Collective, once, when all have agreed.
  virtual void open() {}
  virtual void operator()(T const* source, T* target) = 0;
  virtual void operator()(shared_vector<T> const& source, T* target) {
    (*this)(source.data(), target);
  }
};

/// What others need is packed, unless it stands in rows already; then it travels, every element
/// once to each process that needs it; the list that has arrived is spread over the target.
template <class T, class Element, class Comm>
class spread_of_blocks final : public gather_runner<T> {
 public:
  /// Without a node all travels in messages.
  spread_of_blocks(std::shared_ptr<comm::communicator const> c, gather_plan const& p,
                   Comm const& policy, std::shared_ptr<comm::node const> n)
      : comm_(c) {
    const auto proc = static_cast<index_t>(c->rank());
    if (p.is_local()) {
      spread_ = local::spread<T>(p.local(proc));
      return;
    }
    const auto readers = p.of_image(proc);
    // Rows that MPI can count: a block's number among its process's must fit an int.
    const bool in_rows = local::run_bits({p.block(), 0}) == p.block().cols() &&
                         p.image_elements() / p.block_elements() < bit(31);
    const bool packs = readers.count != 0 && (n || !in_rows);
    if (packs) {
      pack_.emplace(p.region(readers));
      if (!n) packed_ = transport::workspace<T>(p.region_elements());
    }
    const affine_map list = p.list(proc);
    is_list_ = list.complement == 0 && list.matrix == identity_matrix(list.matrix.cols());
    if (!is_list_) {
      spread_ = local::spread<T>(list);
      received_ = transport::workspace<T>(p.list_elements());
    }
    map_blocks work{std::move(c), pattern_of(p, proc, packs), p.block_elements(), false,
                    std::move(n), p.region_elements()};
    for (message_round const& round : work.pattern.rounds)
      work.origins.push_back(p.place_in_region(p.address(proc, round.received.first) &
                                               low_bits(p.image_bits() - p.proc_bits())));
    blocks_ = blocks_by<T, Element>(std::move(work), policy);
  }
  void open() override {
    if (blocks_) blocks_->open();
  }

  using gather_runner<T>::operator();
  void operator()(T const* source, T* target) override {
    if (!blocks_) return transport::copy_together<T>(*comm_, [&] { spread_(source, target); });
    transport::copy_together<T>(*comm_, [&] {
      if (!pack_) return;
      void* const seen = blocks_->staging();
      T* const packed = seen != nullptr ? static_cast<T*>(seen) : packed_.elements().data();
      (*pack_)(source, packed);
      source = packed;
    });
    T* const received = is_list_ ? target : received_.elements().data();
    blocks_->deliver(source, received);
    transport::copy_together<T>(*comm_, [&] {
      if (!is_list_) spread_(received, target);
    });
  }

 private:
  std::shared_ptr<comm::communicator const> comm_;
  std::unique_ptr<transport::blocks> blocks_;
  std::optional<local::spread<T>> pack_;
  local::spread<T> spread_;
  bool is_list_ = false;
  transport::workspace<T> packed_, received_;
};

}  // namespace bmmc::detail
