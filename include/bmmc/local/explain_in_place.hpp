// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/local/explain.hpp>
#include <bmmc/local/in_place.hpp>

namespace bmmc::local {

namespace detail {

/// How the tiles of one pass change places.
[[nodiscard]] inline std::string explain_pairs(pair_plan const* p) {
  if (p == nullptr) return "  one element at a time\n";
  line_plan const& lines = p->lines;
  const auto bytes = [](unsigned bits) { return std::to_string(bit(bits)) + " bytes"; };
  if (p->is_direct)
    return "  register tiles of " + std::to_string(bit(lines.lg_lines)) +
           (lines.lg_lines == 0 ? " line" : " lines") +
           " of 64 bytes change places where they lie" +
           (lines.lg_group > lines.lg_lines
                ? ", in groups of " + std::to_string(bit(lines.lg_group)) + " lines\n"
                : "\n");
  return "  tiles of " + bytes(lines.lg_tile + line_bits) + " in rows of " + bytes(lines.row_bits) +
         " change places by way of buffers" +
         (lines.collects ? ", both read before either is written, row by row\n" : "\n");
}

}  // namespace detail

/// What a permutation in place does on this machine: its passes over the array, and how tiles
/// change places in each.
template <class T>
[[nodiscard]] std::string explain(in_place_pass<T> const& p) {
  std::string text = "in place, " + detail::array_text(p.elements(), sizeof(T));
  if (p.passes() == 0) return text + ": nothing moves\n";
  text += ": " + std::to_string(p.passes()) + (p.passes() == 1 ? " pass" : " passes") + ", by " +
          to_text(p.factors().front().settings().use) + "\n";
  for (auto const& f : p.factors()) text += detail::explain_pairs(f.pairs());
  return text;
}

}  // namespace bmmc::local
