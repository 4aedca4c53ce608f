// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/index/affine_map.hpp>
#include <bmmc/local/lines/walk.hpp>

namespace bmmc::local {

/// The lowest 1 of x as a number of bits, `most` where there is none below.
[[nodiscard]] constexpr unsigned trailing_zeros(index_t x, unsigned most) noexcept {
  return std::min(most, bmmc::detail::lowest_one(x));
}

/// How many low bits a map takes to themselves, whatever the other bits are: it takes every
/// aligned run of 2^q elements to such a run, in order.
[[nodiscard]] constexpr unsigned run_bits(affine_map const& map) noexcept {
  auto const& column = map.matrix.column;
  unsigned q = 0;
  while (q < column.size() && column[q] == bit(q)) ++q;
  index_t others = map.complement;  // what is added to the images of a run
  for (unsigned j = q; j < column.size(); ++j) others |= column[j];
  return trailing_zeros(others, q);
}

/// Goes through y = A x + c in ascending order of x, a run at a time. Any A. `others` has a 1 where
/// the caller may add one to y, so that no run goes across it.
struct run_walk {
  unsigned q = 0, bits = 0;
  index_t offset = 0;
  walk<index_t> beyond{};

  constexpr run_walk() = default;
  constexpr explicit run_walk(affine_map const& map, index_t others = 0)
      : q(trailing_zeros(others, run_bits(map))), bits(map.matrix.cols()), offset(map.complement) {
    for (unsigned j = q; j < bits; ++j) beyond.append(map.matrix.column[j]);
  }

  /// Calls visit(x, y, count) for elements [first, first + count) of x, split where runs end.
  template <class Visit>
  constexpr void for_each(index_t first, index_t count, Visit visit) const {
    const index_t last = first + count;
    index_t run = first >> q;
    for (index_t x = first, y = offset ^ beyond.at(run);;) {
      const index_t end = std::min(last, (run + 1) << q);
      visit(x, y | (x & low_bits(q)), end - x);
      if (end == last) return;
      x = end;
      beyond.advance(y, ++run);
    }
  }
};

}  // namespace bmmc::local
