// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <concepts>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::wormhole {

/// Where a header may go next on a hypercube: the set of dimensions, as a mask, through which it
/// may leave router `at` on its way to `target`. A model promises for at != target that the set is
/// not empty and lies in at ^ target (routes are shortest), and that no channels wait for each
/// other in a circle; the simulator checks the first two and reports a circle when one has closed.
template <class R>
concept Routing = std::copy_constructible<R> && requires(R const& r, index_t at, index_t target) {
  { r.permitted(at, target) } noexcept -> std::same_as<index_t>;
};

/// The set of the lowest dimension in a set that is not empty.
[[nodiscard]] constexpr index_t lowest_of(index_t set) noexcept { return set & (~set + 1); }

/// Dimensions in ascending order: one route from each source to each target.
/// No deadlock: a message holds a channel and waits for one of a higher dimension only.
/// Source  Hou et al. 2001, section 2.3.
struct e_cube {
  [[nodiscard]] constexpr index_t permitted(index_t at, index_t target) const noexcept {
    return lowest_of(at ^ target);
  }
};

/// First the bits that are to become 0, in any order, then those that are to become 1, likewise.
/// No deadlock: channels of the first kind lead to lower process numbers and those of the second
/// to higher ones, so neither closes a circle; no message goes from the second kind to the first.
/// Source  Glass and Ni, The turn model for adaptive routing, J. ACM 41 (1994): negative-first on
///         a hypercube, by shortest routes.
struct p_cube {
  [[nodiscard]] constexpr index_t permitted(index_t at, index_t target) const noexcept {
    const index_t falling = at & ~target;
    return falling != 0 ? falling : target & ~at;
  }
};

/// A bit may fall (1 to 0) only while no higher dimension has been used; bits rise in any order: of
/// the eight turns between two dimensions two are forbidden, the fewest that prevent deadlock.
/// No deadlock: in a circle of waiting messages the lowest dimension would be used both ways;
/// the message in its falling channel would have come by a higher one, which is forbidden.
/// Source  ours, by the turn model of Glass and Ni.
struct ascending_falls {
  [[nodiscard]] constexpr index_t permitted(index_t at, index_t target) const noexcept {
    const index_t falling = at & ~target;
    const index_t up_to_first = falling ^ (falling - 1);  // all dimensions where nothing falls
    return (at ^ target) & up_to_first;
  }
};
static_assert(Routing<e_cube> && Routing<p_cube> && Routing<ascending_falls>);

}  // namespace bmmc::wormhole
