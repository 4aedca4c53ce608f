// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>

#include <bmmc/study/topology/concept.hpp>

namespace bmmc::network {

/// A grid of any order and any extents whose axes are rings: torus{8, 8}, torus{4, 4, 4}. The
/// coordinate on axis 0 changes fastest in a node's number. Messages go along axis 0 first, then
/// axis 1 and so on, each the shorter way round; upwards where both are equal. Channel
/// (2 a + d) nodes() + x leaves node x along axis a, upwards for d = 0, downwards for d = 1.
/// Dimension-order routing: Dally, Seitz, IEEE Trans. Computers C-36, 1987.
template <std::size_t Order>
class torus {
 public:
  /// Throws bad_value where an extent is 0 or the nodes are more than 2^32.
  constexpr explicit torus(std::array<index_t, Order> const& extents) : extents_(extents) {
    for (const index_t extent : extents) {
      if (extent == 0 || extent > bit(32) / nodes_)
        throw bad_value("a torus has 1 to 2^32 nodes; an axis of " + std::to_string(extent) +
                        " beside " + std::to_string(nodes_) + " nodes does not fit");
      nodes_ *= extent;
    }
  }
  template <class... Extents>
    requires(sizeof...(Extents) == Order && (std::is_convertible_v<Extents, index_t> && ...))
  constexpr explicit torus(Extents... extents)
      : torus(std::array<index_t, Order>{static_cast<index_t>(extents)...}) {}

  [[nodiscard]] constexpr std::array<index_t, Order> const& extents() const noexcept {
    return extents_;
  }
  [[nodiscard]] constexpr index_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] constexpr index_t channels() const noexcept { return 2 * Order * nodes_; }
  [[nodiscard]] constexpr channel_ends ends(index_t channel) const noexcept {
    const index_t from = channel % nodes_, way = channel / nodes_;
    index_t stride = 1;
    for (std::size_t a = 0; a < way / 2; ++a) stride *= extents_[a];
    return {from, neighbour(from, stride, extents_[way / 2], way % 2 == 0)};
  }
  template <class F>
  constexpr void route(index_t source, index_t target, F&& each) const {
    index_t stride = 1;
    for (std::size_t a = 0; a < Order; stride *= extents_[a++]) {
      const index_t extent = extents_[a];
      const index_t ahead = (target / stride % extent + extent - source / stride % extent) % extent;
      const bool up = 2 * ahead <= extent;
      for (index_t hops = up ? ahead : extent - ahead; hops != 0; --hops) {
        each((2 * a + (up ? 0 : 1)) * nodes_ + source);
        source = neighbour(source, stride, extent, up);
      }
    }
  }

 private:
  [[nodiscard]] static constexpr index_t neighbour(index_t x, index_t stride, index_t extent,
                                                   bool up) noexcept {
    const index_t at = x / stride % extent, next = (at + (up ? 1 : extent - 1)) % extent;
    return x - at * stride + next * stride;
  }

  std::array<index_t, Order> extents_;
  index_t nodes_ = 1;
};
template <class... Extents>
torus(Extents...) -> torus<sizeof...(Extents)>;
template <std::size_t Order>
torus(std::array<index_t, Order>) -> torus<Order>;

static_assert(Network<torus<2>> && Network<torus<3>>);

}  // namespace bmmc::network
