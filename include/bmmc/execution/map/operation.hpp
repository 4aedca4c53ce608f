// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/shared_vector.hpp>
#include <bmmc/execution/assertion_level.hpp>
#include <bmmc/execution/map/machine.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc::detail {

/// Why a map's source and target do not do; empty where they do.
template <class T, class Plan>
[[nodiscard]] std::string objection_to(Plan const& p, std::span<T const> source,
                                       std::span<T const> target) {
  if (source.size() != p.source_elements() || target.size() != p.target_elements())
    return detail::text({"the source must hold ", p.source_elements(), " elements and the target ",
                         p.target_elements(), ", not ", source.size(), " and ", target.size()});
  return local::objection_to_pair(source, target);
}

/// What is known of a call before its map is looked at.
template <class T, class Element, class Plan, class Runner, class Comm>
[[nodiscard]] auto map_call_facts(bool is_one_call, Comm const& policy) {
  constexpr bool gathers = std::same_as<Plan, gather_plan>;
  const std::string_view kind = is_one_call ? "one call" : "kept";
  return with(call_facts<T, Element>(gathers ? "gather" : "reduce", policy),
              std::array<comm::common_fact, 2>{
                  {named_fact("kind of call", kind, fingerprint(kind)),
                   type_fact<Runner>("operation")}});  // how elements are combined
}

/// What gatherer and reducer share: an agreement when they are built, checks in every call.
template <class T, class Element, class Comm, class Plan, class Runner>
class map_operation {
 public:
  /// Collective: all processes throw bad_value, or none. make_plan(procs) and make_runner(comm,
  /// plan, node) may throw; `once` holds the spans where there is only one call, to be agreed upon
  /// too.
  template <class MakePlan, class MakeRunner>
  map_operation(MPI_Comm communicator, Comm const& policy, MakePlan make_plan,
                MakeRunner make_runner, std::optional<std::array<std::span<T const>, 2>> once)
      : comm_(comm::communicator::of(communicator)) {
    const comm::exclusive_use use(*comm_);
    comm::objection against;
    against.attempt("no memory for the plan of a map", [&] {
      plan_ = make_plan(static_cast<index_t>(comm_->size()));
      return once ? objection_to(*plan_, (*once)[0], (*once)[1]) : std::string();
    });
    comm::agree(*comm_, against, facts_of(once.has_value(), policy));
    const auto machine = machine_for<T, Element>(*comm_, policy);
    open_ways(*comm_, ways_, "no memory for the buffers of a map", machine.chooses(),
              [&](bool windows) {
                return machine.template ways<Runner>(*plan_, sizeof(T), windows, [&](auto node) {
                  return make_runner(comm_, *plan_, std::move(node));
                });
              });
  }

  void operator()(std::span<T const> source, std::span<T> target) {
    const auto use = require(source, target);
    ways_.run(*comm_, 0, [&](Runner& run) { run(source.data(), target.data()); });
  }
  void operator()(shared_vector<T> const& source, std::span<T> target) {
    const auto use = require({source.data(), source.size()}, target);
    ways_.run(*comm_, 1, [&](Runner& run) { run(source, target.data()); });
  }

  /// Calls f(runner) for all that a call may take.
  template <class F>
  void for_each_runner(F f) {
    ways_.for_each(f);
  }
  [[nodiscard]] Plan const& plan() const noexcept { return *plan_; }

  /// What was chosen and why, where there was a choice.
  [[nodiscard]] std::string choice() const { return ways_.text(); }

 private:
  [[nodiscard]] comm::exclusive_use require(std::span<T const> source, std::span<T> target) const {
    if constexpr (BMMC_ASSERTION_LEVEL >= 1) {
      static_cast<void>(
          comm::usable(comm_, std::same_as<Plan, gather_plan> ? "this gatherer" : "this reducer"));
      refuse_call(*comm_, objection_to(*plan_, source, std::span<T const>(target)));
    }
    return comm::exclusive_use(*comm_);
  }
  [[nodiscard]] auto facts_of(bool is_one_call, Comm const& policy) const {
    return with(map_call_facts<T, Element, Plan, Runner>(is_one_call, policy),
                std::array<comm::common_fact, 3>{
                    {{"source elements of a process", plan_ ? plan_->source_elements() : 0},
                     {"target elements of a process", plan_ ? plan_->target_elements() : 0},
                     {"map and layout", plan_ ? fingerprint(plan_->physical()) : 0, false}}});
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::optional<Plan> plan_;
  tried_ways<Runner> ways_;
};

}  // namespace bmmc::detail
