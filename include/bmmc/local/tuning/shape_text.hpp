// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <bmmc/error.hpp>
#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local {

namespace detail {

/// Calls visit(name, member) for what a user may set of a shape.
template <class Shape, class Visit>
constexpr void for_each_setting(Shape& s, Visit visit) {
  visit("source_row", s.source_row);
  visit("target_row", s.target_row);
  visit("tile", s.tile);
  visit("least_row", s.least_row);
  visit("least_target", s.least_target);
  visit("uneven_tile", s.uneven_tile);
  visit("growth", s.growth);
  visit("grown_below", s.grown_below);
  visit("run", s.run);
  visit("unit", s.unit);
  visit("piece", s.piece);
  visit("interleaved", s.interleaved);
  visit("shifted_piece", s.shifted_piece);
  visit("rows_in_turn", s.rows_in_turn);
  visit("buffered", s.buffered);
  visit("alike", s.alike);
  visit("second_level", s.second_level);
  visit("lines_ahead", s.lines_ahead);
  visit("lines_far_ahead", s.lines_far_ahead);
  visit("caches_in_place", s.caches_in_place);
  visit("direct_lines", s.direct_lines);
  visit("direct_alike", s.direct_alike);
  visit("alternates_sets", s.alternates_sets);
  visit("joins_pairs", s.joins_pairs);
}

}  // namespace detail

/// One line of text, "source_row=12 target_row=7 ...", to be kept in a file and read again by
/// parse_shape.
[[nodiscard]] std::string to_text(tile_shape const& shape);

/// What to_text wrote. Settings that are not named keep their defaults.
/// Errors  bad_value for words that are no settings, or values that tables have no room for.
[[nodiscard]] tile_shape parse_shape(std::string_view text);

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/local/tuning/shape_text_once.hpp>
#endif
