// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <optional>
#include <string>

#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/digit_permutation.hpp>

namespace bmmc {

namespace detail {

[[nodiscard]] constexpr extents extents_of(short_list<index_t> const& each) {
  return extents(std::span(each.data(), each.size()));
}
[[nodiscard]] constexpr axis_order order_of(short_list<unsigned> const& axes) {
  return axis_order(std::span(axes.data(), axes.size()));
}

[[nodiscard]] constexpr stride_permutation reversal_of(index_t extent) {
  return {extent, extent == 1 ? 1 : extent - 1, extent - 1};
}

/// Numbers of elements that lie between cuts of an array: 1, then the strides of its axes and
/// its size, ascending, without repetition.
[[nodiscard]] constexpr short_list<index_t> cuts_of(extents const& array) {
  short_list<index_t> cuts{1};
  for (unsigned k = array.order(); k-- > 0;)
    if (array[k] != 1) cuts.push_back(cuts[cuts.size() - 1] * array[k]);
  return cuts;
}
/// The cuts of both arrays. Throws bad_value where one does not divide the next.
[[nodiscard]] constexpr short_list<index_t> common_cuts(extents const& a, extents const& b) {
  const auto first = cuts_of(a), second = cuts_of(b);
  short_list<index_t> all;
  for (unsigned i = 0, j = 0; i < first.size() || j < second.size();) {
    const bool takes_first = j == second.size() || (i < first.size() && first[i] <= second[j]);
    const index_t next = takes_first ? first[i++] : second[j++];
    if (!all.empty() && next == all[all.size() - 1]) continue;
    if (!all.empty() && next % all[all.size() - 1] != 0)
      refuse({"blocks of ", all[all.size() - 1], " and of ", next,
              " elements have no common parts: these maps cannot be composed on "
              "axes"});
    all.push_back(next);
  }
  return all;
}

/// The extents of the parts, the slowest first, into which the cuts divide an axis.
[[nodiscard]] constexpr short_list<index_t> parts_of(index_t stride, index_t extent,
                                                     short_list<index_t> const& cuts) {
  short_list<index_t> parts;
  for (unsigned c = cuts.size(); c-- > 1;)
    if (cuts[c] <= stride * extent && cuts[c - 1] >= stride) parts.push_back(cuts[c] / cuts[c - 1]);
  return parts;
}

/// The same map with the axes of its target, or of its source, cut into parts. Axes of extent 1 are
/// gone.
[[nodiscard]] constexpr digit_permutation cut(digit_permutation const& p,
                                              short_list<index_t> const& cuts, bool in_target) {
  const extents& source = p.source_extents();
  short_list<index_t> extent;
  short_list<unsigned> owner;        // the axis that each part is one of
  std::array<unsigned, 65> first{};  // part of each axis
  for (unsigned k = 0; k < p.order(); ++k) {
    const auto parts = parts_of(in_target ? p.target_stride(k) : source.stride(k), source[k], cuts);
    if (parts.size() > 1 && !p.stays_along(k) && !p.is_reversed_along(k))
      refuse({"axis ", k, " of ", source[k],
              " positions cannot be cut: its positions change their order"});
    first[k] = extent.size();
    for (const index_t part : parts) {
      extent.push_back(part);
      owner.push_back(k);
    }
    first[k + 1] = extent.size();
  }
  short_list<unsigned> order;
  for (const unsigned k : p.axes())
    for (unsigned i = first[k]; i < first[k + 1]; ++i) order.push_back(i);
  digit_permutation made(extents_of(extent), order_of(order));
  for (unsigned i = 0; i < made.order(); ++i)
    if (const unsigned k = owner[i]; !p.stays_along(k))
      made = made.with(i, extent[i] == source[k] ? p.along(k) : reversal_of(extent[i]));
  return made;
}

}  // namespace detail

/// The same map on the fewest axes: those of extent 1 are gone, and axes that are neighbours in
/// the source and in the target are one, where the positions along both stay or are both reversed.
[[nodiscard]] constexpr digit_permutation simplified(digit_permutation const& p) {
  short_list<index_t> extent;
  short_list<unsigned> owner;  // the first of the axes that are merged
  std::array<unsigned, 64> part{};
  std::array<bool, 64> is_first{};
  unsigned before = ~0U;  // the last axis of more than one position
  for (unsigned k = 0; k < p.order(); ++k) {
    const index_t own = p.source_extents()[k];
    if (own == 1) continue;
    const bool joins = before != ~0U && p.target_stride(before) == p.target_stride(k) * own &&
                       ((p.stays_along(k) && p.stays_along(before)) ||
                        (p.is_reversed_along(k) && p.is_reversed_along(before)));
    if (joins) {
      extent[extent.size() - 1] *= own;
    } else {
      extent.push_back(own);
      owner.push_back(k);
      is_first[k] = true;
      part[k] = extent.size() - 1;
    }
    before = k;
  }
  short_list<unsigned> order;
  for (const unsigned k : p.axes())
    if (is_first[k]) order.push_back(part[k]);
  digit_permutation made(detail::extents_of(extent), detail::order_of(order));
  for (unsigned i = 0; i < made.order(); ++i)
    if (const unsigned k = owner[i]; !p.stays_along(k))
      made = made.with(
          i, extent[i] == p.source_extents()[k] ? p.along(k) : detail::reversal_of(extent[i]));
  return made;
}

/// f after g: x goes to f(g(x)). The target of g has the extents of f's source, or both can be cut
/// into the same parts: 6 x 10 and 2 x 30 into 2 x 3 x 10.
/// Throws bad_value where the sizes differ, where there are no such parts (of 6 x 10 and 4 x 15,
/// say), and where an axis would be cut whose positions neither stay nor are reversed.
[[nodiscard]] constexpr digit_permutation compose(digit_permutation const& f,
                                                  digit_permutation const& g) {
  if (f.size() != g.size())
    detail::refuse(
        {"permutations of ", f.size(), " and of ", g.size(), " indices cannot be composed"});
  if (g.target_extents() != f.source_extents()) {
    const auto cuts = detail::common_cuts(g.target_extents(), f.source_extents());
    return compose(detail::cut(f, cuts, false), detail::cut(g, cuts, true));
  }
  short_list<unsigned> order;
  for (const unsigned axis : f.axes()) order.push_back(g.axes()[axis]);
  digit_permutation both(g.source_extents(), detail::order_of(order));
  for (unsigned i = 0; i < f.order(); ++i) {
    const unsigned k = g.axes()[i];
    if (f.stays_along(i) && g.stays_along(k)) continue;
    const stride_permutation second = f.along(i), first = g.along(k);
    const index_t n = first.size();
    if (n == 1) continue;
    both = both.with(k, {n, detail::multiply_modulo(second.multiplier(), first.multiplier(), n),
                         second(first.shift())});
  }
  return both;
}

/// The same map over GF(2), where all extents are powers of two and the positions along each axis
/// stay, are reversed, are shifted by half the extent, or both.
[[nodiscard]] constexpr std::optional<permutation<>> as_affine(digit_permutation const& p) {
  short_list<unsigned> lg;
  index_t complement = 0;
  for (unsigned k = 0; k < p.order(); ++k) {
    const index_t extent = p.source_extents()[k], half = extent / 2;
    if (!std::has_single_bit(extent)) return std::nullopt;
    lg.push_back(detail::lowest_one(extent));
    if (p.stays_along(k)) continue;
    const auto s = p.along(k);
    // x + half is x with another highest bit, and N - 1 - x is x with all bits flipped
    if (s.multiplier() == 1 && s.shift() == half)
      complement += half * p.target_stride(k);
    else if (s.multiplier() == extent - 1 && s.shift() % half == half - 1)
      complement += s.shift() * p.target_stride(k);
    else
      return std::nullopt;
  }
  std::array<unsigned, most_bits> target_of{};
  unsigned low = 0;  // of the axis, in the source
  for (unsigned k = p.order(); k-- > 0;)
    for (unsigned j = 0; j < lg[k]; ++j, ++low)
      target_of[low] = j + detail::lowest_one(p.target_stride(k));
  const auto move = bit_permutation(std::span<unsigned const>(target_of.data(), low));
  return permutation<>(move.matrix(), complement);
}

}  // namespace bmmc
