// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/gf2/short_list.hpp>
#include <bmmc/index/catalogue/axes.hpp>
#include <bmmc/index/digit_permutation.hpp>
#include <bmmc/index/extents.hpp>

namespace bmmc::local::detail {

/// Two axes of one extent that change places in an array: positions (o, i, b, j) and (o, j, b, i),
/// of `segment` bytes each.
struct square_swap {
  index_t outer = 1, extent = 1, between = 1, segment = 1;

  [[nodiscard]] index_t row() const noexcept { return between * extent * segment; }
  [[nodiscard]] index_t bytes() const noexcept { return outer * extent * row(); }
};

/// The swaps that permute the axes of an array. Neighbours that stay together are joined where that
/// helps.
/// Errors  bad_value where an axis would come to the place of one of another extent.
[[nodiscard]] std::vector<square_swap> square_swaps(extents const& array, axis_order const& axes,
                                                    index_t element_bytes);

}  // namespace bmmc::local::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has them, once for a program
#include <bmmc/local/axes/square_swaps_once.hpp>
#endif
