// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/map/fold.hpp>
#include <bmmc/execution/map/one_call.hpp>
#include <bmmc/execution/map/operation.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/plan/explain.hpp>

namespace bmmc {

/// Combines two elements into one, as operations of Boost.MPI do: std::plus<T>,
/// boost::mpi::maximum<T>, any function object. Where it throws for elements that travel as bytes
/// the program ends (std::terminate), since other processes wait for what it would have made; for
/// elements that are serialized all processes throw bad_value.
template <class Op, class T>
concept Combines = requires(Op& op, T const& a, T const& b) { static_cast<T>(op(a, b)); };

/// Options of a reducer, behind layout and policy, by name: {.unreached = -1}.
template <class T>
struct reducer_options {
  T unreached{};  ///< of places that no element is added to
};

/// A distributed reduction with its plan and buffers: target[y] = op over all source[x] with
/// A x + c = y. Built once, called often, with other data each time: no allocation and no
/// communication but the data (serialized elements: and their lengths).
///   T, Comm, L, Element  as for gatherer;  Op  how two elements are combined: see Combines
/// Shape    A has a column for each of n bits of a source index and a row for each of m bits of a
///          target index, and any rank. Each of the 2^p processes, p <= min(m, n), holds 2^(n-p)
///          elements of the source and 2^(m-p) of the target.
/// Order    op is applied from the left, op(op(a, b), c). For each y and each process, first the
///          elements x of its own with A x + c = y, in ascending order of their offsets there; then
///          these partial results, in ascending order of (their process xor the process of y): y's
///          own first. So op need not commute, and floating-point results are the same in every
///          run; they depend on the layout and on the number of processes.
/// Nothing  A y that no x reaches gets options.unreached.
/// Messages plan().received(proc), known before data moves: from each process that has something to
///          add here, one value for each of the places it adds to.
/// Building is collective.
/// Memory   what a process sends, unless that is the source as it stands; all elements that are
///          reached, where blocks are not whole lines of 64 bytes of the target; and comm::sendrecv
///          one part of 1 MiB, comm::pipelined those that are under way, comm::alltoallv all that
///          is received. Through windows of one node what a process sends; of several 2 MiB more.
/// Errors   bad_value on every process, or on none, with no byte changed; see also operator().
/// Source   Hou, Wang, Ku and Hsu 2001, definition 3 (linear-complement gather).
template <class T, class Op = std::plus<>, class Comm = comm::automatic,
          class L = layout::processor_major, class Element = element::default_for<T>>
class reducer {
  static_assert(Combines<Op, T>, "Op must combine two elements into one");
  static_assert(comm::requires_map_policy<Comm>());
  static_assert(Layout<L>, "L must be a layout: see bmmc/layout/layout.hpp");
  using runner = detail::reduce_runner<T, Op>;

 public:
  /// Collective. Keeps what it needs of the communicator, so that the caller's may end before.
  /// `once` holds source and target where they are to be agreed upon with the rest.
  template <Communicator C>
  reducer(C const& communicator, affine_map const& map, Op const& op = {}, L const& l = {},
          Comm const& policy = {}, reducer_options<T> const& options = {},
          std::optional<std::array<std::span<T const>, 2>> once = {})
      : work_(
            static_cast<MPI_Comm>(communicator), policy,
            [&](index_t procs) { return make_reduce_plan(map, l, procs); },
            [&](auto const& c, reduce_plan const& p, auto node) {
              return std::make_unique<runner>(
                  c, p, op, options.unreached, std::move(node), [&](detail::map_blocks work) {
                    return detail::blocks_by<T, Element>(std::move(work), policy);
                  });
            },
            once) {}

  /// The source stays as it is; the target does not overlap it.
  /// Errors  as gatherer's.
  void operator()(std::span<T const> source, std::span<T> target) { work_(source, target); }

  /// A source that the processes of a node share: policies that use windows read it where it is,
  /// if nothing is combined before.
  void operator()(shared_vector<T> const& source, std::span<T> target) { work_(source, target); }

  /// From the next call on. By each process itself.
  void set_unreached(T const& value) {
    work_.for_each_runner([&](runner& each) { each.set_unreached(value); });
  }

  [[nodiscard]] reduce_plan const& plan() const noexcept { return work_.plan(); }
  /// How the plan is carried out and why, where the policy had a choice.
  [[nodiscard]] std::string choice() const { return work_.choice(); }

 private:
  detail::map_operation<T, Element, Comm, reduce_plan, runner> work_;
};

/// A reducer whose operation, layout and policy are deduced:
/// make_reducer<double>(world, map, std::plus<>(), layout, policy).
template <class T, class Op = std::plus<>, class Comm = comm::automatic,
          class L = layout::processor_major, class Element = element::default_for<T>,
          Communicator C>
[[nodiscard]] reducer<T, Op, Comm, L, Element> make_reducer(
    C const& communicator, affine_map const& map, Op const& op = {}, L const& l = {},
    Comm const& policy = {}, reducer_options<T> const& options = {}) {
  return reducer<T, Op, Comm, L, Element>(communicator, map, op, l, policy, options);
}

/// target[y] = op over all source[x] with A x + c = y, for every index y of a distributed target:
/// sums over axes, scales down. Any A: see reducer for shape, order, cost and memory.
/// Errors  as gather.
template <class T, class Op = std::plus<>, class Comm = comm::automatic,
          class L = layout::processor_major, class Element = element::default_for<T>,
          Communicator C>
void reduce(C const& communicator, std::type_identity_t<std::span<T const>> source,
            std::type_identity_t<std::span<T>> target, affine_map const& map, Op const& op = {},
            L const& l = {}, Comm const& policy = {},
            std::type_identity_t<reducer_options<T>> const& options = {}) {
  using made = reducer<T, Op, Comm, L, Element>;
  const auto make = [&](Comm const& with) {
    return made(communicator, map, op, l, with, options, {{source, target}});
  };
  const auto again = [&](made& kept) { kept.set_unreached(options.unreached); };
  if constexpr (std::is_empty_v<Op> && detail::KeepsMapCalls<T, Element, L, Comm>)
    detail::one_map_call<T, Element, reduce_plan, detail::reduce_runner<T, Op>, made>(
        static_cast<MPI_Comm>(communicator), policy, std::tuple(map, l, policy), source, target,
        make, again);
  else
    make(detail::for_one_call(policy))(source, target);
}

/// The same with the element type of the target, which need not be named.
template <detail::Chunk Source, detail::Chunk Target, Communicator C, class Op = std::plus<>,
          class L = layout::processor_major, class Comm = comm::automatic>
void reduce(C const& communicator, Source const& source, Target&& target, affine_map const& map,
            Op const& op = {}, L const& l = {}, Comm const& policy = {},
            reducer_options<detail::element_of<Target>> const& options = {}) {
  reduce<detail::element_of<Target>, Op, Comm, L>(communicator, std::span(source),
                                                  std::span(target), map, op, l, policy, options);
}

/// Tells people what a reducer will do: what each process of it receives, and what was chosen.
template <class T, class Op, class Comm, class L, class Element>
[[nodiscard]] std::string explain(reducer<T, Op, Comm, L, Element> const& r) {
  return explain(r.plan()) + r.choice();
}

}  // namespace bmmc
