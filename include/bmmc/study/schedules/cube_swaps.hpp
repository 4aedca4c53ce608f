// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/study/schedules/schedule.hpp>

namespace bmmc {

// Schedules in which every element takes the shortest way: conditional exchanges, done in an order
// of the dimensions that p changes. Each throws bad_value where p is no product of exchanges in an
// order that it needs, or where the order leaves out a dimension that changes.

namespace detail {
/// Each element through all dimensions in the order given: element k crosses the j-th in
/// step(j, k).
template <class Step>
[[nodiscard]] schedule in_one_order(permutation<> const& p, unsigned elements,
                                    dimension_order const& order, Step step) {
  const auto exchanges = active_exchanges(p, order);
  schedule_builder s(p.bits(), elements);
  for (unsigned j = 0; j < exchanges.size(); ++j)
    for (unsigned k = 0; k < elements; ++k)
      for (index_t x = 0; x < bit(p.bits()); ++x) s.exchange(step(j, k), x, k, exchanges[j]);
  return s.take();
}
}  // namespace detail

/// Dimension after dimension, all elements across one before the next: delta K steps.
[[nodiscard]] inline schedule sequential_schedule(permutation<> const& p, unsigned elements,
                                                  dimension_order const& order) {
  return detail::in_one_order(p, elements, order,
                              [=](unsigned j, unsigned k) { return j * elements + k; });
}

/// Each element follows the one before it, one dimension behind: K + delta - 1 steps.
/// Source  Edelman, Heller, Johnsson 1994, section 3; Johnsson and Ho 1990, section 5.
[[nodiscard]] inline schedule pipelined_schedule(permutation<> const& p, unsigned elements,
                                                 dimension_order const& order) {
  return detail::in_one_order(p, elements, order, [](unsigned j, unsigned k) { return j + k; });
}

namespace detail {
/// The order that starts with its item `first` and goes around.
[[nodiscard]] constexpr dimension_order rotated(dimension_order const& order, unsigned first) {
  dimension_order result;
  for (unsigned j = 0; j < order.size(); ++j) result.push_back(order[(first + j) % order.size()]);
  return result;
}
}  // namespace detail

/// The data is cut into delta parts, and part m visits the dimensions from the m-th of the order
/// on, around the circle: delta ceil(K / delta) steps. Every rotation of the order must be one in
/// which p is a product of exchanges, as it is for triangular matrices and for all changes of Gray
/// coded axes.
/// Source  Johnsson and Ho 1990, theorem 2.
[[nodiscard]] inline schedule concurrent_schedule(permutation<> const& p, unsigned elements,
                                                  dimension_order const& order) {
  detail::schedule_builder s(p.bits(), elements);
  const unsigned parts = order.size();
  if (parts == 0) return sequential_schedule(p, elements, order);
  const unsigned part_elements = (elements + parts - 1) / parts;
  for (unsigned m = 0; m < parts; ++m) {
    const auto exchanges = detail::active_exchanges(p, detail::rotated(order, m));
    for (unsigned phase = 0; phase < parts; ++phase)
      for (unsigned k = m * part_elements; k < std::min(elements, (m + 1) * part_elements); ++k)
        for (index_t x = 0; x < bit(p.bits()); ++x)
          s.exchange(phase * part_elements + (k - m * part_elements), x, k, exchanges[phase]);
  }
  return s.take();
}

}  // namespace bmmc
