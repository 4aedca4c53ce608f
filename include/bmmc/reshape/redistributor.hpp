// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/assertion_level.hpp>
#include <bmmc/execution/grid/make.hpp>
#include <bmmc/execution/route/exchanged.hpp>
#include <bmmc/execution/route/routed.hpp>
#include <bmmc/execution/started.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/permuter.hpp>

namespace bmmc {

namespace detail {
/// Throws bad_value where the communicator has not as many processes as the grids.
void require_processes(grid_plan const& plan, comm::communicator const& c);
/// Whether rows lie apart, on either side.
[[nodiscard]] inline bool has_gaps(grid_plan const& p) noexcept {
  return p.source().row_stride() != 0 || p.target().row_stride() != 0;
}
/// What a process has to say against a chunk that is to hold its elements before and afterwards:
/// nothing where all is well.
[[nodiscard]] std::string objection_to_chunk(grid_plan const& p, index_t proc, void const* chunk,
                                             index_t size);
}  // namespace detail

/// Brings arrays of any extents from one grid of processes to another, and permutes their axes on
/// the way: axis k of the target is axis axes[k] of the source, as in numpy. Built once, called
/// often, with other data each time. Process k holds source.span(k) elements before and
/// target.span(k) afterwards; in place one array serves both, as long as the longer one.
///   T        element type
///   Comm     how messages travel: a comm::GridPolicy
///   Element  how elements are written into messages
/// Building is collective and checks that all processes agree; calls are collective too.
/// Memory   comm::pairwise: 2 MiB, in place a copy of the chunk too. Others: what is sent and what
///          is received; a policy that moves equal blocks: padded. Serialized elements: their bytes
///          and the longest message received.
/// Messages one to each process with which a process shares elements, of those alone.
/// Errors   bad_value on every process, or on none, with no byte changed: extents that do not fit
///          each other, grids larger than the communicator, other descriptions on one process.
template <class T, class Comm = comm::automatic, class Element = element::default_for<T>>
class redistributor {
  static_assert(comm::GridPolicy<Comm>, "Comm must be a policy of bmmc/comm/grid_policy.hpp");
  static_assert(std::is_copy_assignable_v<T>,
                "elements must be copyable: what is sent to another process is a copy");
  static constexpr bool is_direct = detail::Movable<T, Element>;

 public:
  /// Collective. Keeps what it needs of the communicator, so that the caller's may end before.
  template <Communicator C>
  redistributor(C const& communicator, grid_layout const& source, grid_layout const& target,
                axis_order const& axes, Comm const& policy = {}, call_kind kind = call_kind::any)
      : redistributor(
            communicator, [&] { return grid_plan(source, target, axes); }, policy, kind,
            [](grid_plan const&, index_t) { return std::string(); }, "redistributor") {}
  /// The same for a plan, one with other numbers of processes, say.
  template <Communicator C>
  redistributor(C const& communicator, grid_plan const& plan, Comm const& policy = {},
                call_kind kind = call_kind::any)
      : redistributor(
            communicator, [&] { return plan; }, policy, kind,
            [](grid_plan const&, index_t) { return std::string(); }, "redistributor") {}
  /// The same with one more condition, agreed upon with the others: objection(plan, proc) returns a
  /// text where this process has something against it. make_plan() may throw bad_value. `function`
  /// is the one that the user has called.
  template <Communicator C, class MakePlan, class Objection>
  redistributor(C const& communicator, MakePlan make_plan, Comm const& policy, call_kind kind,
                Objection objection, std::string_view function)
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))),
        policy_(policy),
        kind_(kind) {
    comm::objection against;
    against.attempt("no memory for what is sent and received", [&] {
      const auto me = static_cast<index_t>(comm_->rank());
      const grid_plan plan = make_plan();
      hash_ = plan.fingerprint();
      elements_ = plan.elements();
      detail::require_processes(plan, *comm_);
      source_span_ = plan.source().span(me);
      target_span_ = plan.target().span(plan.number(me));
      std::string text = objection(plan, me);
      route_ = std::make_shared<grid_route const>(plan, me);
      if (text.empty()) make_runner();
      return text;
    });
    const auto facts = detail::with(
        detail::call_facts<T, Element>(function, policy),
        std::array<comm::common_fact, 3>{{detail::kind_fact(kind),
                                          {"number of elements", elements_},
                                          {"arrays, their axes and their grids", hash_, false}}});
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
    if constexpr (is_direct) runner_->open();
  }

  /// In place. Errors: bad_value where the span has another length than the longer one of both
  /// layouts. That is checked locally, without communication: the contract is that all processes
  /// call alike. With BMMC_ASSERTION_LEVEL 2 all throw. transport_error where MPI fails.
  void operator()(std::span<T> chunk) {
    const auto use =
        require(call_kind::in_place, [&] { return objection_to(route_->plan(), me(), chunk); });
    if constexpr (is_direct)
      runner_->in_place(chunk.data());
    else
      written_route(true, chunk.size())(chunk.data(), chunk.data());
  }
  /// From a source, which stays as it is, to a target that does not overlap it.
  void operator()(std::span<T const> source, std::span<T> target) {
    const auto use = require(call_kind::between_spans,
                             [&] { return objection_to(route_->plan(), me(), source, target); });
    if constexpr (is_direct)
      runner_->move(source.data(), target.data());
    else
      written_route(false, 0)(source.data(), target.data());
  }

  /// The same in two steps, between which the caller computes: start() packs the elements and has
  /// them sent by persistent requests; wait(), or test() when it returns true, brings them to their
  /// places. Until then a chunk in place is not to be used; a source is free at once.
  /// Memory  what is sent and what is received, made collectively at the first start.
  /// Errors  as operator(); bad_value where an exchange is under way.
  void start(std::span<T> chunk)
    requires detail::Movable<T, Element>
  {
    begin(chunk.data(), chunk.data(), [&] { return objection_to(route_->plan(), me(), chunk); });
  }
  void start(std::span<T const> source, std::span<T> target)
    requires detail::Movable<T, Element>
  {
    begin(source.data(), target.data(),
          [&] { return objection_to(route_->plan(), me(), source, target); });
  }
  /// Returns when all is in its place; at once where nothing was started.
  void wait() { detail::wait_for(flight_, comm_); }
  /// Whether all is in its place, or nothing was started.
  [[nodiscard]] bool test() { return detail::has_arrived(flight_, comm_); }

  [[nodiscard]] grid_plan const& plan() const noexcept { return route_->plan(); }
  /// How the plan is carried out and why, where the policy had a choice.
  [[nodiscard]] std::string choice() const { return runner_ ? runner_->choice() : std::string(); }

  /// What a process has to say against spans: nothing where all is well.
  [[nodiscard]] static std::string objection_to(grid_plan const& p, index_t proc,
                                                std::span<T const> chunk) {
    return detail::objection_to_chunk(p, proc, chunk.data(), chunk.size());
  }
  [[nodiscard]] static std::string objection_to(grid_plan const& p, index_t proc,
                                                std::span<T const> source,
                                                std::span<T const> target) {
    const auto fits = [](grid_layout const& a, index_t needed, index_t given) {
      return given == needed || (a.row_stride() != 0 && given > needed);
    };
    const index_t before = p.source().span(proc), after = p.target().span(p.number(proc));
    if (!fits(p.source(), before, source.size()) || !fits(p.target(), after, target.size()))
      return detail::text({"source and target must hold ", before, " and ", after,
                           " elements, not ", source.size(), " and ", target.size()});
    return local::objection_to_pair(source, target);
  }

 private:
  [[nodiscard]] index_t me() const noexcept { return static_cast<index_t>(comm_->rank()); }
  [[nodiscard]] detail::grid_work work() const {
    return {comm_, route_, sizeof(T), element_ ? element_->handle() : MPI_DATATYPE_NULL};
  }
  void make_runner() {
    if constexpr (is_direct) {
      element_ = std::make_unique<comm::datatype const>(Element::template datatype<T>());
      runner_ = detail::make_runner_by(
          work(), policy_, {kind_ != call_kind::between_spans, kind_ != call_kind::in_place});
    }
  }
  [[nodiscard]] auto written_route(bool in_place, index_t chunk) const {
    if constexpr (detail::moves_boxes<Comm>)
      return detail::route_runner<T, Element, grid_route>(*comm_, *route_, in_place, chunk);
    else
      return detail::exchanged_route<T, Element, Comm, grid_route>(comm_, *route_, policy_,
                                                                   in_place, chunk);
  }

  template <class Objection>
  [[nodiscard]] comm::exclusive_use require(call_kind kind, Objection objection) const {
    if constexpr (BMMC_ASSERTION_LEVEL >= 1) {
      static_cast<void>(comm::usable(comm_, "this redistributor"));
      std::string text = objection();
      if (kind_ != call_kind::any && kind_ != kind)
        text = "this redistributor was built for calls of the other kind";
      detail::refuse_call(*comm_, text);
    }
    return comm::exclusive_use(*comm_);
  }
  template <class Objection>
  void begin(void const* source, void* target, Objection objection) {
    const comm::exclusive_use use(comm::usable(comm_, "this redistributor"));
    if (!flight_) make_flight();
    constexpr char const* under_way = "an exchange is under way: wait for it first";
    if (BMMC_ASSERTION_LEVEL == 0 && flight_->is_under_way()) throw bad_value(under_way);
    static_cast<void>(
        require(kind_, [&] { return flight_->is_under_way() ? under_way : objection(); }));
    flight_->start(source, target);
  }
  void make_flight() {
    comm::objection against;
    std::unique_ptr<detail::grid_flight> made;
    against.attempt("no memory for what is under way",
                    [&] { made = detail::make_grid_flight({work()}); });
    const auto called = detail::function_fact("start");
    comm::agree(*comm_, against, {&called, 1});
    flight_ = std::move(made);
  }

  std::shared_ptr<comm::communicator const> comm_;
  Comm policy_;
  call_kind kind_;
  index_t hash_ = 0, elements_ = 0, source_span_ = 0, target_span_ = 0;
  std::shared_ptr<grid_route const> route_;
  std::unique_ptr<comm::datatype const> element_;
  std::unique_ptr<detail::grid_runner> runner_;
  std::unique_ptr<detail::grid_flight> flight_;
};

/// Tells people what a redistributor will do: its plan, and what its policy has chosen.
template <class T, class Comm, class Element>
[[nodiscard]] std::string explain(redistributor<T, Comm, Element> const& r) {
  return explain(r.plan(), sizeof(T)) + r.choice();
}

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/reshape/redistributor_once.hpp>
#endif
