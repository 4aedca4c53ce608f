// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/transport/exchange.hpp>

namespace bmmc::detail {

/// Carries out a plan on elements that travel from where they lie: gather, exchange, scatter. A
/// pass that is the identity is left out where the data can stand still.
template <class Comm>
class exchanged_plan final : public plan_runner {
 public:
  static constexpr bool replaces = comm::ReplacingPolicy<Comm>;

  exchanged_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
                 element_kind const& element, Comm const& policy, void* scratch)
      : is_local_(p.is_local()),
        bytes_(p.chunk_elements() * element.bytes()),
        policy_(policy),
        scratch_(static_cast<std::byte*>(scratch)),
        element_(element) {
    const auto proc = static_cast<index_t>(c->rank());
    if (is_local_) {
      gather_ = element.pass(local_permutation(p, proc));
      copy_ = element.pass(identity_permutation(p.bits() - p.proc_bits()));
      return;
    }
    gather_ = element.pass(p.gather(proc));
    scatter_ = element.pass(p.scatter(proc));
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.datatype(),
                                                 element_.bytes(), p.message_elements());
    if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(*exchange_);
  }

  void in_place(void* chunk) override {
    void* const first = scratch_;
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
      void const* gathered = chunk;
      void* received = first;
      if (!gather_.is_identity()) {
        gather_(chunk, first);
        gathered = first;
        received = scatter_.is_identity() ? chunk : scratch_ + bytes_;
      }
      policy_.move(*exchange_, gathered, received);
      if (received != chunk) scatter_(received, chunk);
    }
  }

  void move(void const* source, void* target) override {
    if (is_local_) return gather_(source, target);
    void* const scratch = scratch_;
    // The last step must write to the target; the ones before it alternate.
    void* const received = scatter_.is_identity() ? target : scratch;
    if constexpr (replaces) {
      gather_(source, received);
      policy_.replace(*exchange_, received);
    } else {
      void const* gathered = source;
      if (!gather_.is_identity()) {
        void* const other = received == target ? scratch : target;
        gather_(source, other);
        gathered = other;
      }
      policy_.move(*exchange_, gathered, received);
    }
    if (received != target) scatter_(received, target);
  }

 private:
  bool is_local_;
  std::size_t bytes_;
  Comm policy_;
  std::byte* scratch_;
  element_kind element_;
  std::unique_ptr<comm::exchange> exchange_;
  any_pass gather_, scatter_, copy_;
};

}  // namespace bmmc::detail
