// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <bmmc/execution/coset/active_processes.hpp>
#include <bmmc/execution/coset/traded_part.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/local/coset_pass.hpp>
#include <bmmc/permuter.hpp>
#include <bmmc/plan/coset_plan.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc {

/// A distributed permutation of the elements of a coset, with its plan and workspace: built once,
/// called often. Elements outside of the coset are neither read nor written in place; from a source
/// to a target they are copied. Template parameters as permuter's.
/// Building is collective and checks that all processes agree. Calls are collective among the
/// processes that have elements to move, plan().is_active(proc): the others return at once, but
/// where elements are serialized: then all wait, to learn of one that cannot be.
/// Memory   workspace_elements() elements, its own or lent. Where processes trade parts, as in
///          Toffoli and controlled SWAP, by `automatic` or `pipelined`: four pieces of 128 KiB, and
///          by `automatic` as much shared memory from four pieces on.
///          Else two parts of part_elements(), 2^-(k - k_p) of a chunk each for k conditions of
///          which k_p are on process bits alone; in place on one process a part at most. Serialized
///          elements need their bytes, too.
/// Messages plan().sent(proc).
/// Errors   bad_value on every process, or on none, with no byte changed; see also operator().
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>>
class coset_permuter {
  static_assert(comm::Policy<Comm>, "Comm must be a policy: see bmmc/comm/policy.hpp");
  static_assert(!std::derived_from<Comm, comm::within_budget>,
                "what a permutation on a coset needs follows from its plan: there is no budget to "
                "keep to. comm::sendrecv_replace needs least");
  static_assert(Layout<L>, "L must be a layout: see bmmc/layout/layout.hpp");
  using carrier = detail::carrier_of<Comm>;
  using run_by = detail::run_by<T, Element, carrier>;
  static constexpr bool replaces = comm::ReplacingPolicy<carrier>;
  static constexpr bool trades =  // pieces under way while others are packed
      std::derived_from<carrier, comm::pipelined> && detail::Movable<T, Element>;

 public:
  /// Collective. Keeps what it needs of the communicator, so that the caller's may end before.
  template <Communicator C>
  coset_permuter(C const& communicator, coset_permutation const& p, L const& l = {},
                 Comm const& policy = {}, permuter_options<T> const& options = {})
      : coset_permuter(
            communicator, p, l, policy, options, [](index_t) { return std::string(); },
            "coset_permuter") {}
  /// The same with one more condition, agreed upon with the others: objection(chunk_elements)
  /// returns a text where this process has something against it. `function` is the one that the
  /// user has called.
  template <Communicator C, class Objection>
  coset_permuter(C const& communicator, coset_permutation const& p, L const& l, Comm const& policy,
                 permuter_options<T> const& options, Objection objection,
                 std::string_view function = "permute on a coset")
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))), options_(options) {
    comm::objection against;
    against.attempt("no memory for the workspace of a permutation on a coset", [&] {
      plan_ = make_plan(p, l, static_cast<index_t>(comm_->size()));
      std::string text = objection(plan_->chunk_elements());
      if (text.empty() && acts()) {
        make_passes(detail::number_in(*plan_, *comm_));
        make_workspace(policy);
      }
      return text;
    });
    const auto facts = detail::with(
        detail::call_facts<T, Element>(function, policy),
        std::array<comm::common_fact, 3>{
            {detail::kind_fact(options.kind),
             {"number of index bits", plan_ ? plan_->bits() : 0},
             {"permutation or the layout", plan_ ? detail::fingerprint_of(*plan_) : 0, false}}});
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
    if (!has_exchange()) return;
    const auto active = detail::active_processes(*plan_, comm_);
    if (acts())
      against.attempt("no memory for the tables of a permutation on a coset", [&] {
        make_exchange(active, detail::policy_of_active(*plan_, *comm_, policy));
      });
    comm::agree(*comm_, against);
    detail::for_active(*plan_, *comm_, [&] {
      if (runner_) runner_->open();
      if constexpr (trades && std::derived_from<Comm, comm::automatic>)
        if (trade_) trade_->open();
    });
  }

  /// Permutes the elements of the coset, of which `chunk` holds this process's part, in place.
  /// Errors  bad_value where the span has another length, where the permuter has been moved from,
  ///         after MPI_Finalize, and where another thread calls on the communicator, checked
  ///         locally, without communication: the contract is that all processes call alike. With
  ///         BMMC_ASSERTION_LEVEL 2 all throw. transport_error where MPI fails.
  void operator()(std::span<T> chunk) {
    const auto use =
        require(call_kind::in_place, {chunk, chunk},
                detail::objection_to(plan_->chunk_elements(), std::span<T const>(chunk)));
    if constexpr (trades)
      if (trade_) return (*trade_)(chunk.data(), chunk.data());
    if (has_exchange()) return exchange(chunk.data(), chunk.data());
    transport::move_together<T>(*comm_, [&] {
      if (acts()) in_place_(chunk.data(), scratch_.elements().data());
    });
  }

  /// The same from a source, which stays as it is, to a target that does not overlap it. All
  /// elements are copied, those outside of the coset to their own places.
  void operator()(std::span<T const> source, std::span<T> target) {
    const auto use =
        require(call_kind::between_spans, {source, target},
                detail::objection_to(plan_->chunk_elements(), source, std::span<T const>(target)));
    if (has_exchange() && !trade_) return exchange(source.data(), target.data());
    transport::copy_together<T>(*comm_, [&] {
      std::copy(source.begin(), source.end(), target.begin());
      if (!trade_ && acts()) pack_(source.data(), target.data());
    });
    if constexpr (trades)
      if (trade_) (*trade_)(source.data(), target.data());
  }

  [[nodiscard]] coset_plan const& plan() const noexcept { return *plan_; }
  /// How what is packed travels and why, where the policy had a choice.
  [[nodiscard]] std::string choice() const { return runner_ ? runner_->choice() : std::string(); }

  /// Elements of workspace that a process with elements to move needs, at most.
  [[nodiscard]] static constexpr index_t workspace_elements(coset_plan const& p,
                                                            Comm const& policy = {}) {
    if (p.is_identity()) return 0;
    if (p.is_local()) return p.part_elements();
    if constexpr (trades)
      if (p.is_trade())
        return detail::traded_part<T>::scratch(p.plan().bits() - p.plan().proc_bits(),
                                               detail::carrier(policy));
    return own_elements(p) + run_by::scratch(p.of_packed(), detail::carrier(policy), replaces);
  }

 private:
  /// Packed, and where what arrives does not replace it, arrived.
  [[nodiscard]] static constexpr index_t own_elements(coset_plan const& p) {
    return (replaces ? 1 : 2) * p.part_elements();
  }
  [[nodiscard]] bool has_exchange() const { return !plan_->is_identity() && !plan_->is_local(); }
  [[nodiscard]] bool acts() const { return detail::is_active(*plan_, *comm_); }

  void make_passes(index_t number) {
    const affine_map offsets = plan_->offsets(number);
    if (plan_->is_local()) {
      const auto inside = plan_->local(number);
      in_place_ = local::coset_pass<T>(inside, offsets);
      pack_ = local::pass<T>(compose(offsets, as_map(inside)), offsets);
      return;
    }
    if (trades && plan_->is_trade()) return;
    pack_ = local::pass<T>(as_map(plan_->gather(number)), offsets);
    unpack_ = local::pass<T>(plan_->scatter(number));
  }
  void make_workspace(Comm const& policy) {
    index_t needed = workspace_elements(*plan_, policy);
    if (plan_->is_local()) needed = in_place_.scratch_elements();
    scratch_ = detail::workspace_of(options_.lent, needed);
  }

  /// Sends nothing yet.
  void make_exchange(std::shared_ptr<comm::communicator const> const& active, Comm const& policy) {
    if constexpr (trades) {
      if (plan_->is_trade()) {
        const index_t number = detail::number_in(*plan_, *comm_);
        trade_ = std::make_unique<detail::traded_part<T>>(
            active, plan_->plan().target(number, 0), plan_->offsets(number), plan_->trade_step(),
            Element::template datatype<T>(), detail::carrier(policy), scratch_.elements().data());
        return;
      }
    }
    runner_ = run_by::make(active, plan_->of_packed(), detail::carrier(policy),
                           {scratch_.elements().data() + own_elements(*plan_), nullptr});
  }

  /// Elements outside of the coset are copied where source and target are two arrays. Elements that
  /// are not bytes may fail to be copied or written, and then all processes throw.
  void exchange(T const* source, T* target) {
    T* const packed = scratch_.elements().data();
    const bool is_active = acts();
    T* const arrived = is_active && !replaces ? packed + plan_->part_elements() : packed;
    transport::copy_together<T>(*comm_, [&] {
      if (is_active) pack_(source, packed);
    });
    const auto travel = [&] {
      if constexpr (replaces)
        runner_->in_place(packed);
      else
        runner_->move(packed, arrived);
    };
    if constexpr (!detail::Movable<T, Element>)
      detail::for_active(*plan_, *comm_, travel);
    else if (is_active)
      travel();
    if (source != target)
      transport::copy_together<T>(*comm_,
                                  [&] { std::copy_n(source, plan_->chunk_elements(), target); });
    transport::move_together<T>(*comm_, [&] {
      if (is_active) unpack_(arrived, target);
    });
  }

  [[nodiscard]] comm::exclusive_use require(call_kind kind, std::array<std::span<T const>, 2> used,
                                            std::string text) const {
    if constexpr (BMMC_ASSERTION_LEVEL >= 1) {
      static_cast<void>(comm::usable(comm_, "this permuter"));
      detail::refuse_call(*comm_, detail::objection_to_call(options_, kind, used, std::move(text)));
    }
    return comm::exclusive_use(*comm_);
  }

  std::shared_ptr<comm::communicator const> comm_;
  permuter_options<T> options_;
  std::optional<coset_plan> plan_;
  transport::workspace<T> scratch_;
  local::pass<T> pack_, unpack_;
  local::coset_pass<T> in_place_;
  std::unique_ptr<detail::plan_runner> runner_;
  std::unique_ptr<std::conditional_t<trades, detail::traded_part<T>, int>> trade_;
};

/// Tells people what a permuter on a coset will do.
template <class T, class Comm, class L, class Element>
[[nodiscard]] std::string explain(coset_permuter<T, Comm, L, Element> const& p) {
  return explain(p.plan()) + p.choice();
}

/// A permuter on a coset whose policy and layout are deduced.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
[[nodiscard]] coset_permuter<T, Comm, L, Element> make_permuter(
    C const& communicator, coset_permutation const& p, L const& l = {}, Comm const& policy = {},
    permuter_options<T> const& options = {}) {
  return coset_permuter<T, Comm, L, Element>(communicator, p, l, policy, options);
}

}  // namespace bmmc
