// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <map>
#include <tuple>

#include <bmmc/study/schedules/detours.hpp>
#include <bmmc/study/schedules/square_ways.hpp>

namespace bmmc {

namespace detail {

/// Sends the elements of one part that started on one node through one square, the fastest ways
/// first. They wait in order of arrival, and are left so.
inline void send_through_square(schedule_builder& s, index_t source, std::vector<unsigned>& waiting,
                                unsigned dimension, unsigned spare, square_ways ways) {
  std::sort(ways.begin(), ways.end(), [](square_way const& a, square_way const& b) {
    return std::tuple(a.arrival(), a.step) < std::tuple(b.arrival(), b.step);
  });
  ways.resize(waiting.size());
  std::sort(ways.begin(), ways.end(), [](square_way const& a, square_way const& b) {
    return std::tuple(a.step, a.detour) < std::tuple(b.step, b.detour);
  });
  std::vector<std::pair<unsigned, unsigned>> arrivals;  // step, number
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const auto [step, detour] = ways[i];
    if (detour) s.cross(step, source, waiting[i], spare);
    s.cross(detour ? step + 1 : step, source, waiting[i], dimension);
    if (detour) s.cross(step + 2, source, waiting[i], spare);
    arrivals.emplace_back(ways[i].arrival(), waiting[i]);
  }
  std::sort(arrivals.begin(), arrivals.end());
  for (std::size_t i = 0; i < arrivals.size(); ++i) waiting[i] = arrivals[i].second;
}

/// The delta parts of the data, each on its own way around the squares.
class square_scheduler {
 public:
  square_scheduler(permutation<> const& p, unsigned elements, dimension_order const& order)
      : parts_(order.size()),
        part_elements_((elements + parts_ - 1) / parts_),
        elements_(elements),
        order_(order),
        builder_(p.bits(), elements) {
    for (unsigned d : order) spares_.push_back(d + 1);
    for (unsigned m = 0; m < parts_; ++m) {
      lists_.push_back(active_exchanges(p, rotated(order, m)));
      require_spare(p.bits(), order, lists_[m], rotated(spares_, m));
    }
  }

  /// With `as_printed` the nodes that exchange never turn, as in the proof in the paper.
  [[nodiscard]] schedule run(bool as_printed) {
    for (unsigned m = 0; m < parts_; ++m)
      for (index_t x = 0; x < bit(builder_.cube_bits()); ++x) {
        std::vector<unsigned> waiting;
        for (unsigned k = m * part_elements_; k < std::min(elements_, (m + 1) * part_elements_);
             ++k)
          waiting.push_back(k);
        for (unsigned t = 0; t < parts_ && !waiting.empty(); ++t) {
          const index_t y = builder_.place(x, waiting[0]);
          const unsigned i = (m + t) % parts_;
          if (takes_part(lists_[m][t], y))
            send_through_square(builder_, x, waiting, order_[i], spares_[i],
                                as_printed ? ways_as_printed(t) : ways(i, t, y));
        }
      }
    return builder_.take();
  }

 private:
  static constexpr unsigned group_phases = 6;

  [[nodiscard]] unsigned half() const { return (part_elements_ + 1) / 2; }

  /// Whether other nodes of the square at y exchange in phase t than in the phase before.
  [[nodiscard]] bool turned(unsigned i, unsigned t, index_t y) const {
    if (t == 0 || t >= parts_) return false;
    const unsigned now = (i + parts_ - t) % parts_, before = (i + parts_ - t + 1) % parts_;
    return takes_part(lists_[now][t], y) != takes_part(lists_[before][t - 1], y);
  }

  [[nodiscard]] square_ways ways_as_printed(unsigned t) const {
    return overlapping_ways(t, parts_, half(), false, false);
  }
  [[nodiscard]] square_ways ways(unsigned i, unsigned t, index_t y) {
    if (half() >= 3)
      return overlapping_ways(t, parts_, half(), turned(i, t, y), turned(i, t + 1, y));
    // parts of 3 or 4 elements: groups of six phases, one step apart
    const unsigned first = t / group_phases * group_phases;
    const unsigned phases = std::min(group_phases, parts_ - first);
    unsigned turns = 0;
    for (unsigned k = 1; k < phases; ++k) turns |= turned(i, first + k, y) ? 1U << k : 0U;
    auto found = searched_.find({phases, turns});
    if (found == searched_.end())
      found = searched_.emplace(std::pair(phases, turns), search_for_ways(phases, turns)).first;
    square_ways result = found->second[t - first];
    for (auto& way : result) way.step += 2 * first + first / group_phases;
    return result;
  }

  unsigned parts_, part_elements_, elements_;
  dimension_order order_, spares_{};
  std::vector<exchange_list> lists_{};  // of each part
  std::map<std::pair<unsigned, unsigned>, search_for_ways> searched_{};
  schedule_builder builder_;
};

}  // namespace detail

/// Direct ways and detours over the next higher dimension, in delta parts that visit the dimensions
/// in rotation: delta ceil(K / (2 delta)) + 1 steps where K > 4 delta, or K > 2 delta and
/// delta <= 6. For 2 delta < K <= 4 delta and more dimensions it is 2 delta + ceil(delta / 6). With
/// fewer elements detours gain nothing: then it is the concurrent schedule.
/// Shape   p splits or merges Gray coded axes; no two dimensions of `order` are neighbours, and the
///         one above each is a dimension of the cube.
/// Errors  bad_value where the dimension above is no spare.
/// Source  Johnsson and Ho 1990, theorem 3. Its proof, as we read it, overlaps the phases in a way
///         that uses channels twice where the exchanging nodes of a square turn from phase to
///         phase.
[[nodiscard]] inline schedule square_schedule(permutation<> const& p, unsigned elements,
                                              dimension_order const& order) {
  if (order.empty() || elements <= 2 * order.size()) return concurrent_schedule(p, elements, order);
  return detail::square_scheduler(p, elements, order).run(false);
}

namespace detail {
/// The schedule in the proof, with its channel conflicts: for the tests and the examples.
[[nodiscard]] inline schedule square_schedule_as_printed(permutation<> const& p, unsigned elements,
                                                         dimension_order const& order) {
  return square_scheduler(p, elements, order).run(true);
}
}  // namespace detail

}  // namespace bmmc
