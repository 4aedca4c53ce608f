// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local {

/// Of 2^window lines that are stored, or read if `side` is &line_step::source, one after another,
/// how many share a set of the first-level cache, as a power of two. Its sets follow from the place
/// in a page.
[[nodiscard]] constexpr unsigned lg_lines_alike(line_plan const& p, unsigned window,
                                                index_t line_step::*side = &line_step::target) {
  auto const& lines = side == &line_step::target ? p.target_line : p.source_line;
  subspace places;
  unsigned count = 0;
  const auto add = [&](index_t line) {
    if (count == window) return;
    places.add(line & low_bits(page_bits));
    ++count;
  };
  for (unsigned t = 0; t < p.lg_group; ++t) add(lines[bit(t)]);
  for (unsigned i = 0; i < p.inner.count; ++i) add(p.inner.at(bit(i)).*side);
  for (unsigned i = 0; i < p.outer.count; ++i) add(p.outer.at(bit(i)).*side);
  return count - places.dimension();
}

/// Of the lines of one register tile how many share a set, as a power of two: of those that are
/// read or of those that are stored, whichever are less.
[[nodiscard]] constexpr unsigned lg_tile_lines_alike(line_plan const& p) {
  return std::min(lg_lines_alike(p, p.lg_lines, &line_step::source), lg_lines_alike(p, p.lg_lines));
}

namespace detail {

/// The steps from register tile to register tile, and from tile to tile.
[[nodiscard]] constexpr short_list<line_step> steps_of(line_plan const& p) {
  short_list<line_step> steps;
  for (unsigned i = 0; i < p.inner.count; ++i) steps.push_back(p.inner.at(bit(i)));
  for (unsigned i = 0; i < p.outer.count; ++i) steps.push_back(p.outer.at(bit(i)));
  return steps;
}
/// Others, as many, of which the last `outside` or more lead from tile to tile. Tiles are no longer
/// those that the lists of what is fetched or copied to a buffer describe.
constexpr void set_steps(line_plan& p, short_list<line_step> const& steps, unsigned outside = 0) {
  const unsigned cut = outside - std::min(outside, p.outer.count);
  const unsigned inside = p.inner.count - cut;
  p.lg_tile -= cut;
  p.lg_tiles += cut;
  p.is_buffered = false;
  p.inner = {};
  p.outer = {};
  for (unsigned i = 0; i < steps.size(); ++i)
    i < inside ? p.inner.append(steps[i]) : p.outer.append(steps[i]);
}

/// Puts the steps from register tile to register tile in another order, so that tiles one after
/// another lie in other sets of the first level: steps that lead to other sets on both sides, then
/// in turn those that do in the source and in the target, then the rest.
constexpr void alternate_sets(line_plan& p) {
  const short_list<line_step> steps = steps_of(p);
  short_list<line_step> order;
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
    order.push_back(steps[i]);
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
  set_steps(p, order);
}

/// At most 2^most_separated threads have parts of the target of their own. Tiles are cut for
/// 2^most_cut of them, down to 32 KiB: more costs one thread a tenth, and less is moved sooner than
/// another thread starts.
inline constexpr unsigned most_separated = 4, most_cut = 2, least_part_bits = 15;

/// Of the lines of eight register tiles one after another how many share a set, as a power of two:
/// of those that are read or of those that are stored, whichever are more.
[[nodiscard]] constexpr unsigned lg_next_lines_alike(line_plan const& p) {
  return std::max(lg_lines_alike(p, p.lg_lines + 3, &line_step::source),
                  lg_lines_alike(p, p.lg_lines + 3));
}

/// Puts those steps from `first` on last that lead from one of 2^parts parts of the target to
/// another; part_of(step) is the number that a step adds to that of the part. To any other step
/// that would leave its part a last one is added.
template <class PartOf>
constexpr void put_last(short_list<line_step>& steps, unsigned first, unsigned parts,
                        PartOf const& part_of) {
  unsigned end = steps.size();
  for (unsigned b = parts; b-- > 0; --end) {  // which becomes the last step of [first, end)
    unsigned last = end - 1;
    while ((part_of(steps[last]) >> b & 1) == 0) --last;
    std::rotate(&steps[last], &steps[last] + 1, &steps[0] + end);
    for (unsigned i = first; i + 1 < end; ++i)
      if ((part_of(steps[i]) >> b & 1) != 0) steps[i] ^= steps[end - 1];
  }
}

/// Threads share out the last steps from tile to tile. Puts those last that lead from one part of
/// the target to another, parts as large as there can be, of 1 KiB and more on end: a line that one
/// core has written costs others much, and so do its neighbours, which prefetchers fetch. What
/// fills a unit stays first. Tiles are cut into fewer parts, or not at all, where more lines would
/// share a set by it.
constexpr void separate_threads(line_plan& p) {
  if (p.moves_rows) return;
  const short_list<line_step> steps = steps_of(p);
  const unsigned first = p.lg_unit_steps();
  subspace inside, target;  // what lies in one part of the target, growing, and all of it
  for (unsigned t = 0; t < p.lg_group; ++t) inside.add(p.target_line[bit(t)]);
  for (unsigned i = 0; i < first; ++i) inside.add(steps[i].target);
  target = inside;
  for (unsigned i = first; i < steps.size(); ++i) target.add(steps[i].target);
  unsigned wide = 0;  // dimensions that parts of 1 KiB and more on end differ in
  for (unsigned j = line_bits; j < 64 && inside.dimension() < target.dimension(); ++j)
    if (target.contains(bit(j)) && inside.add(bit(j)) && j >= least_run_bits) ++wide;
  if (inside.dimension() < target.dimension()) return;
  const unsigned size = p.lg_tiles + p.lg_tile + line_bits;
  const unsigned cut = std::min(most_cut, size - std::min(size, least_part_bits));
  unsigned parts =
      std::min({wide, most_separated, std::max(p.outer.count, cut), steps.size() - first});
  const line_plan before = p;
  for (;; --parts) {
    short_list<line_step> order = steps;
    put_last(order, first, parts, [&](line_step const& s) {
      return inside.sum_of(s.target) >> (inside.dimension() - parts);
    });
    set_steps(p, order, parts);
    if (parts <= before.outer.count || lg_next_lines_alike(p) <= lg_next_lines_alike(before))
      return;
    p = before;
  }
}

}  // namespace detail

}  // namespace bmmc::local
