// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/map/one_call.hpp>
#include <bmmc/execution/map/operation.hpp>
#include <bmmc/execution/map/shared_spread.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/plan/explain.hpp>

namespace bmmc {

/// A distributed gather with its plan and buffers: target[y] = source[A y + c] for every target
/// index y. Built once, called often, with other data each time: no allocation and no communication
/// but the data (serialized elements: and their lengths).
///   T        element type
///   Comm     how elements travel: a comm::MapPolicy
///   L        where elements live, on either side: a Layout
///   Element  how elements are written into messages
/// Shape    A has a column for each of m bits of a target index and a row for each of n bits of a
///          source index, and any rank. Each of the 2^p processes, p <= min(m, n), holds 2^(n-p)
///          elements of the source and 2^(m-p) of the target.
/// Messages plan().received(proc), known before data moves: from each process that owns something
///          that this one needs, each element once.
/// Building is collective.
/// Memory   a buffer of the elements received, unless they are received straight into the target.
///          If the elements that others need are not contiguous, they are packed into a second
///          buffer, no larger than the source. On one node, through windows, that buffer alone;
///          both where an element is needed 8 times or more.
/// Errors   bad_value on every process, or on none, with no byte changed; see also operator().
/// Source   Hou, Wang, Ku and Hsu 2001, definition 4 (linear-complement scatter).
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>>
class gatherer {
  static_assert(comm::requires_map_policy<Comm>());
  static_assert(Layout<L>, "L must be a layout: see bmmc/layout/layout.hpp");

 public:
  /// Collective. Keeps what it needs of the communicator, so that the caller's may end before.
  /// `once` holds source and target where they are to be agreed upon with the rest.
  template <Communicator C>
  gatherer(C const& communicator, affine_map const& map, L const& l = {}, Comm const& policy = {},
           std::optional<std::array<std::span<T const>, 2>> once = {})
      : work_(
            static_cast<MPI_Comm>(communicator), policy,
            [&](index_t procs) { return make_gather_plan(map, l, procs); },
            [&](auto const& c, gather_plan const& p, auto node) {
              return detail::make_gather_runner<T, Element>(c, p, policy, std::move(node));
            },
            once) {}

  /// The source stays as it is; the target does not overlap it.
  /// Errors  bad_value for spans of other lengths, checked locally, without communication: the
  ///         contract is that all processes call alike. With BMMC_ASSERTION_LEVEL 2 all throw.
  ///         transport_error where MPI fails.
  void operator()(std::span<T const> source, std::span<T> target) { work_(source, target); }

  /// A source that the processes of a node share: policies that use windows read it where it is.
  void operator()(shared_vector<T> const& source, std::span<T> target) { work_(source, target); }

  [[nodiscard]] gather_plan const& plan() const noexcept { return work_.plan(); }
  /// How the plan is carried out and why, where the policy had a choice.
  [[nodiscard]] std::string choice() const { return work_.choice(); }

 private:
  detail::map_operation<T, Element, Comm, gather_plan, detail::gather_runner<T>> work_;
};

/// A gatherer whose layout and policy are deduced:
/// make_gatherer<double>(world, map, layout, policy).
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
[[nodiscard]] gatherer<T, Comm, L, Element> make_gatherer(C const& communicator,
                                                          affine_map const& map, L const& l = {},
                                                          Comm const& policy = {}) {
  return gatherer<T, Comm, L, Element>(communicator, map, l, policy);
}

/// target[y] = source[A y + c] for every index y of a distributed target: repeats along axes,
/// scales up, picks out every other element. Any A: see gatherer for shape, cost and memory. A call
/// leaves its gatherer for the next one with the same map: see call_limits.
/// Errors   bad_value on every process, or on none, with no byte changed: processes not a power of
///          two or more than elements on either side, spans of the wrong length, a layout that does
///          not fit, processes that disagree. transport_error where MPI fails.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
void gather(C const& communicator, std::type_identity_t<std::span<T const>> source,
            std::type_identity_t<std::span<T>> target, affine_map const& map, L const& l = {},
            Comm const& policy = {}) {
  using made = gatherer<T, Comm, L, Element>;
  const auto make = [&](Comm const& with) {
    return made(communicator, map, l, with, {{source, target}});
  };
  if constexpr (detail::KeepsMapCalls<T, Element, L, Comm>)
    detail::one_map_call<T, Element, gather_plan, detail::gather_runner<T>, made>(
        static_cast<MPI_Comm>(communicator), policy, std::tuple(map, l, policy), source, target,
        make, [](made&) {});
  else
    make(detail::for_one_call(policy))(source, target);
}

/// The same with the element type of the target, which need not be named.
template <detail::Chunk Source, detail::Chunk Target, Communicator C,
          class L = layout::processor_major, class Comm = comm::automatic>
void gather(C const& communicator, Source const& source, Target&& target, affine_map const& map,
            L const& l = {}, Comm const& policy = {}) {
  gather<detail::element_of<Target>, Comm, L>(communicator, std::span(source), std::span(target),
                                              map, l, policy);
}

/// Tells people what a gatherer will do: what each process of it receives, and what was chosen.
template <class T, class Comm, class L, class Element>
[[nodiscard]] std::string explain(gatherer<T, Comm, L, Element> const& g) {
  return explain(g.plan()) + g.choice();
}

}  // namespace bmmc
