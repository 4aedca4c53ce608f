// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/assertion_level.hpp>
#include <bmmc/execution/permutation/in_flight.hpp>
#include <bmmc/execution/permutation/run_by.hpp>
#include <bmmc/execution/started.hpp>
#include <bmmc/permuter/options.hpp>
#include <bmmc/plan/explain.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc {

/// A distributed permutation with its plan and workspace: built once, called often, with other
/// data each time. Process k holds the chunk that the source layout gives it, and afterwards the
/// one that the target layout gives it; all chunks have 2^(n-p) elements.
///   T        element type
///   Comm     how blocks travel: a comm::Policy
///   L        where elements live: a Layout
///   Element  how elements are written into messages
/// Building is collective and checks that all processes agree; calls are collective too.
/// Memory   workspace_elements() elements, its own or lent: none for a local permutation from
///          source to target; one chunk; two for calls in place with a moving policy. Serialized
///          elements need their bytes instead.
/// Messages plan().messages() per process and call, of plan().message_elements() elements.
/// Errors   bad_value on every process, or on none, with no byte changed; see also operator().
/// Source   Cormen 1997, section 7 ("factor once, perform often").
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>>
class permuter {
  static_assert(comm::Policy<Comm>, "Comm must be a policy: see bmmc/comm/policy.hpp");
  static_assert(Layout<L>, "L must be a layout: see bmmc/layout/layout.hpp");
  static_assert(std::is_copy_assignable_v<T>,
                "elements must be copyable: what is sent to another process is a copy");
  using run_by = detail::run_by<T, Element, Comm>;

 public:
  /// Collective. Keeps what it needs of the communicator, so that the caller's may end before.
  template <Communicator C, unsigned N>
  permuter(C const& communicator, permutation<N> const& p, L const& l = {}, Comm const& policy = {},
           permuter_options<T> const& options = {})
      : permuter(
            communicator, p, l, policy, options,
            [](bmmc::plan const&, permuter_options<T>&) { return std::string(); }, "permuter") {}

  /// The same with one more condition, agreed upon with the others: prepare(plan, options) returns
  /// a text where this process has something against it. It may change the options. `function` is
  /// the one that the user has called.
  template <Communicator C, unsigned N, class Prepare>
  permuter(C const& communicator, permutation<N> const& p, L const& l, Comm const& policy,
           permuter_options<T> const& options, Prepare prepare,
           std::string_view function = "permute")
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))), options_(options) {
    comm::objection against;
    against.attempt("no memory for the workspace and the tables of a permutation", [&] {
      plan_ = make_plan(p, l, static_cast<index_t>(comm_->size()));
      std::string text = prepare(*plan_, options_);
      if (!text.empty()) return text;
      scratch_ =
          detail::workspace_of(options_.lent, workspace_elements(*plan_, options_.kind, policy));
      runner_ = run_by::make(comm_, *plan_, policy,
                             {.scratch = scratch_.elements().data(),
                              .window = options_.window,
                              .agrees_before_calls = options_.agrees_before_calls,
                              .in_place = options_.kind != call_kind::between_spans,
                              .to_target = options_.kind != call_kind::in_place});
      return text;
    });
    const auto facts = facts_of(function, options_.kind, plan_, policy);
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
    runner_->open();
  }

  /// Permutes the array of which `chunk` is this process's part, in place.
  /// Errors  bad_value where the span has another length, where the permuter has been moved from,
  ///         and after MPI_Finalize. That is checked locally, without
  ///         communication: the contract is that all processes call alike. With
  ///         BMMC_ASSERTION_LEVEL 2 all throw. transport_error where MPI fails.
  void operator()(std::span<T> chunk) {
    const auto use = require(call_kind::in_place, {chunk, chunk}, [&] {
      return detail::objection_to(plan_->chunk_elements(), std::span<T const>(chunk));
    });
    runner_->in_place(chunk.data());
  }

  /// The same from a source, which stays as it is, to a target that does not overlap it.
  void operator()(std::span<T const> source, std::span<T> target) {
    const auto use = require(call_kind::between_spans, {source, target}, [&] {
      return detail::objection_to(plan_->chunk_elements(), source, std::span<T const>(target));
    });
    runner_->move(source.data(), target.data());
  }

  /// Arrays that the processes of a node share: with one node a single pass over memory, for
  /// policies that use windows. In place the array's memory is exchanged for other memory.
  void operator()(shared_vector<T>& chunk) {
    const auto use = require(call_kind::in_place, {view(chunk), view(chunk)}, [&] {
      return detail::objection_to(plan_->chunk_elements(), view(chunk));
    });
    runner_->in_window(chunk.memory());
  }
  void operator()(shared_vector<T> const& source, shared_vector<T>& target) {
    const auto use = require(call_kind::between_spans, {view(source), view(target)}, [&] {
      return detail::objection_to(plan_->chunk_elements(), view(source), view(target));
    });
    runner_->move_windows(source.memory(), target.memory());
  }

  /// The same in two steps, between which the caller computes: start() gathers the elements and
  /// has them sent by persistent requests; wait(), or test() when it returns true, brings them to
  /// their places. Until then a chunk in place is not to be used; a source is free at once. A
  /// permuter that ends without wait() leaves the target, or the chunk in place, as it was.
  /// Memory  two chunks more, made collectively at the first start.
  /// Errors  as operator(); bad_value where a permutation is under way.
  void start(std::span<T> chunk)
    requires detail::Movable<T, Element>
  {
    begin(chunk, chunk,
          [&] { return detail::objection_to(plan_->chunk_elements(), std::span<T const>(chunk)); });
  }
  void start(std::span<T const> source, std::span<T> target)
    requires detail::Movable<T, Element>
  {
    begin(source, target, [&] {
      return detail::objection_to(plan_->chunk_elements(), source, std::span<T const>(target));
    });
  }
  /// Returns when all is in its place; at once where nothing was started. A call like others: throws
  /// bad_value while another thread calls on the communicator.
  void wait() { detail::wait_for(flight_, comm_); }
  /// Whether all is in its place, or nothing was started.
  [[nodiscard]] bool test() { return detail::has_arrived(flight_, comm_); }

  [[nodiscard]] bmmc::plan const& plan() const noexcept { return *plan_; }

  /// How the plan is carried out and why, where the policy had a choice.
  [[nodiscard]] std::string choice() const { return runner_ ? runner_->choice() : std::string(); }

  /// Elements of workspace that calls of this kind need; a caller who lends fewer is refused.
  [[nodiscard]] static constexpr index_t workspace_elements(bmmc::plan const& p,
                                                            call_kind kind = call_kind::any,
                                                            Comm const& policy = {}) {
    const index_t in_place = run_by::scratch(p, policy, true);
    const index_t between = run_by::scratch(p, policy, false);
    if (kind == call_kind::in_place) return in_place;
    return kind == call_kind::between_spans ? between : std::max(in_place, between);
  }

 private:
  [[nodiscard]] static std::span<T const> view(shared_vector<T> const& v) noexcept {
    return {v.data(), v.size()};
  }

  [[nodiscard]] static auto facts_of(std::string_view function, call_kind kind,
                                     std::optional<bmmc::plan> const& p, Comm const& policy) {
    return detail::with(
        detail::call_facts<T, Element>(function, policy),
        std::array<comm::common_fact, 3>{
            {detail::kind_fact(kind),
             {"number of index bits", p ? p->bits() : 0},
             {"permutation or the layout", p ? detail::fingerprint_of(*p) : 0, false}}});
  }

  template <class Objection>
  [[nodiscard]] comm::exclusive_use require(call_kind kind, std::array<std::span<T const>, 2> used,
                                            Objection objection) const {
    if constexpr (BMMC_ASSERTION_LEVEL >= 1) {
      static_cast<void>(comm::usable(comm_, "this permuter"));
      detail::refuse_call(*comm_, detail::objection_to_call(options_, kind, used, objection()));
    }
    return comm::exclusive_use(*comm_);
  }

  template <class Objection>
  void begin(std::span<T const> source, std::span<T> target, Objection objection) {
    const comm::exclusive_use use(comm::usable(comm_, "this permuter"));
    if (!flight_) make_flight();
    constexpr char const* under_way = "a permutation is under way: wait for it first";
    if (BMMC_ASSERTION_LEVEL == 0 && flight_->is_under_way()) throw bad_value(under_way);
    static_cast<void>(require(options_.kind, {source, target},
                              [&] { return flight_->is_under_way() ? under_way : objection(); }));
    void const* const from = source.data();
    void* const to = target.data();
    flight_->start({&from, 1}, {&to, 1});
  }
  void make_flight() {
    comm::objection against;
    std::unique_ptr<detail::in_flight> made;
    against.attempt("no memory for the two chunks that are under way", [&] {
      made = detail::make_in_flight(comm_, *plan_, {detail::element_kind::of<T, Element>()});
    });
    const auto called = detail::function_fact("start");
    comm::agree(*comm_, against, {&called, 1});
    flight_ = std::move(made);
  }

  std::shared_ptr<comm::communicator const> comm_;
  permuter_options<T> options_;
  std::optional<bmmc::plan> plan_;
  transport::workspace<T> scratch_;
  std::unique_ptr<detail::plan_runner> runner_;
  std::unique_ptr<detail::in_flight> flight_;
};

/// Tells people what a permuter will do: its plan, and what its policy has chosen.
template <class T, class Comm, class L, class Element>
[[nodiscard]] std::string explain(permuter<T, Comm, L, Element> const& p) {
  return explain(p.plan()) + p.choice();
}

/// A permuter whose policy and layout are deduced: make_permuter<double>(world, p, layout, policy).
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C, unsigned N>
[[nodiscard]] permuter<T, Comm, L, Element> make_permuter(C const& communicator,
                                                          permutation<N> const& p, L const& l = {},
                                                          Comm const& policy = {},
                                                          permuter_options<T> const& options = {}) {
  return permuter<T, Comm, L, Element>(communicator, p, l, policy, options);
}

}  // namespace bmmc
