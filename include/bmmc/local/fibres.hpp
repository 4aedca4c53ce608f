// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/lines/element_plan.hpp>
#include <bmmc/local/runs.hpp>
#include <bmmc/local/tuning/tuning.hpp>

namespace bmmc::local::detail {

/// The sets of all x with one A x, for any A: cosets of the kernel. Each has a least element, which
/// has no 1 where a vector of the kernel has its highest.
struct fibres {
  subspace image;              // all A x, in ascending order
  short_list<index_t> lowest;  // unit vectors, those of the lowest columns that span the image
  short_list<index_t> kernel;  // ascending with their highest 1s, and so do the sums of them

  constexpr explicit fibres(bit_matrix<> const& a) : image(a.rows()) {
    for (unsigned j = 0; j < a.cols(); ++j)
      if (image.add(a.column[j]))
        lowest.push_back(bit(j));
      else
        kernel.push_back(bit(j) ^ least(a.column[j]));
  }
  /// The least x with A x = y.
  [[nodiscard]] constexpr index_t least(index_t y) const noexcept {
    return lowest.sum(image.sum_of(y));
  }
  /// The least elements for the columns of a matrix.
  [[nodiscard]] constexpr bit_matrix<> least(bit_matrix<> const& images, unsigned cols) const {
    bit_matrix<> x(cols, images.cols());
    for (unsigned j = 0; j < x.cols(); ++j) x.column[j] = least(images.column[j]);
    return x;
  }
};

/// Going by pieces of fewer bytes does not pay.
inline constexpr index_t least_piece = 4096;

/// Both sides of a map, the image and the least elements, in pieces that stay in a cache, as large
/// as a tile of a pass, and hold rows of either.
struct fibre_pieces {
  subspace images;                    // of a piece; its elements are counted in ascending order
  bit_matrix<> least;                 // the least x for an element of a piece
  walk<element_plan::step> others{};  // pieces: least elements (source) and images (target)

  /// Of elements of 2^lg_size bytes.
  constexpr fibre_pieces(fibres const& f, bit_matrix<> const& a, tuning const& t, unsigned lg_size)
      : images(a.rows()) {
    const unsigned bits = std::max(t.shape.tile, lg_size) - lg_size;
    for (unsigned j = 0; j < f.lowest.size() && j < (bits + 1) / 2; ++j)
      images.add(a * f.lowest[j]);
    auto const& vectors = f.image.vectors.column;
    for (unsigned j = 0; j < vectors.size() && images.dimension() < bits; ++j)
      images.add(vectors[j]);
    least = f.least(images.vectors, a.cols());
    subspace all = images;
    for (const index_t y : vectors)
      if (all.add(y)) others.append({f.least(y), y});
  }
  /// The images of a piece, which are to be added to those of another and to `offset`.
  [[nodiscard]] constexpr run_walk places(index_t offset) const {
    for (unsigned j = 0; j < others.count; ++j) offset |= others.prefix[j].target;
    return run_walk({images.vectors, 0}, offset);
  }
};

}  // namespace bmmc::local::detail
