// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/lines/element_plan.hpp>

namespace bmmc::local {

/// Tables for lines of 2^line_elements elements.
[[nodiscard]] constexpr element_plan make_element_plan(bit_matrix<> const& a,
                                                       unsigned line_elements) {
  element_plan p;
  p.source_bits = a.cols();
  p.run_bits = std::min(line_elements, a.cols());
  subspace span;
  for (unsigned j = 0; j < p.run_bits; ++j) {
    span.add(bit(j));
    p.run_image[j] = a.column[j];
  }
  const auto add = [&](index_t x) {
    if (!span.add(x)) return;
    x &= ~low_bits(p.run_bits);
    p.runs_walk.append({x, a * x});
  };
  for (unsigned i = 0; i < std::min(line_elements, a.rows()); ++i)
    if (const auto x = solve(a, bit(i))) add(*x);
  for (unsigned j = p.run_bits; j < std::max(a.cols(), a.rows()); ++j) {
    if (j < a.cols()) add(bit(j));
    if (j >= a.rows()) continue;
    if (const auto x = solve(a, bit(j))) add(*x);
  }
  return p;
}

}  // namespace bmmc::local
