// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <bmmc/index/affine_map.hpp>
#include <bmmc/index/permutation.hpp>
#include <bmmc/local/element_shape.hpp>
#include <bmmc/local/lines/element_plan.hpp>
#include <bmmc/local/lines/pair_plan.hpp>
#include <bmmc/local/tuning/tuning.hpp>

// What a pass builds when it is made. It depends on the size of an element alone, not on its type.

namespace bmmc::local {

/// The tables of a pass from a part of an array: source_of maps the pass's index to the source's.
struct pass_tables {
  element_plan elements;                    // where there are no lines
  std::optional<line_plan> lines, shifted;  // the second one for a target that is not aligned
  unsigned source_bits_kept = 0;            // low bits that source_of leaves as they are
};
/// Throws bad_value for maps that are not injective, of different domains, or of more than 63 bits
/// of bytes.
[[nodiscard]] pass_tables make_pass_tables(affine_map const& map, affine_map const& source_of,
                                           element_shape const& element, tuning const& t);

/// The tables of an involution in place.
struct involution_tables {
  element_plan elements;  // where there are no pairs
  std::optional<pair_plan> pairs;
};
/// Throws std::bad_alloc where buffers are needed and there is no memory for those of this thread.
[[nodiscard]] involution_tables make_involution_tables(permutation<> const& p,
                                                       element_shape const& element,
                                                       tuning const& t);

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has them, once for a program
#include <bmmc/local/make_tables.hpp>
#endif
