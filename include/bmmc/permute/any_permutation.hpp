// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/execution/route/bitonic.hpp>
#include <bmmc/execution/route/exchanged.hpp>
#include <bmmc/execution/route/listed.hpp>
#include <bmmc/execution/route/routed.hpp>
#include <bmmc/index/bijection.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/permuter/options.hpp>
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

/// Throws bad_value with the first of `count` indices from `first` on that `back` does not take
/// back to where b took it from.
template <class B, class Back>
void require_undone(B const& b, Back const& back, index_t first, index_t count) {
  for (index_t x = first; x < first + count; ++x)
    if (const index_t y = b(x), z = back(y); z != x)
      refuse({"the bijection and its inverse do not undo each other: index ", x, " is sent to ", y,
              ", and the inverse takes that to ", z});
}

/// One permutation of a distributed array that need not be affine, over any number of processes.
template <class T, class Comm, class Element>
class any_permutation {
 public:
  /// `function` tells what kind of bijection it is.
  any_permutation(std::shared_ptr<comm::communicator const> c, Comm const& policy,
                  std::span<T const> source, std::span<T> target, bool in_place,
                  std::string_view function)
      : comm_(std::move(c)),
        policy_(policy),
        source_(source),
        target_(target),
        in_place_(in_place),
        function_(function) {}

  void operator()(target_list const& list) {
    agree({});
    count_elements(comm::sum_of(*comm_, list.targets.size()));
    attempt([&] {
      if (list.targets.size() != layout_.count(me()))
        detail::refuse(
            {"the list must hold ", layout_.count(me()), " targets, not ", list.targets.size()});
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
      std::optional<decltype(inverse(b))> back;
      index_t balance = 0;  // of all pairs (x, y) as their sources and as their targets see them
      table_route::side sent, received;
      attempt([&] { back.emplace(inverse(b)); });
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
          const index_t source = (*back)(first + i);
          balance -= pair_hash(source, first + i);
          return source;
        });
      });
      agree({});
      if (comm::sum_of(*comm_, balance) != 0) {
        attempt([&] { require_undone(b, *back, first, source_.size()); });
        agree({});
        throw bad_value("processes disagree on the bijection, or on its inverse");
      }
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
        detail::refuse({"of ", elements, " elements this process must hold ", layout_.count(me()),
                        ", not ",
                        source_.size() == layout_.count(me()) ? target_.size() : source_.size()});
      if (!in_place_ && local::overlap(source_, std::span<T const>(target_)))
        throw bad_value("source and target overlap");
    });
  }

  void agree(std::span<comm::common_fact const> more) {
    auto facts =
        detail::with(detail::call_facts<T, Element>(function_, policy_),
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
    const auto run = [&](auto move, auto&&... arguments) {
      attempt([&] { move.emplace(arguments..., in_place_, layout_.count(me())); });
      agree(facts);
      (*move)(source_.data(), target_.data());
    };
    if constexpr (std::same_as<Comm, comm::pairwise>)
      run(std::optional<route_runner<T, Element, R>>(), *comm_, route);
    else
      run(std::optional<exchanged_route<T, Element, Comm, R>>(), comm_, route, policy_);
  }

  template <class F>
  void sort(F target_of, std::span<comm::common_fact const> facts) {
    std::optional<bitonic_execution<T, Element>> move;
    attempt([&] {
      if (!std::has_single_bit(layout_.procs()))
        detail::refuse({"comm::bitonic needs a power of two of processes, not ", layout_.procs()});
      move.emplace(*comm_, layout_);
      move->prepare(target_of, source_.data());
    });
    agree(facts);
    (*move)(target_.data());
  }

  std::shared_ptr<comm::communicator const> comm_;
  comm::exclusive_use use_{*comm_};
  Comm policy_;
  std::span<T const> source_;
  std::span<T> target_;
  bool in_place_;
  std::string_view function_;
  layout::blocks layout_;
  comm::objection objection_;
};

}  // namespace detail

}  // namespace bmmc
