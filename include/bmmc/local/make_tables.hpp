// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <new>
#include <string>

#include <bmmc/error.hpp>
#include <bmmc/local/lines/cache_order.hpp>
#include <bmmc/local/lines/line_job.hpp>
#include <bmmc/local/lines/make_element_plan.hpp>
#include <bmmc/local/lines/make_pair_plan.hpp>
#include <bmmc/local/tables.hpp>

namespace bmmc::local {

namespace detail {

/// Lines that share a set of the first level, more than its ways, wait for each other, when they
/// are read and when they are stored. Where lines of register tiles share sets on both sides, tiles
/// of 32 lines and more overlap if 16 do, as in bit reversal; others of 16 and more follow one
/// another in other sets if 8 do, unless tiles may have to be fetched. Returns whether there was
/// anything to do.
constexpr bool separate_sets(line_plan& p, bool fetches) {
  const unsigned alike = lg_tile_lines_alike(p);
  p.overlaps = p.lg_lines > lg_step_lines && alike >= 4;
  if (p.overlaps) return true;
  if (fetches || alike < 3 || p.lg_lines < lg_step_lines) return false;
  alternate_sets(p);
  return true;
}
/// The plan for an array in the caches. Where 8 of 32 lines stored one after another share a set, a
/// shape that alternates sets does the above if it can. Else the target is filled page by page; or,
/// where 16 of a register tile of 32 lines and more share a set and the shape does not alternate
/// them, row by row from a buffer that a unit is put together in.
template <class Make>
[[nodiscard]] std::optional<line_plan> plan_in_caches(line_plan const& p, tuning const& t,
                                                      Make const& make) {
  if (lg_lines_alike(p, 5) < 3) return p;
  const bool is_tile_alike = lg_lines_alike(p, p.lg_lines) >= 4;
  if (t.shape.alternates_sets) {
    std::optional<line_plan> plan(p);
    if (separate_sets(*plan, t.keeps_target) || is_tile_alike) return plan;
  }
  if (!is_tile_alike || p.lg_lines <= lg_step_lines) return make(t.target_order());
  auto plan = make(t.shifted_shape());
  plan->collects = true;
  static_cast<void>(thread_workspace(unit_bytes(*plan, stores::in_cache)));
  return plan;
}

/// Runs of so many lines are long enough where pairs are joined: units cost more than their ends.
inline constexpr unsigned lg_long_run = 5;

/// The plan for a target that is not aligned: rows of two lines that are joined in registers, if
/// the shape has it so, unless runs of them are short and those of longer rows are longer. Register
/// tiles of 16 lines and less gain nothing by it, and where too many source rows are alike a buffer
/// costs less than rows so short.
template <class Make>
[[nodiscard]] std::optional<line_plan> plan_shifted(line_plan const& p, tuning const& t,
                                                    Make const& make) {
  auto plan = make(t.shifted_shape());
  const auto lg_run_lines = [](line_plan const& of) {
    return std::min(of.lg_row_lines + of.lg_run_rows(), lg_long_run);
  };
  if (!t.shape.joins_pairs || t.use != instructions::avx512 || p.lg_lines <= lg_step_lines ||
      plan->is_buffered)
    return plan;
  auto joined = make(t.joined_shape());
  joined->joins_pairs = joined->is_paired && joined->lg_row_lines == 1 && !joined->is_buffered &&
                        joined->lg_run_rows() != 0 && lg_run_lines(*joined) >= lg_run_lines(*plan);
  return joined->joins_pairs ? joined : plan;
}

/// The plan for an involution of bytes in place. In the caches register tiles change places where
/// they lie: tiles in buffers gain nothing there. In memory they do so if they are large enough for
/// a shape, and no more of their lines share a set of the first level than it allows. Where more
/// do, tiles in buffers are written row by row.
[[nodiscard]] constexpr std::optional<pair_plan> plan_in_place(bit_matrix<> const& f,
                                                               tuning const& t) {
  if (bit(f.cols()) < t.stream_from) return make_direct_plan(f, lg_least_group);
  const register_lines lines(f);
  const bool are_alike = lines.lg_alike > t.shape.direct_alike;
  if (!are_alike && lines.lg_count >= t.shape.direct_lines && t.use == instructions::avx512)
    return make_direct_plan(f);
  auto plan = make_pair_plan(f, are_alike ? t.rows_in_place_shape() : t.in_place_shape());
  if (plan) plan->lines.collects = are_alike;
  return plan;
}

BMMC_ONCE void require_injective(affine_map const& map, element_shape const& element) {
  const unsigned n = map.matrix.cols(), rank = matrix_rank(map.matrix);
  if (rank != n || map.matrix.rows() + element.lg_size > most_bits)
    throw bad_value("a map of rank " + std::to_string(rank) + " from " + std::to_string(n) +
                    " to " + std::to_string(map.matrix.rows()) + " bits moves no array of " +
                    std::to_string(element.bytes) + " byte elements");
}

}  // namespace detail

BMMC_ONCE pass_tables make_pass_tables(affine_map const& map, affine_map const& source_of,
                                       element_shape const& element, tuning const& given) {
  detail::require_injective(map, element);
  detail::require_injective(source_of, element);
  const unsigned n = map.matrix.cols(), stays = detail::bits_kept(source_of.matrix);
  if (source_of.matrix.cols() != n)
    throw bad_value("a pass has one domain, not one of " + std::to_string(n) + " and one of " +
                    std::to_string(source_of.matrix.cols()) + " bits");
  pass_tables tables;
  tables.source_bits_kept = stays;
  if (element.has_lines && given.use != instructions::portable) {
    const auto bytes = on_bytes(map, element.lg_size), from = on_bytes(source_of, element.lg_size);
    const auto of_lines = [&](tile_shape const& shape) {
      auto plan = make_line_plan(bytes.matrix, shape, stays + element.lg_size);
      if (plan) plan->embed_source(from.matrix);
      return plan;
    };
    const index_t bytes_moved = bit(n + element.lg_size);
    // one that keeps its target may be told to write to the caches: see pass::write_as
    const bool in_caches =
        bytes_moved < (given.keeps_target ? tuning{}.stream_from : given.stream_from);
    tuning t = given;
    if (in_caches) t.shape = t.shape.uneven();  // rows of one length gain in memory
    tables.lines = of_lines(t.shape);
    if (tables.lines && in_caches) {
      tables.lines = detail::plan_in_caches(*tables.lines, t, of_lines);
      if (!t.keeps_target) detail::separate_threads(*tables.lines);
    }
    if (tables.lines && bytes_moved >= t.stream_from) {
      if (!t.keeps_target) tables.shifted = detail::plan_shifted(*tables.lines, t, of_lines);
      // here, not in the first call; without it that call is slower
      static_cast<void>(thread_workspace(
          std::max(pass_bytes(*tables.lines, stores::from_memory),
                   tables.shifted ? pass_bytes(*tables.shifted, stores::shifted) : 0)));
    }
  }
  if (!tables.lines) {
    tables.elements = make_element_plan(map.matrix, std::min(element.line_elements, stays));
    tables.elements.embed_source(source_of.matrix);
  }
  return tables;
}

BMMC_ONCE involution_tables make_involution_tables(permutation<> const& p,
                                                   element_shape const& element, tuning const& t) {
  involution_tables tables;
  if (element.has_lines && t.use != instructions::portable)
    tables.pairs = detail::plan_in_place(on_bytes({p.matrix(), 0}, element.lg_size).matrix, t);
  if (tables.pairs)
    if (const index_t bytes = exchange_bytes(*tables.pairs, stores::shifted);
        bytes != 0 && thread_workspace(bytes) == nullptr)
      throw std::bad_alloc();
  if (!tables.pairs) tables.elements = make_element_plan(p.matrix(), element.line_elements);
  return tables;
}

}  // namespace bmmc::local
