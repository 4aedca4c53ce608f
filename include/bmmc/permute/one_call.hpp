// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <bmmc/execution/call_memory.hpp>
#include <bmmc/memory.hpp>
#include <bmmc/permuter.hpp>

namespace bmmc::detail {

/// Calls that may leave something: others need memory that is their own, or cannot be compared.
template <class T, class Comm, class L, class Element>
concept KeepsCalls = Movable<T, Element> && alignof(T) <= aligned_allocator<T>::line &&
                     std::equality_comparable<L> && std::equality_comparable<Comm> &&
                     !std::derived_from<Comm, comm::within_budget>;

/// One call of permute(), through a permuter that an earlier one has left, or a new one.
template <class T, class Comm, class L, class Element>
class one_call {
  using made = permuter<T, Comm, L, Element>;
  using call = keyed_call<made, std::tuple<call_kind, permutation<>, L, Comm>>;
  static constexpr bool may_keep = KeepsCalls<T, Comm, L, Element>;

 public:
  /// In place without a source.
  one_call(MPI_Comm c, permutation<> const& p, L const& l, Comm const& policy,
           std::optional<std::span<T const>> source, std::span<T> target)
      : original_(c),
        p_(p),
        l_(l),
        policy_(policy),
        kind_(source ? call_kind::between_spans : call_kind::in_place),
        source_(source ? *source : target),
        target_(target) {}

  void carry_out() {
    if constexpr (may_keep) {
      const auto c = comm::communicator::of(original_);
      const comm::exclusive_use use(*c);
      call_memory* memory = nullptr;
      comm::objection against;
      against.attempt("no memory for what calls leave", [&] { memory = &call_memory::of(*c); });
      if (memory == nullptr || memory->keeps()) return through(memory, *c, against);
    }
    make(nullptr, nullptr);
  }

 private:
  [[nodiscard]] auto own_key() const { return std::tie(kind_, p_, l_, policy_); }

  /// A process without a memory has an objection.
  void through(call_memory* memory, comm::communicator const& c, comm::objection against) {
    call* found = nullptr;
    against.attempt("no memory for a call", [&] {
      found = memory->find<call>(own_key());
      return found != nullptr ? objection(found->operation->plan()) : std::string();
    });
    const bool all_have_it = comm::agree_and_compare(
        c, against, with(call_facts<T, Element>("permute", policy_), std::array{kind_fact(kind_)}),
        found != nullptr ? found->number : 0);
    if (!all_have_it || found == nullptr) return make(memory, nullptr);
    if (found->is_for_one_call) return make(memory, found);
    memory->use(found);
    run(memory, *found->operation);
  }

  /// A new permuter. Where it is the second for these calls it is made to last.
  void make(call_memory* memory, call const* former) {
    comm::window const* const window = memory != nullptr ? memory->window().get() : nullptr;
    const bool lasts = former != nullptr;
    transport::workspace<std::byte> fresh;
    std::unique_ptr<call> kept;
    made permute(original_, p_, l_, lasts ? policy_ : once(memory),
                 permuter_options<T>{.kind = kind_},
                 [&](plan const& p, permuter_options<T>& options) {
                   std::string text = objection(p);
                   if constexpr (may_keep)
                     if (memory != nullptr && text.empty()) kept = lend(*memory, p, options, fresh);
                   return text;
                 });
    if (kept == nullptr) return run(nullptr, permute);
    if constexpr (may_keep) {
      kept->is_for_one_call = !lasts && !(for_one_call(policy_) == policy_);
      made& ready = kept->operation.emplace(std::move(permute));
      memory->keep(std::move(kept), former, std::move(fresh), window);
      run(memory, ready);
      memory->keep_to_limits();
    }
  }

  /// The policy for a permutation that may not come again. As many calls as there have been may
  /// follow, and use the same window.
  [[nodiscard]] Comm once([[maybe_unused]] call_memory const* memory) const {
    Comm policy = for_one_call(policy_);
    if constexpr (may_keep && std::same_as<Comm, comm::automatic>)
      if (memory != nullptr && policy.expected_calls == 1)
        policy.expected_calls = memory->expected_calls();
    return policy;
  }

  /// Workspace for calls of both kinds, so that it need not grow between them, and the call that
  /// will be kept; none where that is more than may be kept.
  [[nodiscard]] std::unique_ptr<call> lend(call_memory& memory, plan const& p,
                                           permuter_options<T>& options,
                                           transport::workspace<std::byte>& fresh) const {
    const std::size_t scratch = made::workspace_elements(p, call_kind::any, policy_) * sizeof(T);
    if (scratch + target_.size_bytes() > memory.limits().bytes) return nullptr;
    auto kept = std::make_unique<call>(own_key());
    memory.reserve();
    if (memory.scratch().size() < scratch) fresh = transport::workspace<std::byte>(scratch);
    const auto lent = fresh.elements().empty() ? memory.scratch() : fresh.elements();
    options.lent = {reinterpret_cast<T*>(lent.data()), lent.size() / sizeof(T)};
    options.window = &memory.window();
    options.agrees_before_calls = true;
    return kept;
  }

  [[nodiscard]] std::string objection(plan const& p) const {
    const index_t held = p.chunk_elements();
    std::string objection = kind_ == call_kind::in_place
                                ? objection_to(held, std::span<T const>(target_))
                                : objection_to(held, source_, std::span<T const>(target_));
    if (target_.size() != held || (kind_ != call_kind::in_place && source_.size() != held))
      objection += text({": the permutation is of 2^", p.bits(), " elements, on ",
                         counted(p.procs(), "process")});
    return objection;
  }
  void run(call_memory* memory, made& permute) const {
    const clear_on_exception guard{memory};
    kind_ == call_kind::in_place ? permute(target_) : permute(source_, target_);
  }

  MPI_Comm original_;
  permutation<> p_;
  L const& l_;
  Comm const& policy_;
  call_kind kind_;
  std::span<T const> source_;
  std::span<T> target_;
};

}  // namespace bmmc::detail
