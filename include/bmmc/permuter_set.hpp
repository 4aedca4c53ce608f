// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/permuter.hpp>
#include <bmmc/permuter/fields.hpp>

namespace bmmc {

/// Several distributed arrays, of one type or of several, permuted by one plan in one exchange:
/// each process sends one message per block, with the blocks of all arrays in it. They are all in
/// place. Building is collective and checks that all processes agree.
/// Memory  two chunks of every array. Messages plan().messages() per process, for all arrays.
/// Errors  as permuter.
class permuter_set {
 public:
  template <Communicator C, unsigned N, Layout L = layout::processor_major>
  permuter_set(C const& communicator, permutation<N> const& p, std::vector<field_kind> kinds,
               L const& l = {})
      : permuter_set(
            communicator, p, [&kinds] { return std::move(kinds); }, l) {}

  /// The same with kinds that make_kinds returns. Where it throws on one process, all throw.
  template <Communicator C, unsigned N, std::invocable MakeKinds,
            Layout L = layout::processor_major>
  permuter_set(C const& communicator, permutation<N> const& p, MakeKinds make_kinds,
               L const& l = {})
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))) {
    comm::objection against;
    against.attempt("no memory for two chunks of every array", [&] {
      plan_ = make_plan(p, l, static_cast<index_t>(comm_->size()));
      kinds_ = make_kinds();
      std::vector<detail::element_kind> elements;
      for (field_kind const& kind : kinds_) elements.push_back(kind.element());
      flight_ = detail::make_in_flight(comm_, *plan_, elements);
      sources_.resize(kinds_.size());
      targets_.resize(kinds_.size());
    });
    const auto arrays = detail::facts_of(kinds_);
    const std::array<comm::common_fact, 5> facts{
        {detail::function_fact("permuter_set"),
         {"number of index bits", plan_ ? plan_->bits() : 0},
         {"permutation or the layout", plan_ ? detail::fingerprint_of(*plan_) : 0, false},
         arrays[0],
         arrays[1]}};
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
  }

  /// Permutes all arrays, in the order of their kinds.
  /// Errors  bad_value, found by each process for itself as in permuter; transport_error.
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
    for (std::size_t i = 0; i < chunks.size(); ++i) sources_[i] = targets_[i] = chunks[i].data();
    flight_->start(sources_, targets_);
  }
  template <class = void>
  void wait() {
    detail::wait_for(flight_, comm_);
  }
  template <class = void>
  [[nodiscard]] bool test() {
    return detail::has_arrived(flight_, comm_);
  }

  [[nodiscard]] bmmc::plan const& plan() const noexcept { return *plan_; }

 private:
  template <class = void>
  [[nodiscard]] std::string objection_to(std::vector<field_span> const& chunks) const {
    if (flight_->is_under_way()) return "a permutation is under way: wait for it first";
    const std::string text =
        detail::objection_to_fields(kinds_, chunks, [&](field_span const& chunk) {
          return detail::objection_to_chunk(plan_->chunk_elements(), chunk.data(), chunk.size());
        });
    return text.empty() ? detail::objection_to_overlap(kinds_, chunks) : text;
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::vector<field_kind> kinds_;
  std::optional<bmmc::plan> plan_;
  std::unique_ptr<detail::in_flight> flight_;
  std::vector<void const*> sources_;
  std::vector<void*> targets_;
};

/// A set of arrays with elements of these types: make_permuter_set<double, double, int>(world, p).
template <class... Ts, Communicator C, unsigned N, Layout L = layout::processor_major>
[[nodiscard]] permuter_set make_permuter_set(C const& communicator, permutation<N> const& p,
                                             L const& l = {}) {
  return permuter_set(
      communicator, p, [] { return std::vector<field_kind>{field_kind::of<Ts>()...}; }, l);
}

}  // namespace bmmc
