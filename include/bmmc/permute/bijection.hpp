// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/route/bitonic.hpp>
#include <bmmc/execution/route/listed.hpp>
#include <bmmc/execution/route/routed.hpp>
#include <bmmc/index/bijection.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/plan/digit_route.hpp>
#include <bmmc/plan/route_tables.hpp>

namespace bmmc {

/// A permutation given only as a list that is distributed as the elements are: on each process,
/// targets[i] is the index that its i-th element goes to.
struct target_list {
  std::span<index_t const> targets;
};

namespace detail {

/// What tells digit permutations apart: extents, axes and what happens along each.
[[nodiscard]] inline comm::common_fact fact_of(digit_permutation const& p) {
  index_t hash = p.order();
  for (unsigned k = 0; k < p.order(); ++k) {
    const auto s = p.along(k);
    for (const index_t word : {s.size(), index_t{p.axes()[k]}, s.multiplier(), s.shift()})
      hash = pair_hash(hash, word);
  }
  return {"permutation of axes", hash, false};
}

/// One permutation of a distributed array that need not be affine, over any number of processes.
template <class T, class Comm, class Element>
class any_permutation {
 public:
  /// `function` tells what kind of bijection it is.
  any_permutation(std::shared_ptr<comm::communicator const> c, std::span<T const> source,
                  std::span<T> target, bool in_place, std::string_view function)
      : comm_(std::move(c)),
        source_(source),
        target_(target),
        in_place_(in_place),
        function_(function) {}

  void operator()(target_list const& list) {
    agree({});
    count_elements(comm::sum_of(*comm_, list.targets.size()));
    attempt([&] {
      if (list.targets.size() != layout_.count(me()))
        throw bad_value(detail::text(
            {"the list must hold ", layout_.count(me()), " targets, not ", list.targets.size()}));
    });
    const auto target_of = [&](index_t i) { return list.targets[i]; };
    if constexpr (std::same_as<Comm, comm::bitonic>) {
      sort(target_of, {});
    } else {
      listed_route made(*comm_, layout_, list.targets);
      attempt([&] { made.prepare(); });
      agree({});
      const table_route route = made.finish();
      carry_out(route, {});
    }
  }

  void operator()(stride_permutation const& s) {
    count_elements(s.size());
    const std::array<comm::common_fact, 2> facts{
        {{"stride", s.multiplier()}, {"shift", s.shift()}}};
    if constexpr (std::same_as<Comm, comm::bitonic>)
      sort([&](index_t i) { return s(layout_.first(me()) + i); }, facts);
    else
      carry_out_made([&] { return stride_route(s, layout_, me()); }, facts);
  }

  void operator()(digit_permutation const& p) {
    count_elements(p.size());
    std::array<comm::common_fact, 1> facts{{{"permutation of axes", 0, false}}};
    attempt([&] { facts[0] = fact_of(p); });
    if constexpr (std::same_as<Comm, comm::bitonic>)
      sort([&](index_t i) { return p(layout_.first(me()) + i); }, facts);
    else
      carry_out_made([&] { return digit_route(p, layout_, me()); }, facts);
  }

  template <IndexBijection B>
  void operator()(B const& b) {
    count_elements(index_count(b));
    const index_t first = layout_.first(me());
    if constexpr (std::same_as<Comm, comm::bitonic>) {
      sort([&](index_t i) { return b(first + i); }, {});
    } else {
      const auto back = inverse(b);
      index_t balance = 0;  // of all pairs (x, y) as their sources and as their targets see them
      table_route::side sent, received;
      attempt([&] {
        std::vector<index_t> targets(layout_.count(me()));
        for (index_t i = 0; i < targets.size(); ++i) {
          targets[i] = b(first + i);
          balance += pair_hash(first + i, targets[i]);
        }
        sent = grouped_by_target(layout_, me(), targets);
      });
      attempt([&] {
        received = sorted_by_source(layout_, me(), [&](index_t i) {
          const index_t source = back(first + i);
          balance -= pair_hash(source, first + i);
          return source;
        });
      });
      agree({});
      if (comm::sum_of(*comm_, balance) != 0)
        throw bad_value(
            "the bijection and its inverse do not undo each other, or processes disagree on it");
      const table_route route(std::move(sent), std::move(received), me());
      carry_out(route, {});
    }
  }

 private:
  [[nodiscard]] index_t me() const { return static_cast<index_t>(comm_->rank()); }
  void attempt(auto&& work) {
    objection_.attempt("no memory for the tables and buffers of a permutation", work);
  }

  void count_elements(index_t elements) {
    attempt([&] {
      layout_ = layout::blocks(elements, static_cast<index_t>(comm_->size()));
      if (source_.size() != layout_.count(me()) || target_.size() != source_.size())
        throw bad_value(detail::text(
            {"of ", elements, " elements this process must hold ", layout_.count(me()), ", not ",
             source_.size() == layout_.count(me()) ? target_.size() : source_.size()}));
      if (!in_place_ && local::overlap(source_, std::span<T const>(target_)))
        throw bad_value("source and target overlap");
    });
  }

  void agree(std::span<comm::common_fact const> more) {
    auto facts =
        detail::with(detail::call_facts<T, Element>(function_, Comm()),
                     std::array<comm::common_fact, 4>{
                         {kind_fact(in_place_ ? call_kind::in_place : call_kind::between_spans),
                          {"number of elements", layout_.elements()}}});
    std::copy(more.begin(), more.end(), facts.end() - 2);
    comm::agree(*comm_, objection_, facts);
  }

  void carry_out_made(auto make_route, std::span<comm::common_fact const> facts) {
    std::optional<decltype(make_route())> route;
    attempt([&] { route.emplace(make_route()); });
    if (!route) return agree(facts);  // which throws
    carry_out(*route, facts);
  }

  template <Route R>
  void carry_out(R const& route, std::span<comm::common_fact const> facts) {
    std::optional<route_runner<T, Element, R>> move;
    attempt([&] { move.emplace(*comm_, route, in_place_, layout_.count(me())); });
    agree(facts);
    (*move)(source_.data(), target_.data());
  }

  template <class F>
  void sort(F target_of, std::span<comm::common_fact const> facts) {
    std::optional<bitonic_execution<T, Element>> move;
    attempt([&] {
      if (!std::has_single_bit(layout_.procs()))
        throw bad_value(detail::text(
            {"comm::bitonic needs a power of two of processes, not ", layout_.procs()}));
      move.emplace(*comm_, layout_);
      move->prepare(target_of, source_.data());
    });
    agree(facts);
    (*move)(target_.data());
  }

  std::shared_ptr<comm::communicator const> comm_;
  comm::exclusive_use use_{*comm_};
  std::span<T const> source_;
  std::span<T> target_;
  bool in_place_;
  std::string_view function_;
  layout::blocks layout_;
  comm::objection objection_;
};

/// What is permuted by rounds or by sorting: anything but an affine map, which has a better way.
template <class B>
concept NotAffine = std::same_as<B, target_list> || (IndexBijection<B> && !is_affine<B>);

/// What processes call a permutation of a kind.
template <class B>
[[nodiscard]] constexpr std::string_view function_of() {
  return std::same_as<B, target_list>          ? "permute by a list of targets"
         : std::same_as<B, stride_permutation> ? "permute by a stride"
         : std::same_as<B, digit_permutation>  ? "permute along axes"
                                               : "permute by a bijection";
}

template <class T, class Comm, class Element, class B>
void permute_any(std::shared_ptr<comm::communicator const> c, std::span<T const> source,
                 std::span<T> target, bool in_place, B const& b) {
  static_assert(comm::RaggedPolicy<Comm>,
                "a permutation that is not affine has blocks of different lengths: its policy is "
                "comm::pairwise or comm::bitonic");
  any_permutation<T, Comm, Element>(std::move(c), source, target, in_place, function_of<B>())(b);
}

/// Whether a bijection of this type may be an affine permutation, which has a plan.
template <class Comm, class B>
inline constexpr bool may_have_plan =
    std::same_as<Comm, comm::pairwise> &&
    (std::same_as<B, as_bijection> || std::same_as<B, digit_permutation>);

/// The affine permutation that this one is, where it is one and the processes allow a plan.
[[nodiscard]] inline std::optional<permutation<>> planned(comm::communicator const& c,
                                                          as_bijection const& b) {
  if (!std::has_single_bit(static_cast<index_t>(c.size()))) return std::nullopt;
  return b.map();
}
/// Here the values tell, so processes agree on them first.
[[nodiscard]] inline std::optional<permutation<>> planned(comm::communicator const& c,
                                                          digit_permutation const& p) {
  if (!std::has_single_bit(static_cast<index_t>(c.size()))) return std::nullopt;
  const comm::exclusive_use use(c);
  std::array<comm::common_fact, 3> facts{
      {function_fact("permute along axes"), {"number of elements", p.size()}, {}}};
  comm::objection against;
  std::optional<permutation<>> affine;
  against.attempt("no memory for the tables of a permutation of axes", [&] {
    facts[2] = fact_of(p);
    if (p.size() >= static_cast<index_t>(c.size())) affine = as_affine(p);
  });
  comm::agree(c, against, facts);
  return affine;
}

}  // namespace detail
/// Permutes a distributed array by a bijection b of its indices that need not be affine: the
/// element at x goes to b(x). N elements on P processes, neither of them a power of two.
/// Shape   block layout: consecutive indices, the first N mod P processes hold one element more.
///   stride_permutation  no index travels and no table is made; exactly the elements that change
///                       their process are sent.
///   digit_permutation   the axes of an array of any extents: as a stride permutation; where it is
///                       affine and P is a power of two (and N >= P) by a plan.
///   as_bijection        an affine permutation: by a plan where P is a power of two (and N >= P).
///   IndexBijection      no index travels. Tables of two words per element, five while they are
///                       made; b and its inverse are called once for each element.
///   target_list         one word per element that leaves travels before the elements do.
/// Cost    comm::pairwise: at most P - 1 messages per process, in parts of 1 MiB, and a pass over
///         the chunk on either side. comm::bitonic: see there; P must be a power of two.
/// Memory  in place one chunk and 2 MiB; from a source to a target 2 MiB. Serialized elements need
///         their bytes and the longest message received instead. comm::bitonic: see there.
/// Errors  bad_value on every process, or on none, with the data untouched, before an element is
///         sent: a chunk of the wrong length, processes that disagree, a bijection that its inverse
///         does not undo, a list that is no permutation (with comm::bitonic that shows after the
///         sort, still before the chunk is written). transport_error where MPI fails.
/// Source  Orcutt 1974, sections VI and VII.
template <class T, class Comm = comm::pairwise, class Element = element::default_for<T>,
          Communicator C, detail::NotAffine B>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk, B const& b,
             Comm const& = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if constexpr (detail::may_have_plan<Comm, B>)
    if (const auto p = detail::planned(*c, b))
      return permute<T, comm::automatic, layout::processor_major, Element>(communicator, chunk, *p);
  detail::permute_any<T, Comm, Element>(c, std::span<T const>(chunk), chunk, true, b);
}

/// The same from a source, which stays as it is, to a target that does not overlap it.
template <class T, class Comm = comm::pairwise, class Element = element::default_for<T>,
          Communicator C, detail::NotAffine B>
void permute(C const& communicator, std::type_identity_t<std::span<T const>> source,
             std::type_identity_t<std::span<T>> target, B const& b, Comm const& = {}) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  if constexpr (detail::may_have_plan<Comm, B>)
    if (const auto p = detail::planned(*c, b))
      return permute<T, comm::automatic, layout::processor_major, Element>(communicator, source,
                                                                           target, *p);
  detail::permute_any<T, Comm, Element>(c, source, target, false, b);
}

}  // namespace bmmc
