// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

/// Arrays of any extents as nested loops see them: lists of positions, nothing else. Shares no code
/// with the library.
namespace oracle {

using positions = std::vector<std::uint64_t>;

inline std::uint64_t product(positions const& extents) {
  std::uint64_t all = 1;
  for (const auto extent : extents) all *= extent;
  return all;
}
/// Calls visit(at) for every element, the last axis fastest.
template <class Visit>
void each_element(positions const& extents, Visit visit) {
  positions at(extents.size(), 0);
  for (;;) {
    visit(at);
    std::size_t k = extents.size();
    while (k > 0 && at[k - 1] + 1 == extents[k - 1]) at[--k] = 0;
    if (k == 0) return;
    ++at[k - 1];
  }
}
/// The number of an element in that order, by counting.
inline std::uint64_t number_of(positions const& at, positions const& extents) {
  std::uint64_t x = 0;
  for (std::size_t k = 0; k < at.size(); ++k) x = x * extents[k] + at[k];
  return x;
}
/// Where each element goes when axis k of the result is axis axes[k] of the source.
inline positions targets_of_axes(positions const& extents, std::vector<unsigned> const& axes) {
  positions target_extents, targets;
  for (const unsigned axis : axes) target_extents.push_back(extents[axis]);
  each_element(extents, [&](positions const& at) {
    positions moved;
    for (const unsigned axis : axes) moved.push_back(at[axis]);
    targets.push_back(number_of(moved, target_extents));
  });
  return targets;
}
/// Where each element goes when position x along one axis becomes `moved`[x].
inline positions targets_of_positions(positions const& extents, unsigned axis,
                                      positions const& moved) {
  positions targets;
  each_element(extents, [&](positions at) {
    at[axis] = moved[at[axis]];
    targets.push_back(number_of(at, extents));
  });
  return targets;
}

/// Calls visit(extents) for all lists of `order` extents, each `least` or more, of a product up to
/// `most`.
inline void each_extents(unsigned order, std::uint64_t least, std::uint64_t most,
                         std::function<void(positions const&)> const& visit,
                         positions const& before = {}) {
  if (before.size() == order) return visit(before);
  for (std::uint64_t extent = least; extent <= most; ++extent) {
    auto longer = before;
    longer.push_back(extent);
    each_extents(order, least, most / extent, visit, longer);
  }
}
inline void each_order(unsigned order,
                       std::function<void(std::vector<unsigned> const&)> const& visit) {
  std::vector<unsigned> axes(order);
  std::iota(axes.begin(), axes.end(), 0U);
  do visit(axes);
  while (std::next_permutation(axes.begin(), axes.end()));
}

}  // namespace oracle
