// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/index/affine_map.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc::file {

/// The bits of x moved to where `mask` has its 1s: what extract_bits undoes.
[[nodiscard]] constexpr index_t deposit_bits(index_t x, index_t mask) noexcept {
  index_t y = 0;
  for (; mask != 0; mask &= mask - 1, x >>= 1)
    if ((x & 1) != 0) y |= mask & (~mask + 1);
  return y;
}

/// One pass over a file: its tiles are the cosets of a subspace S, and f takes each to a coset of
/// f S, its image. Both sides consist of runs of consecutive elements; a tile's elements stand in
/// memory in the order in which they stand in the file.
class tiling {
 public:
  constexpr tiling() = default;
  /// S >= L + A^-1 L, or f would not fill the blocks of the image; `source` is a basis of S.
  constexpr tiling(permutation<> const& f, subspace const& source)
      : map_(f), source_(source), target_(column_space(f.matrix() * source.vectors)) {
    const auto images = f.matrix() * source_.vectors;
    inside_ = bit_matrix<>(tile_bits(), tile_bits());
    for (unsigned j = 0; j < tile_bits(); ++j)
      inside_.column[j] = target_.coordinates(images.column[j]);
  }

  [[nodiscard]] constexpr permutation<> const& map() const noexcept { return map_; }
  [[nodiscard]] constexpr unsigned bits() const noexcept { return map_.bits(); }
  [[nodiscard]] constexpr unsigned tile_bits() const noexcept { return source_.dimension(); }
  [[nodiscard]] constexpr index_t tile_elements() const noexcept { return bit(tile_bits()); }
  [[nodiscard]] constexpr index_t tiles() const noexcept { return bit(bits() - tile_bits()); }

  /// Runs have 2^run_bits elements; several may stand side by side.
  [[nodiscard]] constexpr unsigned source_run_bits() const noexcept { return run_bits(source_); }
  [[nodiscard]] constexpr unsigned target_run_bits() const noexcept { return run_bits(target_); }

  /// Index of the element at position `at` of a tile and of its image, which is sorted as well.
  [[nodiscard]] constexpr index_t source_index(index_t tile, index_t at) const noexcept {
    return first_of(tile) ^ source_.vectors * at;
  }
  [[nodiscard]] constexpr index_t target_index(index_t tile, index_t at) const noexcept {
    return target_.least(map_(first_of(tile))) ^ target_.vectors * at;
  }
  /// From a position in a tile to the position in its image. The matrix is the same for all tiles.
  [[nodiscard]] constexpr affine_map inside(index_t tile) const noexcept {
    return {inside_, target_.coordinates(map_(first_of(tile)))};
  }

  /// Number of the tile that is the image of another one, where A S = S.
  [[nodiscard]] constexpr index_t image(index_t tile) const noexcept {
    return extract_bits(source_.least(map_(first_of(tile))), others());
  }

 private:
  [[nodiscard]] constexpr index_t others() const noexcept {
    return low_bits(bits()) & ~source_.pivots;
  }
  [[nodiscard]] constexpr index_t first_of(index_t tile) const noexcept {
    return deposit_bits(tile, others());
  }
  [[nodiscard]] static constexpr unsigned run_bits(subspace const& space) noexcept {
    unsigned k = 0;
    while (k < space.dimension() && space.vectors.column[k] == bit(k)) ++k;
    return k;
  }

  permutation<> map_{};
  subspace source_{}, target_{};
  bit_matrix<> inside_{};
};

namespace detail {

/// L_k + A^-1 L_k, L_k the span of the k low bits; `more` vectors beside.
[[nodiscard]] constexpr subspace tile_space(bit_matrix<> const& back, unsigned k,
                                            index_t more = 0) {
  subspace span;
  bit_matrix<> vectors(back.rows(), 0);
  const auto take = [&](index_t v) {
    if (span.add(v)) vectors.column[vectors.column.count++] = v;
  };
  for (unsigned j = 0; j < k; ++j) {
    take(bit(j));
    take(back.column[j]);
  }
  take(more);
  return column_space(vectors);
}

[[nodiscard]] constexpr unsigned longest_run_bits(bit_matrix<> const& back, unsigned tile_bits) {
  unsigned k = 0;
  subspace span;
  for (; k < back.cols(); ++k) {
    span.add(bit(k));
    span.add(back.column[k]);
    if (span.dimension() > tile_bits) break;
  }
  return k;
}

}  // namespace detail

/// The tiles of one pass with the longest runs that tiles of 2^tile_bits elements can have: the
/// largest k for which S = L_k + A^-1 L_k is small enough. Where one dimension is left, the runs of
/// the source are twice as long.
[[nodiscard]] constexpr tiling make_tiling(permutation<> const& f, unsigned tile_bits) {
  const auto back = inverse(f.matrix());
  const unsigned k = detail::longest_run_bits(back, tile_bits);
  auto space = detail::tile_space(back, k);
  if (k < f.bits() && space.dimension() < tile_bits) space = detail::tile_space(back, k, bit(k));
  return {f, space};
}

/// The same for an involution in place: A S = S, so tiles are exchanged in pairs. Where one
/// dimension is left tiles are half as large as they could be.
[[nodiscard]] constexpr tiling make_tiling_in_place(permutation<> const& f, unsigned tile_bits) {
  const auto back = inverse(f.matrix());
  return {f, detail::tile_space(back, detail::longest_run_bits(back, tile_bits))};
}

}  // namespace bmmc::file
