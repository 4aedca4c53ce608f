// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>

#include <bmmc/local/lines/walk.hpp>

namespace bmmc::local {

/// The tables of a tiled pass, element by element: for every element type, every injective map
/// and every machine. With L the span of the q low bits, a tile is a coset of S = L + A^-1 L: few
/// enough lines on both sides to stay in the cache until all their elements are moved. Tiles follow
/// the flag S_q <= S_q+1 <= ..., so pages stay warm too. Some 2 KiB; O(n^3) word operations.
struct element_plan {
  struct step {
    index_t source = 0, target = 0;
    constexpr step& operator^=(step const& s) noexcept {
      source ^= s.source;
      target ^= s.target;
      return *this;
    }
  };
  unsigned run_bits = 0;  // q
  unsigned source_bits = 0;
  walk<step> runs_walk{};              // through the space beyond L, first what is missing to S
  std::array<index_t, 7> run_image{};  // images of the q low bits

  /// Runs of 2^q source elements.
  [[nodiscard]] constexpr index_t runs() const noexcept { return bit(source_bits - run_bits); }

  /// Has source elements visited at e x in place of x. The linear map e leaves runs whole.
  constexpr void embed_source(bit_matrix<> const& e) noexcept {
    for (unsigned j = 0; j < runs_walk.count; ++j)
      runs_walk.prefix[j].source = e * runs_walk.prefix[j].source;
  }

  /// Calls visit(x + source, y) for all x of runs [first, last), where y = A x + offset.
  template <class Visit>
  constexpr void for_each(index_t offset, index_t first, index_t last, Visit visit,
                          index_t source = 0) const {
    step at = runs_walk.at(first);
    for (index_t run = first;;) {
      index_t x = at.source ^ source, y = at.target ^ offset;
      visit(x, y);
      for (index_t i = 1; i < bit(run_bits); ++i) {  // Gray-code order
        const auto j = static_cast<unsigned>(std::countr_zero(i));
        x ^= bit(j);
        y ^= run_image[j];
        visit(x, y);
      }
      if (++run == last) break;
      runs_walk.advance(at, run);
    }
  }
};

}  // namespace bmmc::local
