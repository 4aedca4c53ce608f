// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/permuter/fields.hpp>
#include <bmmc/reshape/redistributor.hpp>

namespace bmmc {

/// Several arrays of the same extents, with elements of one type or of several, brought from one
/// grid of processes to another in one exchange: each process sends one message to each with which
/// it shares elements, and the parts of all arrays are in it. Built once, called often; building is
/// collective and checks that all processes agree. In place, as redistributor: each chunk is as
/// long as the longer one of before and afterwards. Arrays with a row stride may lie in the gaps of
/// each other: whether they overlap is not checked.
/// Memory  of every array what is sent and what is received.
/// Errors  as redistributor.
class redistributor_set {
 public:
  template <Communicator C>
  redistributor_set(C const& communicator, grid_layout const& source, grid_layout const& target,
                    axis_order const& axes, std::vector<field_kind> kinds)
      : redistributor_set(
            communicator, [&] { return grid_plan(source, target, axes); },
            [&] { return std::move(kinds); }) {}
  /// The same for a plan, one with other numbers of processes, say.
  template <Communicator C>
  redistributor_set(C const& communicator, grid_plan const& plan, std::vector<field_kind> kinds)
      : redistributor_set(
            communicator, [&] { return plan; }, [&] { return std::move(kinds); }) {}
  /// The same with what make_plan and make_kinds return. Where one throws on one process, all
  /// throw.
  template <Communicator C, std::invocable MakePlan, std::invocable MakeKinds>
  redistributor_set(C const& communicator, MakePlan make_plan, MakeKinds make_kinds)
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))) {
    comm::objection against;
    index_t hash = 0, elements = 0;
    against.attempt("no memory for what is sent and received of every array", [&] {
      const grid_plan plan = make_plan();
      hash = plan.fingerprint();
      elements = plan.elements();
      detail::require_processes(plan, *comm_);
      kinds_ = make_kinds();
      if (kinds_.empty()) throw bad_value("a set needs one array at least");
      route_ = std::make_shared<grid_route const>(plan, static_cast<index_t>(comm_->rank()));
      std::vector<detail::grid_work> arrays;
      for (field_kind const& kind : kinds_)
        arrays.push_back({comm_, route_, kind.bytes(), kind.element().datatype()});
      flight_ = detail::make_grid_flight(arrays);
      chunks_.resize(kinds_.size());
    });
    const auto fields = detail::facts_of(kinds_);
    const std::array<comm::common_fact, 5> facts{
        {detail::function_fact("redistributor_set"),
         {"number of elements", elements},
         {"arrays, their axes and their grids", hash, false},
         fields[0],
         fields[1]}};
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
  }

  /// Moves all arrays, in the order of their kinds.
  /// Errors  bad_value, found by each process for itself as in redistributor; transport_error.
  template <class = void>
  void operator()(std::vector<field_span> const& chunks) {
    const comm::exclusive_use use(comm::usable(comm_, "this set"));
    start(chunks);
    wait();
  }

  /// The same in two steps: between them the caller computes, but leaves the chunks alone.
  template <class = void>
  void start(std::vector<field_span> const& chunks) {
    const comm::exclusive_use use(comm::usable(comm_, "this set"));
    detail::refuse_call(*comm_, objection_to(chunks));
    for (std::size_t i = 0; i < chunks.size(); ++i) chunks_[i] = chunks[i].data();
    void const* const* const sources = chunks_.data();
    flight_->start({sources, chunks_.size()}, chunks_);
  }
  template <class = void>
  void wait() {
    detail::wait_for(flight_, comm_);
  }
  template <class = void>
  [[nodiscard]] bool test() {
    return detail::has_arrived(flight_, comm_);
  }

  [[nodiscard]] grid_plan const& plan() const noexcept { return route_->plan(); }

 private:
  template <class = void>
  [[nodiscard]] std::string objection_to(std::vector<field_span> const& chunks) const {
    if (flight_->is_under_way()) return "an exchange is under way: wait for it first";
    const std::string text =
        detail::objection_to_fields(kinds_, chunks, [&](field_span const& chunk) {
          return detail::objection_to_chunk(plan(), route_->proc(), chunk.data(), chunk.size());
        });
    if (!text.empty() || detail::has_gaps(plan())) return text;
    return detail::objection_to_overlap(kinds_, chunks);
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::vector<field_kind> kinds_;
  std::shared_ptr<grid_route const> route_;
  std::unique_ptr<detail::grid_flight> flight_;
  std::vector<void*> chunks_;
};

/// A set of arrays with elements of these types:
/// make_redistributor_set<double, double, int>(world, slabs, pencils, {0, 1, 2}).
template <class... Ts, Communicator C>
[[nodiscard]] redistributor_set make_redistributor_set(C const& communicator,
                                                       grid_layout const& source,
                                                       grid_layout const& target,
                                                       axis_order const& axes) {
  return redistributor_set(
      communicator, [&] { return grid_plan(source, target, axes); },
      [] { return std::vector<field_kind>{field_kind::of<Ts>()...}; });
}

}  // namespace bmmc
