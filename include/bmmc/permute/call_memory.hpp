// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/permuter.hpp>

namespace bmmc {

/// What calls of permute() may leave on a communicator for the calls that follow, on each process:
/// permuters of the last few permutations, and one workspace that they use in turn. A call whose
/// workspace does not fit leaves nothing. Zero of either: calls leave nothing.
struct call_limits {
  std::size_t permuters = 8;
  std::size_t bytes = std::size_t{1} << 29;

  friend bool operator==(call_limits const&, call_limits const&) = default;
};

namespace detail {

/// A permuter that a call has left.
struct kept_call {
  kept_call() = default;
  kept_call(kept_call const&) = delete;
  kept_call& operator=(kept_call const&) = delete;
  virtual ~kept_call() = default;

  void const* type = nullptr;
  std::uint64_t number = 0;  // the same on all processes
};
template <class Call>
inline constexpr char type_of{};  // its address tells types apart

template <class T, class Comm, class L, class Element>
struct permute_call final : kept_call {
  permute_call(permutation<> const& p, L const& l, Comm const& c, call_kind k)
      : map(p), layout(l), policy(c), kind(k) {
    type = &type_of<permute_call>;
  }
  [[nodiscard]] bool is_for(permutation<> const& p, L const& l, Comm const& c, call_kind k) const {
    return kind == k && map == p && layout == l && policy == c;
  }

  permutation<> map;
  L layout;
  Comm policy;
  call_kind kind;
  bool is_for_one_call = false;  // its policy did not reckon with a second one
  std::optional<permuter<T, Comm, L, Element>> permute;
};

/// Calls that may leave something: others need memory that is their own, or cannot be compared.
template <class T, class Comm, class L, class Element>
concept KeepsCalls = Movable<T, Element> && alignof(T) <= transport::raw_memory::line &&
                     std::equality_comparable<L> && std::equality_comparable<Comm> &&
                     !std::derived_from<Comm, comm::within_budget>;

/// What the calls on a communicator have left. All processes have the same, in the same order: only
/// what they have agreed upon changes it, and only then is anything freed, since freeing a window
/// is collective.
class call_memory {
 public:
  [[nodiscard]] static call_memory& of(comm::communicator const& c) {
    auto& slot = c.call_memory();
    if (!slot) slot = std::make_shared<call_memory>();
    return *static_cast<call_memory*>(slot.get());
  }

  [[nodiscard]] call_limits const& limits() const noexcept { return limits_; }
  void set_limits(call_limits const& l) {
    clear();
    limits_ = l;
  }
  [[nodiscard]] bool keeps() const noexcept { return limits_.permuters != 0 && limits_.bytes != 0; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return scratch_.elements().size() + (window_ ? window_->part_bytes() : 0);
  }
  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  [[nodiscard]] std::shared_ptr<comm::window>& window() noexcept { return window_; }
  [[nodiscard]] std::span<std::byte> scratch() const noexcept { return scratch_.elements(); }

  template <class Call, class... Key>
  [[nodiscard]] Call* find(Key const&... key) const {
    for (auto const& each : calls_)
      if (each->type == &type_of<Call>)
        if (auto* const call = static_cast<Call*>(each.get()); call->is_for(key...)) return call;
    return nullptr;
  }
  /// The last one used is the last one dropped.
  void use(kept_call const* call) {
    const auto at = std::find_if(calls_.begin(), calls_.end(),
                                 [&](auto const& each) { return each.get() == call; });
    std::rotate(at, at + 1, calls_.end());
  }

  /// Room for one more call: keep() allocates nothing.
  void reserve() { calls_.reserve(calls_.size() + 1); }
  /// Keeps a new call in place of `former`, or of the one not used for longest where there are too
  /// many. `fresh` is workspace that it needed where the one at hand was too small: then, and where
  /// it has made a larger window, those that use the former ones are dropped.
  void keep(std::unique_ptr<kept_call> call, kept_call const* former,
            transport::workspace<std::byte> fresh, comm::window const* window_before) {
    if (!fresh.elements().empty() || window_before != window_.get()) calls_.clear();
    if (!fresh.elements().empty()) scratch_ = std::move(fresh);
    std::erase_if(calls_, [&](auto const& each) { return each.get() == former; });
    if (calls_.size() == limits_.permuters) calls_.erase(calls_.begin());
    call->number = ++kept_;
    calls_.push_back(std::move(call));
  }
  /// After a call: the workspace and the window may have been needed by different ones.
  void keep_to_limits() {
    if (bytes() > limits_.bytes) clear();
  }
  /// Collective; not where an exception is under way, which leaves windows as they are.
  void clear() noexcept {
    calls_.clear();
    window_.reset();
    scratch_ = {};
  }

 private:
  call_limits limits_;
  std::vector<std::unique_ptr<kept_call>> calls_;
  transport::workspace<std::byte> scratch_;
  std::shared_ptr<comm::window> window_;
  std::uint64_t kept_ = 0;
};

/// One call of permute(): use(permuter) carries it out.
template <class T, class Comm, class L, class Element, class Objection, class Use>
class one_call {
  using call = permute_call<T, Comm, L, Element>;
  using made = permuter<T, Comm, L, Element>;

 public:
  one_call(MPI_Comm c, permutation<> const& p, L const& l, Comm const& policy, call_kind kind,
           Objection objection, Use use)
      : original_(c),
        p_(p),
        l_(l),
        policy_(policy),
        kind_(kind),
        objection_(objection),
        use_(use) {}

  void carry_out() {
    if constexpr (KeepsCalls<T, Comm, L, Element>) {
      const auto c = comm::communicator::of(original_);
      call_memory* memory = nullptr;
      comm::objection against;
      against.attempt("no memory for what calls leave", [&] { memory = &call_memory::of(*c); });
      if (memory == nullptr || memory->keeps()) return through(memory, *c, against);
    }
    made once(original_, p_, l_, for_one_call(policy_), {.kind = kind_},
              [&](plan const& p, auto&) { return objection_(p.chunk_elements()); });
    use_(once);
  }

 private:
  /// While an exception is under way nothing that others may still write to is used again.
  struct clear_on_exception {
    call_memory& memory;
    int before = std::uncaught_exceptions();
    ~clear_on_exception() {
      if (std::uncaught_exceptions() > before) memory.clear();
    }
  };

  /// Without a memory this process has an objection.
  void through(call_memory* memory, comm::communicator const& c, comm::objection against) {
    call* found = nullptr;
    against.attempt("no memory for a call", [&] {
      found = memory->find<call>(p_, l_, policy_, kind_);
      return found != nullptr ? objection_(found->permute->plan().chunk_elements()) : std::string();
    });
    const bool all_have_it = comm::agree_and_compare(
        c, against, with(call_facts<T, Element>("permute", policy_), std::array{kind_fact(kind_)}),
        found != nullptr ? found->number : 0);
    if (!all_have_it || found == nullptr) return make(*memory, c, nullptr);
    if (found->is_for_one_call) return make(*memory, c, found);
    memory->use(found);
    run(*memory, *found->permute);
  }

  /// A new permuter. Where it is the second for these calls, or finds a window that is large
  /// enough, it is made to last.
  void make(call_memory& memory, comm::communicator const& c, call const* former) {
    const std::size_t chunk = bit(p_.bits()) / static_cast<std::size_t>(c.size()) * sizeof(T);
    const auto* const window = memory.window().get();
    const bool lasts = former != nullptr || (window != nullptr && window->part_bytes() >= chunk);
    transport::workspace<std::byte> fresh;
    std::unique_ptr<call> kept;
    bool fits = false;
    std::optional<made> permute(
        std::in_place, original_, p_, l_, lasts ? policy_ : for_one_call(policy_),
        permuter_options<T>{.kind = kind_}, [&](plan const& p, permuter_options<T>& options) {
          std::string text = objection_(p.chunk_elements());
          const std::size_t scratch = made::workspace_elements(p, kind_, policy_) * sizeof(T);
          fits = text.empty() && scratch + chunk <= memory.limits().bytes;
          if (!fits) return text;
          kept = std::make_unique<call>(p_, l_, policy_, kind_);
          memory.reserve();
          if (memory.scratch().size() < scratch) fresh = transport::workspace<std::byte>(scratch);
          const auto lent = fresh.elements().empty() ? memory.scratch() : fresh.elements();
          options.lent = {reinterpret_cast<T*>(lent.data()), lent.size() / sizeof(T)};
          options.window = &memory.window();
          return text;
        });
    if (!fits) return use_(*permute);
    kept->permute = std::move(permute);
    kept->is_for_one_call = !lasts;
    auto& ready = *kept->permute;
    memory.keep(std::move(kept), former, std::move(fresh), window);
    run(memory, ready);
    memory.keep_to_limits();
  }

  void run(call_memory& memory, made& permute) {
    const clear_on_exception guard{memory};
    use_(permute);
  }

  MPI_Comm original_;
  permutation<> p_;
  L const& l_;
  Comm const& policy_;
  call_kind kind_;
  Objection objection_;
  Use use_;
};

template <class T, class Element, Communicator C, class Comm, class L, class Objection, class Use>
void one_call_of(C const& communicator, permutation<> const& p, L const& l, Comm const& policy,
                 call_kind kind, Objection objection, Use use) {
  one_call<T, Comm, L, Element, Objection, Use>(static_cast<MPI_Comm>(communicator), p, l, policy,
                                                kind, objection, use)
      .carry_out();
}

}  // namespace detail

/// Sets what calls of permute() may leave on a communicator, and gives back what they have left.
/// Collective, the same on all processes.
/// Errors  bad_value on all processes where they disagree.
template <Communicator C>
void limit_calls(C const& communicator, call_limits const& limits) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const std::array<comm::common_fact, 3> facts{{detail::function_fact("limit_calls"),
                                                {"number of permuters", limits.permuters},
                                                {"bytes of workspace", limits.bytes}}};
  comm::agree(*c, {}, facts);
  detail::call_memory::of(*c).set_limits(limits);
}

/// Gives back what calls of permute() have left on a communicator: permuters, workspace, windows.
/// It is given back with the communicator, too. Collective.
/// Errors  bad_value on all processes where some call another function.
template <Communicator C>
void forget_calls(C const& communicator) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const auto called = detail::function_fact("forget_calls");
  comm::agree(*c, {}, {&called, 1});
  detail::call_memory::of(*c).clear();
}

}  // namespace bmmc
