// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/study/schedules/cube_swaps.hpp>

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
      detail::refuse(
          {"dimension ", d,
           " needs a spare dimension that does not change and that decides its exchange; ", s,
           " is none"});
  }
}

/// The first `first_path` elements go one after the other through the dimensions of the order, by a
/// detour over spares[j] where detours(j), directly elsewhere; the others the other way round.
template <class F>
[[nodiscard]] schedule two_pipelines(permutation<> const& p, unsigned elements,
                                     dimension_order const& order, dimension_order const& spares,
                                     unsigned first_path, F detours) {
  const auto exchanges = active_exchanges(p, order);
  require_spare(p.bits(), order, exchanges, spares);
  schedule_builder s(p.bits(), elements);
  for (index_t x = 0; x < bit(p.bits()); ++x)
    for (unsigned k = 0; k < elements; ++k) {
      const bool on_first = k < first_path;
      unsigned step = on_first ? k : k - first_path;
      for (unsigned j = 0; j < exchanges.size(); ++j) {
        const bool detour = detours(j) == on_first;
        if (!detour) {
          s.exchange(step, x, k, exchanges[j]);
        } else if (takes_part(exchanges[j], s.place(x, k))) {
          s.cross(step, x, k, spares[j]);
          s.cross(step + 1, x, k, exchanges[j].dimension);
          s.cross(step + 2, x, k, spares[j]);
        }
        step += detour ? 3 : 1;
      }
    }
  return s.take();
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
  const unsigned delta = order.size();
  const unsigned direct = elements < 2 * delta ? elements : elements / 2 + elements % 2 + delta;
  return detail::two_pipelines(p, elements, order, spares, direct, [](unsigned) { return false; });
}

/// The same time by two pipelines of equal length: both take every other dimension directly and
/// the others by a detour. For even delta both are 2 delta channels long and get half of the
/// elements; for odd delta they have 2 delta - 1 and 2 delta + 1, and the shorter one gets one
/// more. ceil(K / 2) + 2 delta - 1 steps for K >= 2.
/// Shape   as two_path_schedule; errors as there.
/// Source  Johnsson and Ho 1990, proof of theorem 4. With K < 2 delta it is slower than
///         two_path_schedule, as the paper says.
[[nodiscard]] inline schedule equal_paths_schedule(permutation<> const& p, unsigned elements,
                                                   dimension_order const& order,
                                                   dimension_order const& spares) {
  const bool odd = order.size() % 2 != 0;
  const unsigned shorter = elements / 2 + (odd || elements % 2 != 0 ? 1 : 0);
  return detail::two_pipelines(p, elements, order, spares, std::min(elements, shorter),
                               [](unsigned j) { return j % 2 != 0; });
}

}  // namespace bmmc
