// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tuple>

#include <bmmc/reshape/cube_swaps.hpp>

namespace bmmc {

// An exchange leaves half of the channels of its dimension idle: those between nodes that do not
// exchange. A spare dimension leads there and back, so a second way, of three channels, has the
// same bandwidth as the direct one. All schedules here send about half of the data either way.

namespace detail {
/// Whether the node at y takes part in an exchange.
[[nodiscard]] constexpr bool takes_part(conditional_exchange const& e, index_t y) noexcept {
  return e(y) != y;
}
/// Throws bad_value unless the neighbours across the spare dimension are idle where e is busy.
constexpr void require_spare(unsigned n, dimension_order const& order, exchange_list const& list,
                             dimension_order const& spares) {
  for (unsigned j = 0; j < list.size(); ++j) {
    const unsigned d = list[j].dimension;
    const unsigned s = d < 64 && j < spares.size() ? spares[j] : 64;
    bool changes = s >= n;
    for (unsigned k : order) changes = changes || k == s;
    if (changes || (list[j].row & bit(s)) == 0)
      throw bad_value("dimension " + std::to_string(d) + " needs a spare dimension that does not " +
                      "change and that decides its exchange; " + std::to_string(s) + " is none");
  }
}
}  // namespace detail

/// Two pipelines: the first elements of a node take the direct ways, the others a detour over
/// spares[j] around the dimension order[j]. With K >= 2 delta elements that takes
/// ceil(K / 2) + 2 delta - 1 steps; with fewer, all go directly, in K + delta - 1.
/// Shape   p splits or merges Gray coded axes, say; `order` is ascending, and every dimension has a
///         spare of its own, above it, that p does not change.
/// Errors  bad_value where a spare is none: it must decide the exchange that it is for, as every
///         dimension above does in ascending order. In another order it may not: where exchanges
///         between the two are done before, they cancel it. A spare that serves two dimensions
///         gives a schedule with channel conflicts, which fault_of finds.
/// Source  Johnsson and Ho 1990, theorem 4, with the conditions that its proof uses.
[[nodiscard]] inline schedule two_path_schedule(permutation<> const& p, unsigned elements,
                                                dimension_order const& order,
                                                dimension_order const& spares) {
  const auto exchanges = detail::active_exchanges(p, order);
  detail::require_spare(p.bits(), order, exchanges, spares);
  const unsigned delta = exchanges.size();
  const unsigned direct =
      elements < 2 * delta ? elements : elements / 2 + elements % 2 + (delta == 0 ? 0 : delta);
  detail::schedule_builder s(p.bits(), elements);
  for (index_t x = 0; x < bit(p.bits()); ++x)
    for (unsigned k = 0; k < elements; ++k)
      for (unsigned j = 0; j < delta; ++j) {
        if (k < direct) {
          s.exchange(k + j, x, k, exchanges[j]);
        } else if (detail::takes_part(exchanges[j], s.place(x, k))) {
          const unsigned step = k - direct + 3 * j;
          s.cross(step, x, k, spares[j]);
          s.cross(step + 1, x, k, exchanges[j].dimension);
          s.cross(step + 2, x, k, spares[j]);
        }
      }
  return s.take();
}

namespace detail {

/// One part of the data in the square of one dimension and its spare, phase after phase: which
/// steps of the direct channel and of the detour belong to which phase. Phase t has about
/// [t h, t h + h). Where the same two nodes exchange in the next phase, its detour starts before
/// the direct channel is free; where the other two do, its direct channels are idle already.
struct square_phase {
  unsigned direct_from, direct_until, detour_from, detour_until;  // half open; steps of first hops
};
[[nodiscard]] constexpr square_phase phase_of(unsigned phase, unsigned phases, unsigned h,
                                              bool turned_before, bool turns_after) noexcept {
  const unsigned start = phase * h, end = start + h;
  square_phase q{start + 1, end + 1, start == 0 ? 0 : start - 1, end - 1};
  if (phase == 0) q.direct_from = q.detour_from = 0;
  if (turned_before) q.direct_from = start - 1, q.detour_from = start + 1;
  if (turns_after) q.direct_until = end + 2, q.detour_until = end < 2 ? 0 : end - 2;
  if (phase + 1 == phases) q.direct_until = end + 1, q.detour_until = end - 1;
  q.detour_until = std::max(q.detour_until, q.detour_from);
  return q;
}

/// Sends the elements of one part that started on one node through one square, in the steps of
/// their phase. They wait in order of arrival, and are left so.
inline void send_through_square(schedule_builder& s, index_t source, std::vector<unsigned>& waiting,
                                unsigned dimension, unsigned spare, square_phase const& q) {
  struct slot {
    unsigned step;
    bool detour;
  };
  std::vector<slot> slots;
  for (unsigned step = q.direct_from; step < q.direct_until; ++step) slots.push_back({step, false});
  for (unsigned step = q.detour_from; step < q.detour_until; ++step) slots.push_back({step, true});
  const auto arrival = [](slot const& a) { return a.step + (a.detour ? 3 : 1); };
  const auto used = slots.begin() + static_cast<std::ptrdiff_t>(waiting.size());
  std::sort(slots.begin(), slots.end(), [&](slot const& a, slot const& b) {  // the fastest ways
    return std::tuple(arrival(a), a.step) < std::tuple(arrival(b), b.step);
  });
  std::sort(slots.begin(), used, [](slot const& a, slot const& b) {  // in order of departure
    return std::tuple(a.step, a.detour) < std::tuple(b.step, b.detour);
  });
  std::vector<std::pair<unsigned, unsigned>> arrivals;  // step, number
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [step, detour] = slots[i];
    const unsigned number = waiting[i];
    if (detour) s.cross(step, source, number, spare);
    s.cross(detour ? step + 1 : step, source, number, dimension);
    if (detour) s.cross(step + 2, source, number, spare);
    arrivals.emplace_back(arrival(slots[i]), number);
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (std::size_t i = 0; i < arrivals.size(); ++i) waiting[i] = arrivals[i].second;
}

/// The phases of all parts overlap by two steps, or, where `overlap` is false, not at all. With
/// `as_printed` the schedule is the one in the paper's proof, which has channel conflicts.
[[nodiscard]] inline schedule square_schedule(permutation<> const& p, unsigned elements,
                                              dimension_order const& order, bool overlap,
                                              bool as_printed) {
  const unsigned parts = order.size(), n = p.bits();
  schedule_builder s(n, elements);
  if (parts == 0) return s.take();
  dimension_order spares;
  for (unsigned d : order) spares.push_back(d + 1);
  std::vector<exchange_list> lists;  // of each part
  for (unsigned m = 0; m < parts; ++m) {
    lists.push_back(active_exchanges(p, rotated(order, m)));
    require_spare(n, order, lists[m], rotated(spares, m));
  }
  const unsigned part_elements = (elements + parts - 1) / parts, h = (part_elements + 1) / 2;
  // whether other nodes of a square exchange in phase t than in the phase before
  const auto turned = [&](unsigned i, unsigned t, index_t y) {
    if (t == 0 || t >= parts || as_printed || !overlap) return false;
    const unsigned now = (i + parts - t) % parts, before = (i + parts - t + 1) % parts;
    return takes_part(lists[now][t], y) != takes_part(lists[before][t - 1], y);
  };
  for (unsigned m = 0; m < parts; ++m)
    for (index_t x = 0; x < bit(n); ++x) {
      std::vector<unsigned> waiting;
      for (unsigned k = m * part_elements; k < std::min(elements, (m + 1) * part_elements); ++k)
        waiting.push_back(k);
      for (unsigned t = 0; t < parts && !waiting.empty(); ++t) {
        const index_t y = s.place(x, waiting[0]);
        const unsigned i = (m + t) % parts;
        if (!takes_part(lists[m][t], y)) continue;
        square_phase q = phase_of(t, parts, h, turned(i, t, y), turned(i, t + 1, y));
        if (!overlap) {
          const unsigned start = t * (h + 1);
          q = {start, start + h + 1, start, start + h - 1};
        }
        send_through_square(s, x, waiting, order[i], spares[i], q);
      }
    }
  return s.take();
}

}  // namespace detail

/// Direct ways and detours over the next higher dimension, in delta parts that visit the dimensions
/// in rotation: delta ceil(K / (2 delta)) + 1 steps where K > 4 delta, or K > 2 delta and
/// delta <= 2. With fewer elements the parts cannot overlap: delta (ceil(K / (2 delta)) + 1).
/// Shape   p splits or merges Gray coded axes; no two dimensions of `order` are neighbours, and the
///         one above each is a dimension of the cube.
/// Errors  bad_value where the dimension above is no spare.
/// Source  Johnsson and Ho 1990, theorem 3. Its proof overlaps the phases in a way that uses
///         channels twice where the exchanging nodes of a square differ from phase to phase.
[[nodiscard]] inline schedule square_schedule(permutation<> const& p, unsigned elements,
                                              dimension_order const& order) {
  const unsigned delta = order.size();
  const bool overlap = elements > 4 * delta || (elements > 2 * delta && delta <= 2);
  return detail::square_schedule(p, elements, order, overlap, false);
}

}  // namespace bmmc
