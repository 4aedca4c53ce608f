// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <bmmc/index/controlled_circuit.hpp>
#include <bmmc/local/coset_sequence.hpp>
#include <bmmc/permute/coset.hpp>
#include <bmmc/plan/circuit_plan.hpp>

namespace bmmc {

namespace detail {

[[nodiscard]] inline std::uint64_t fingerprint_of(circuit_plan const& p) {
  std::uint64_t hash = p.steps().size();
  const auto add = [&](std::uint64_t more) {
    hash = fingerprint({{63, {hash & low_bits(63), more & low_bits(63)}}, more >> 63});
  };
  for (auto const& step : p.steps()) {
    add(step.on_cosets.size());
    if (step.all) add(fingerprint(as_map(*step.all)));
    for (auto const& each : step.on_cosets) add(fingerprint_of(coset_plan(each, 0)));
  }
  return hash;
}

/// What a circuit's permuter takes, as a circuit. One that is a circuit is not copied.
[[nodiscard]] inline controlled_circuit const& as_circuit(controlled_circuit const& c) { return c; }
[[nodiscard]] inline controlled_circuit as_circuit(coset_permutation const& c) {
  return controlled_circuit(c.bits()).then(c);
}
template <unsigned N>
[[nodiscard]] controlled_circuit as_circuit(permutation<N> const& p) {
  return controlled_circuit(permutation<>(p));
}

/// Permutations on cosets that a process applies to its chunk in one pass.
template <class T>
class joint_pass {
 public:
  joint_pass(std::vector<coset_permutation> const& steps, unsigned p, index_t proc,
             std::span<T> lent) {
    std::vector<coset_permutation> own;
    for (auto const& each : steps)
      if (auto const here = on_process(each, p, proc)) own.push_back(*here);
    pass_ = local::coset_sequence<T>(steps.front().bits() - p, own);
    const index_t needed = pass_.scratch_elements();
    scratch_ =
        lent.size() >= needed ? transport::workspace<T>(lent) : transport::workspace<T>(needed);
  }
  void operator()(std::span<T> chunk) { pass_(chunk.data(), scratch_.elements().data()); }

 private:
  local::coset_sequence<T> pass_;
  transport::workspace<T> scratch_;
};

}  // namespace detail

/// A circuit with controlled gates on a distributed array: a permuter for each of its moves, built
/// once, called often, in place. See circuit_plan for how gates become moves.
/// Memory   the sum of the workspaces of its moves; those that gates share take two cosets of their
///          directions, which stay in a cache. Memory that is lent serves each move that needs no
///          more than it.
/// Errors   as coset_permuter and permuter.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>>
class circuit_permuter {
 public:
  /// Collective.
  template <Communicator C>
  circuit_permuter(C const& communicator, controlled_circuit const& c, L const& l = {},
                   Comm const& policy = {}, std::span<T> lent = {})
      : circuit_permuter(
            communicator, c, l, policy, lent, [](index_t) { return std::string(); },
            "circuit_permuter") {}
  /// The same for a circuit or a single permutation, with one more condition, as coset_permuter has
  /// it.
  template <Communicator C, class Map, class Objection>
  circuit_permuter(C const& communicator, Map const& c, L const& l, Comm const& policy,
                   std::span<T> lent, Objection objection,
                   std::string_view function = "permute of a circuit")
      : comm_(comm::communicator::of(static_cast<MPI_Comm>(communicator))), lent_(lent) {
    comm::objection against;
    std::uint64_t what = 0;
    against.attempt("no memory to plan a circuit", [&] {
      plan_ = make_plan(detail::as_circuit(c), l, static_cast<index_t>(comm_->size()), sizeof(T));
      what = detail::fingerprint_of(*plan_);
      moves_.reserve(plan_->steps().size());
      return objection(chunk_elements());
    });
    const auto facts =
        detail::with(detail::call_facts<T, Element>(function, policy),
                     std::array<comm::common_fact, 2>{{{"number of index bits", c.bits()},
                                                       {"circuit and layout", what, false}}});
    const comm::exclusive_use use(*comm_);
    comm::agree(*comm_, against, facts);
    for (auto const& each : plan_->steps()) add(each, policy);
  }

  /// Permutes the array of which `chunk` is this process's part, in place.
  /// Errors  bad_value where the span has another length, or overlaps the workspace that was lent,
  ///         checked as a permuter does.
  void operator()(std::span<T> chunk) {
    const comm::exclusive_use use(comm::usable(comm_, "this permuter"));
    if constexpr (BMMC_ASSERTION_LEVEL >= 1) {
      const std::string text = detail::objection_to_call<T>(
          {.kind = call_kind::in_place, .lent = lent_}, call_kind::in_place, {chunk, chunk},
          detail::objection_to(chunk_elements(), std::span<T const>(chunk)));
      detail::refuse_call(*comm_, text);
    }
    for (auto& each : moves_) carry_out(each, chunk);
  }

  [[nodiscard]] circuit_plan const& plan() const noexcept { return *plan_; }
  /// How many times data moves.
  [[nodiscard]] std::size_t moves() const noexcept { return moves_.size(); }

 private:
  using physical = layout::processor_major;
  using of_all = permuter<T, Comm, physical, Element>;
  using of_coset = coset_permuter<T, Comm, physical, Element>;

  /// One of three kinds.
  struct move {
    std::optional<of_all> all{};
    std::optional<of_coset> coset{};
    std::optional<detail::joint_pass<T>> joint{};
  };
  void carry_out(move& one, std::span<T> chunk) const {
    if (one.coset) (*one.coset)(chunk);
    if (one.joint) transport::move_together<T>(*comm_, [&] { (*one.joint)(chunk); });
    if (one.all) (*one.all)(chunk);
  }

  [[nodiscard]] index_t chunk_elements() const noexcept {
    return bit(plan_->bits() - plan_->proc_bits());
  }
  void add(circuit_step const& step, Comm const& policy) {
    const MPI_Comm all = comm_->handle();
    const unsigned p = plan_->proc_bits();
    const auto options = [&](index_t needed) {
      return permuter_options<T>{.kind = call_kind::in_place,
                                 .lent = needed <= lent_.size() ? lent_ : std::span<T>()};
    };
    if (step.all) {
      const bmmc::plan moved(*step.all, p);
      moves_.emplace_back().all.emplace(
          all, *step.all, physical{}, policy,
          options(of_all::workspace_elements(moved, call_kind::in_place, policy)));
    } else if (step.on_cosets.size() == 1) {
      const coset_plan moved(step.on_cosets.front(), p);
      moves_.emplace_back().coset.emplace(all, step.on_cosets.front(), physical{}, policy,
                                          options(of_coset::workspace_elements(moved, policy)));
    } else {
      comm::objection against;
      against.attempt("no memory for a pass of several permutations on cosets", [&] {
        moves_.emplace_back().joint.emplace(step.on_cosets, p, static_cast<index_t>(comm_->rank()),
                                            lent_);
      });
      comm::agree(*comm_, against);
    }
  }

  std::shared_ptr<comm::communicator const> comm_;
  std::span<T> lent_;
  std::optional<circuit_plan> plan_;
  std::vector<move> moves_;
};

/// Tells people what a circuit's permuter will do, move by move.
template <class T, class Comm, class L, class Element>
[[nodiscard]] std::string explain(circuit_permuter<T, Comm, L, Element> const& p) {
  return explain(p.plan());
}

/// A circuit's permuter whose policy and layout are deduced.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
[[nodiscard]] circuit_permuter<T, Comm, L, Element> make_permuter(
    C const& communicator, controlled_circuit const& c, L const& l = {}, Comm const& policy = {},
    std::type_identity_t<std::span<T>> lent = {}) {
  return circuit_permuter<T, Comm, L, Element>(communicator, c, l, policy, lent);
}

/// Carries out a circuit with controlled gates on a distributed array, in place.
/// Shape and errors as permute. Repeated? Keep a circuit_permuter.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
             controlled_circuit const& c, L const& l = {}, Comm const& policy = {}) {
  circuit_permuter<T, Comm, L, Element> once(
      communicator, c, l, detail::for_one_call(policy), {},
      [&](index_t elements) { return detail::objection_to(elements, std::span<T const>(chunk)); });
  once(chunk);
}
template <detail::Chunk Chunk, Communicator C, class L = layout::processor_major,
          class Comm = comm::automatic>
void permute(C const& communicator, Chunk&& chunk, controlled_circuit const& c, L const& l = {},
             Comm const& policy = {}) {
  permute<detail::element_of<Chunk>, Comm, L>(communicator, std::span(chunk), c, l, policy);
}

}  // namespace bmmc
