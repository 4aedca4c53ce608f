// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <span>

#include <bmmc/comm/policy.hpp>
#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// Carries out a plan on elements that travel from where they lie: gather, exchange, scatter. A
/// pass that is the identity is left out where the data can stand still.
template <class T, class Comm, class Element>
class direct_execution {
 public:
  static constexpr bool replaces = comm::ReplacingPolicy<Comm>;

  /// Scratch elements for calls in place and from a source to a target.
  [[nodiscard]] static constexpr index_t scratch(plan const& p, bool in_place) noexcept {
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
    exchange_ =
        std::make_unique<comm::exchange>(std::move(c), p.targets(proc), p.sources(proc),
                                         element_.handle(), sizeof(T), p.message_elements());
    if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(*exchange_);
  }

  void in_place(T* chunk) {
    if (gather_.is_identity() && (is_local_ || (replaces && scatter_.is_identity()))) {
      if (!is_local_) trade(chunk, chunk);
      return;
    }
    T* const first = scratch_.elements().data();
    gather_(chunk, first);
    if (is_local_) return copy_(first, chunk);
    scatter_(trade(first, first + (replaces ? 0 : gather_.elements())), chunk);
  }

  void move(T const* source, T* target) {
    if (is_local_) return gather_(source, target);
    T* const scratch = scratch_.elements().data();
    if constexpr (replaces) {
      T* const gathered = scatter_.is_identity() ? target : scratch;
      gather_(source, gathered);
      trade(gathered, gathered);
      if (gathered != target) scatter_(gathered, target);
    } else {
      // The last step must write to the target; the ones before it alternate.
      T* const received = scatter_.is_identity() ? target : scratch;
      T const* gathered = source;
      if (!gather_.is_identity()) {
        T* const other = received == target ? scratch : target;
        gather_(source, other);
        gathered = other;
      }
      trade(gathered, received);
      if (received != target) scatter_(received, target);
    }
  }

 private:
  /// Returns where the received blocks are: a replacing policy works in its source.
  template <class Source>
  T* trade(Source* source, T* target) {
    if constexpr (replaces) {
      policy_.replace(*exchange_, source);
      return source;
    } else {
      policy_.move(*exchange_, source, target);
      return target;
    }
  }

  bool is_local_;
  Comm policy_;
  workspace<T> scratch_;
  comm::datatype element_ = Element::template datatype<T>();
  std::unique_ptr<comm::exchange> exchange_;
  local::pass<T> gather_, scatter_;
  local::pass<T> copy_;
};

}  // namespace bmmc::detail
