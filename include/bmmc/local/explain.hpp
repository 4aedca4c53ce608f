// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <string>

#include <bmmc/local/pass.hpp>

namespace bmmc::local {

/// Instruction sets by name.
[[nodiscard]] inline std::string to_text(instructions set) {
  switch (set) {
    case instructions::neon:
      return "NEON";
    case instructions::avx2:
      return "AVX2";
    case instructions::avx512:
      return "AVX-512";
    default:
      return "portable code";
  }
}

namespace detail {

/// So many elements of a size.
[[nodiscard]] inline std::string array_text(index_t elements, std::size_t bytes) {
  return "2^" + std::to_string(std::countr_zero(elements)) + " elements of " +
         std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

/// How a plan writes a target whose lines are parts of two of the machine's.
[[nodiscard]] inline std::string explain_shifted(line_plan const& p) {
  const auto bytes = [](unsigned lg_lines) { return std::to_string(bit(lg_lines + line_bits)); };
  return "  to a target that is not aligned: rows of " + bytes(p.lg_row_lines) + " bytes, " +
         (p.joins_pairs ? "whose lines are joined in registers"
                        : "by way of a buffer of " + bytes(p.lg_unit) + " bytes") +
         ", in runs of " + bytes(p.lg_row_lines + p.lg_run_rows()) + " bytes\n";
}

}  // namespace detail

/// What a pass does on this machine, in a few lines: how many lines of 64 bytes move together, the
/// rows that are read and written, and by which instructions.
template <class T>
[[nodiscard]] std::string explain(pass<T> const& p) {
  const auto power = [](unsigned bits) { return "2^" + std::to_string(bits); };
  const auto count = [](unsigned bits) { return std::to_string(bit(bits)); };
  std::string text = "pass over " + detail::array_text(p.elements(), sizeof(T));
  tuning const& t = p.settings();
  line_plan const* const plan = p.lines();
  if (plan == nullptr)
    return text + ": one element at a time, in tiled order (" +
           (shape_of<T>.has_lines
                ? "no whole lines fill whole lines, or portable code was asked for"
                : "their size is no power of two, or they own something") +
           ")\n";
  text += ", by " + to_text(t.use) + "\n";
  const bool is_large = (p.elements() << shape_of<T>.lg_size) >= t.stream_from;
  if (plan->moves_rows) {
    const unsigned in_turn = is_large ? t.shape.rows_in_turn : 0;
    return text + "  rows of " + count(plan->row_bits) + " bytes are copied as they are" +
           (is_large ? ", past the caches" : "") +
           (in_turn != 0 ? ", " + count(in_turn) + " in turn\n" : "\n");
  }
  text += "  register tiles of " + count(plan->lg_lines) + " lines of 64 bytes\n";
  if (!is_large)
    return text + "  small enough for the caches: written into them" +
           (plan->collects
                ? ", row by row from a buffer of " + count(plan->lg_unit + line_bits) + " bytes\n"
            : plan->overlaps ? ", each tile while the next one is read\n"
                             : "\n");
  const unsigned rows = plan->lg_tile + line_bits - plan->row_bits;
  return text + "  " + power(plan->lg_tiles) + " tiles of " + power(plan->lg_tile + line_bits) +
         " bytes: " + count(rows) + " source rows of " + count(plan->row_bits) +
         " bytes, target rows of " + count(plan->lg_row_lines + line_bits) + " bytes\n  " +
         (plan->is_buffered ? "copied to a buffer" : "fetched one tile ahead") +
         ", written past the caches" +
         (plan->is_paired ? ", both lines of 128 bytes one after the other\n" : "\n") +
         (plan->joins_lines && t.use == instructions::avx512
              ? "  lines of a source that is not aligned are joined from the machine's\n"
              : "") +
         (p.shifted_lines() != nullptr ? detail::explain_shifted(*p.shifted_lines()) : "");
}

}  // namespace bmmc::local
