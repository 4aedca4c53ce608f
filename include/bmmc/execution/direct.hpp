// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <span>

#include <bmmc/comm/policy.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/execution.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// Carries out a plan on elements that travel from where they lie: gather, exchange, scatter. A
/// pass that is the identity is left out where the data can stand still.
template <class T, class Comm, class Element>
class direct_execution final : public execution<T> {
 public:
  static constexpr bool replaces = comm::ReplacingPolicy<Comm>;

  /// Scratch elements for calls in place and from a source to a target.
  [[nodiscard]] static constexpr index_t scratch(plan const& p, Comm const&,
                                                 bool in_place) noexcept {
    const index_t chunk = p.chunk_elements();
    if (p.is_local()) return in_place ? chunk : 0;
    return in_place && !replaces ? 2 * chunk : chunk;
  }

  direct_execution(std::shared_ptr<comm::communicator const> c, plan const& p, Comm const& policy,
                   workspace<T> scratch)
      : is_local_(p.is_local()), policy_(policy), scratch_(std::move(scratch)) {
    const auto proc = static_cast<index_t>(c->rank());
    if (is_local_) {  // one pass does both
      gather_ = local::pass<T>(compose(p.scatter(proc), p.gather(proc)));
      copy_ = local::pass<T>(identity_permutation(p.bits() - p.proc_bits()));
      return;
    }
    gather_ = local::pass<T>(p.gather(proc));
    scatter_ = local::pass<T>(p.scatter(proc));
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.handle(),
                                                 sizeof(T), p.message_elements());
    if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(*exchange_);
  }

  void in_place(T* chunk) override {
    T* const first = scratch_.elements().data();
    if (is_local_) {
      if (gather_.is_identity()) return;
      gather_(chunk, first);
      return copy_(first, chunk);
    }
    if constexpr (replaces) {
      if (gather_.is_identity() && scatter_.is_identity())
        return policy_.replace(*exchange_, chunk);
      gather_(chunk, first);
      policy_.replace(*exchange_, first);
      scatter_(first, chunk);
    } else {
      T* gathered = chunk;
      T* received = first;
      if (!gather_.is_identity()) {
        gather_(chunk, first);
        gathered = first;
        received = scatter_.is_identity() ? chunk : first + gather_.elements();
      }
      policy_.move(*exchange_, gathered, received);
      if (received != chunk) scatter_(received, chunk);
    }
  }

  void move(T const* source, T* target) override {
    if (is_local_) return gather_(source, target);
    T* const scratch = scratch_.elements().data();
    // The last step must write to the target; the ones before it alternate.
    T* const received = scatter_.is_identity() ? target : scratch;
    if constexpr (replaces) {
      gather_(source, received);
      policy_.replace(*exchange_, received);
    } else {
      T const* gathered = source;
      if (!gather_.is_identity()) {
        T* const other = received == target ? scratch : target;
        gather_(source, other);
        gathered = other;
      }
      policy_.move(*exchange_, gathered, received);
    }
    if (received != target) scatter_(received, target);
  }

 private:
  bool is_local_;
  Comm policy_;
  workspace<T> scratch_;
  comm::datatype element_ = Element::template datatype<T>();
  std::unique_ptr<comm::exchange> exchange_;
  local::pass<T> gather_, scatter_;
  local::pass<T> copy_;
};

}  // namespace bmmc::detail
