// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/line_plan.hpp>

namespace bmmc::local {

/// Of 2^window lines that are stored one after another, how many share a set of the first-level
/// cache, as a power of two. Its sets follow from the place in a page.
[[nodiscard]] constexpr unsigned lg_lines_alike(line_plan const& p, unsigned window) {
  subspace places;
  unsigned count = 0;
  const auto add = [&](index_t target) {
    if (count == window) return;
    places.add(target & low_bits(page_bits));
    ++count;
  };
  for (unsigned t = 0; t < p.lg_group; ++t) add(p.target_line[bit(t)]);
  for (unsigned i = 0; i < p.inner.count; ++i) add(p.inner.at(bit(i)).target);
  for (unsigned i = 0; i < p.outer.count; ++i) add(p.outer.at(bit(i)).target);
  return count - places.dimension();
}

/// Of the lines of one register tile how many share a set, as a power of two: of those that are
/// read or of those that are stored, whichever are less.
[[nodiscard]] constexpr unsigned lg_tile_lines_alike(line_plan const& p) {
  subspace places;  // of lines that are read
  for (unsigned t = 0; t < p.lg_lines; ++t) places.add(p.source_line[bit(t)] & low_bits(page_bits));
  return std::min(p.lg_lines - places.dimension(), lg_lines_alike(p, p.lg_lines));
}

namespace detail {

/// Puts the steps from register tile to register tile in another order, so that tiles one after
/// another lie in other sets of the first level: steps that lead to other sets on both sides, then
/// in turn those that do in the source and in the target, then the rest. Tiles are no longer those
/// that the plan's list of pieces to be fetched describes.
constexpr void alternate_sets(line_plan& p) {
  short_list<line_step> steps;
  for (unsigned i = 0; i < p.inner.count; ++i) steps.push_back(p.inner.at(bit(i)));
  for (unsigned i = 0; i < p.outer.count; ++i) steps.push_back(p.outer.at(bit(i)));
  const unsigned inside = p.inner.count;
  p.inner = {};
  p.outer = {};
  subspace source, target;  // places in a page
  std::array<bool, 64> taken{};
  const auto take = [&](unsigned i, bool other_source, bool other_target) {
    const index_t from = steps[i].source & low_bits(page_bits);
    const index_t to = steps[i].target & low_bits(page_bits);
    if (taken[i] || (other_source && source.contains(from)) ||
        (other_target && target.contains(to)))
      return false;
    taken[i] = true;
    source.add(from);
    target.add(to);
    p.inner.count < inside ? p.inner.append(steps[i]) : p.outer.append(steps[i]);
    return true;
  };
  const auto take_first = [&](bool other_source, bool other_target) {
    for (unsigned i = 0; i < steps.size(); ++i)
      if (take(i, other_source, other_target)) return true;
    return false;
  };
  for (unsigned i = steps.size(); i-- > 0;) take(i, true, true);
  for (bool more = true; more;) {
    more = take_first(true, false);
    more = take_first(false, true) || more;
  }
  for (unsigned i = 0; i < steps.size(); ++i) take(i, false, false);
}

}  // namespace detail

}  // namespace bmmc::local
