// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/short_list.hpp>

namespace bmmc {

/// The positions along an axis that one process holds: runs of equal length at equal distances, of
/// which the last one may be cut short. Its memory has them side by side.
struct periodic_section {
  index_t first = 0;   ///< where the first run starts
  index_t run = 0;     ///< positions of a run
  index_t period = 1;  ///< from the start of one run to that of the next; a run at least
  index_t end = 0;     ///< no position from here on

  /// The positions from `first` to before `end`.
  [[nodiscard]] static constexpr periodic_section interval(index_t first, index_t end) noexcept {
    if (first >= end) return {};
    return {first, end - first, end - first, end};
  }

  [[nodiscard]] constexpr bool empty() const noexcept { return first >= end; }
  [[nodiscard]] constexpr bool is_interval() const noexcept {
    return empty() || end - first <= run;
  }
  [[nodiscard]] constexpr index_t runs() const noexcept {
    return empty() ? 0 : (end - first - 1) / period + 1;
  }
  /// Number of positions.
  [[nodiscard]] constexpr index_t count() const noexcept {
    if (empty()) return 0;
    const index_t span = end - first;
    return span / period * run + std::min(span % period, run);
  }
  [[nodiscard]] constexpr bool contains(index_t position) const noexcept {
    return position >= first && position < end && (position - first) % period < run;
  }
  /// How many positions of the section come before this one of them.
  [[nodiscard]] constexpr index_t offset_of(index_t position) const noexcept {
    return (position - first) / period * run + (position - first) % period;
  }
  /// The position with so many before it.
  [[nodiscard]] constexpr index_t position_of(index_t offset) const noexcept {
    return first + offset / run * period + offset % run;
  }
  friend constexpr bool operator==(periodic_section const&, periodic_section const&) = default;
};

}  // namespace bmmc
