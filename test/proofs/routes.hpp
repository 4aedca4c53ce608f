// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/digit_route.hpp>
#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/route_tables.hpp>

#include "cases.hpp"

namespace proofs {

/// A route sends every element once: `route_of(k)` is what process k knows of the bijection `to` of
/// elements in blocks. What k sends to l is, in this order, what l expects from k.
template <class RouteOf>
void check_route(std::vector<number> const& to, number procs, RouteOf route_of) {
  std::vector<number> first(procs + 1, 0);
  for (number k = 0; k < procs; ++k)
    first[k + 1] = first[k] + to.size() / procs + (k < to.size() % procs ? 1 : 0);
  std::vector<number> arrived(to.size(), nowhere), left(to.size(), 0);
  const auto move = [&](number x, number y) {
    require(x < to.size() && y < to.size() && to[x] == y, "a route leads to the target");
    require(left[x]++ == 0 && arrived[y] == nowhere, "a route takes each element once");
    arrived[y] = x;
  };
  for (number k = 0; k < procs; ++k) {
    const auto sender = route_of(k);
    sender.each_kept([&](number from, number at) { move(first[k] + from, first[k] + at); });
    for (number l = 0; l < procs; ++l) {
      if (l == k) continue;
      const auto receiver = route_of(l);
      const number elements = sender.sent(l);
      require(elements == receiver.received(k), "both sides count the same elements");
      std::vector<number> from, at;
      auto sending = sender.sending(l);
      auto receiving = receiver.receiving(k);
      sending.take(elements, [&](number o) { from.push_back(first[k] + o); });
      receiving.take(elements, [&](number o) { at.push_back(first[l] + o); });
      require(from.size() == elements && at.size() == elements, "a cursor takes what it is told");
      for (number i = 0; i < elements; ++i) move(from[i], at[i]);
    }
  }
  require(std::find(arrived.begin(), arrived.end(), nowhere) == arrived.end(),
          "a route takes every element");
}

/// All permutations of up to six elements by tables, on one to six processes.
inline number check_tables() {
  number routes = 0;
  for (number elements = 1; elements <= 6; ++elements) {
    std::vector<number> to(elements);
    std::iota(to.begin(), to.end(), number{0});
    do {
      std::vector<number> from(elements);
      for (number x = 0; x < elements; ++x) from[to[x]] = x;
      for (number procs = 1; procs <= elements; ++procs, ++routes) {
        const bmmc::layout::blocks layout(elements, procs);
        check_route(to, procs, [&](number k) {
          const auto targets =
              std::span<number const>(to).subspan(layout.first(k), layout.count(k));
          return bmmc::table_route(
              bmmc::detail::grouped_by_target(layout, k, targets),
              bmmc::detail::sorted_by_source(layout, k,
                                             [&](number i) { return from[layout.first(k) + i]; }),
              k);
        });
      }
    } while (std::next_permutation(to.begin(), to.end()));
  }
  return routes;
}

/// All strides and shifts of up to twelve elements, on one to twelve processes.
inline number check_strides() {
  number routes = 0;
  for (number elements = 1; elements <= 12; ++elements)
    for (number q = 1; q <= elements; ++q)
      for (number shift = 0; shift < elements && std::gcd(q, elements) == 1; ++shift) {
        std::vector<number> to(elements);
        for (number x = 0; x < elements; ++x) to[x] = (q * x + shift) % elements;
        const bmmc::stride_permutation s(elements, q, shift);
        for (number procs = 1; procs <= elements; ++procs, ++routes)
          check_route(to, procs, [&](number k) {
            return bmmc::stride_route(s, bmmc::layout::blocks(elements, procs), k);
          });
      }
  return routes;
}

/// Three axes of up to four elements each in every order, on one to seven processes.
inline number check_axes() {
  number routes = 0;
  std::array<unsigned, 3> order{0, 1, 2};
  do {
    for (number shape = 0; shape < 64; ++shape) {
      const std::array<number, 3> extent{1 + shape % 4, 1 + shape / 4 % 4, 1 + shape / 16};
      const number elements = extent[0] * extent[1] * extent[2];
      std::vector<number> to(elements);
      for (number x = 0; x < elements; ++x) {
        const std::array<number, 3> at{x / extent[2] / extent[1], x / extent[2] % extent[1],
                                       x % extent[2]};
        to[x] = (at[order[0]] * extent[order[1]] + at[order[1]]) * extent[order[2]] + at[order[2]];
      }
      const auto p = bmmc::axis_permutation(bmmc::extents{extent[0], extent[1], extent[2]},
                                            {order[0], order[1], order[2]});
      for (number procs = 1; procs <= std::min<number>(7, elements); ++procs, ++routes)
        check_route(to, procs, [&](number k) {
          return bmmc::digit_route(p, bmmc::layout::blocks(elements, procs), k);
        });
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return routes;
}

/// gather and reduce by any map of up to three bits: the list of a process has each address that it
/// needs once, and the blocks of all processes fill it once with the values at these addresses.
inline void check_blocks(bmmc::map_plan const& plan, std::vector<number> const& to) {
  const number here = plan.domain_elements(), there = plan.image_elements();
  std::vector<std::vector<number>> lists(plan.procs());
  for (auto& list : lists) list.assign(plan.list_elements(), nowhere);
  for (number c = 0; c < plan.procs(); ++c) {
    const auto users = plan.of_image(c);
    for (number t = 0; t < users.count; ++t)
      for (number j = 0; j < plan.block_elements(); ++j) {
        const number offset = users.positions(t) ^ image(plan.block(), j);
        number& place = lists[users.procs(t)].at(plan.place_in_list(c) + j);
        require(offset < there && place == nowhere, "a place of a list is filled once");
        place = c * there + offset;
      }
  }
  for (number d = 0; d < plan.procs(); ++d) {
    const auto owners = plan.of_domain(d);
    number announced = 0;
    for (number s = 0; s < owners.count; ++s, announced += plan.block_elements())
      for (number j = 0; j < plan.block_elements(); ++j)
        require(lists[d].at(owners.positions(s) + j) / there == owners.procs(s),
                "a block comes from the process that owns it");
    require(announced == plan.list_elements(), "the blocks of a list are all of it");
    const auto list = plan.list(d);
    std::vector<number> used(lists[d].size(), 0);
    for (number o = 0; o < here; ++o) {
      const number place = list(o);
      require(lists[d].at(place) == to[d * here + o], "each element finds the value at A y + c");
      used[place] = 1;
    }
    require(std::accumulate(used.begin(), used.end(), number{0}) == used.size(),
            "nothing is sent that is not used");
  }
}
inline number check_maps() {
  number maps = 0;
  current = {};
  for (unsigned rows = 0; rows <= 3; ++rows)
    for (unsigned cols = 0; cols <= 3; ++cols)
      for (number entries = 0; entries < number{1} << rows * cols; ++entries)
        for (number c = 0; c < number{1} << rows; ++c)
          for (unsigned p = 0; p <= std::min(rows, cols); ++p, ++maps) {
            bmmc::affine_map map{{rows, cols}, c};
            for (unsigned j = 0; j < cols; ++j)
              map.matrix.column[j] = entries >> j * rows & ((number{1} << rows) - 1);
            current = {cols, {}, c, {}};
            current_procs = p;
            std::vector<number> to(number{1} << cols);
            for (number y = 0; y < to.size(); ++y) {
              to[y] = c;
              for (unsigned j = 0; j < cols; ++j)
                if ((y >> j & 1) != 0) to[y] ^= entries >> j * rows & ((number{1} << rows) - 1);
            }
            for (unsigned j = 0; j < cols; ++j) current.column[j] = map.matrix.column[j];
            check_blocks(bmmc::map_plan(map, p), to);
          }
  return maps;
}

inline void check_routes() {
  current = {};
  report("routes of permutations in tables: each element is sent once", check_tables());
  report("routes of strides", check_strides());
  report("routes of three axes", check_axes());
  report("maps of gather and reduce: each value that is needed arrives, once", check_maps());
}

}  // namespace proofs
