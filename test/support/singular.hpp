// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <bmmc/layout/policies.hpp>

#include "convert.hpp"
#include "oracle.hpp"

/// Random maps of any shape and rank, and layouts of any kind beside what the oracle says of them.
namespace singular {

using oracle::random_matrix;

/// n x m of exactly this rank.
inline oracle::matrix random_of_rank(unsigned n, unsigned m, unsigned rank,
                                     oracle::generator& random) {
  oracle::matrix middle(n, m);
  for (unsigned i = 0; i < rank; ++i) middle.row[i][i] = 1;
  return oracle::times(oracle::random_nonsingular(n, random),
                       oracle::times(middle, oracle::random_nonsingular(m, random)));
}
/// From m bits to n bits, all ranks alike.
inline oracle::affine random_map(unsigned n, unsigned m, oracle::generator& random) {
  const auto rank = static_cast<unsigned>(random() % (std::min(n, m) + 1));
  return {random_of_rank(n, m, rank, random), oracle::to_bits(random() % oracle::power(n), n)};
}
/// From m bits to fewer: some bits are dropped, the others stand in any order or in their own.
inline oracle::affine random_axes(unsigned m, oracle::generator& random) {
  std::vector<unsigned> kept;
  for (unsigned j = 0; j < m; ++j)
    if (random() % 3 != 0) kept.push_back(j);
  if (random() % 2 == 0) std::shuffle(kept.begin(), kept.end(), random);
  const auto n = static_cast<unsigned>(kept.size());
  oracle::affine map{oracle::matrix(n, m), oracle::bits(n, 0)};
  for (unsigned i = 0; i < n; ++i) map.a.row[i][kept[i]] = 1;
  return map;
}

/// A layout for one n and p.
struct fixed_layout {
  bmmc::permutation<> map;
  [[nodiscard]] bmmc::permutation<> physical(unsigned, unsigned) const { return map; }
};
struct told_layout {
  fixed_layout policy;
  oracle::layout expected;
};
/// Kinds 0 to 5.
inline told_layout named_layout(int kind, unsigned n, unsigned p) {
  namespace layout = bmmc::layout;
  std::vector<unsigned> bits(p);
  std::iota(bits.rbegin(), bits.rend(), (n - p) / 2);
  oracle::generator random(n);
  switch (kind) {
    case 0:
      return {{layout::processor_major{}.physical(n, p)}, oracle::processor_major};
    case 1:
      return {{layout::processor_minor{}.physical(n, p)}, oracle::processor_minor};
    case 2:
      return {{layout::banded((n - p) / 2).physical(n, p)}, oracle::banded((n - p) / 2)};
    case 3:
      return {{layout::process_bits(bits).physical(n, p)}, oracle::process_bits(bits)};
    case 4:
      return {{layout::gray<layout::processor_minor>{}.physical(n, p)},
              oracle::gray(oracle::processor_minor)};
    default: {
      const auto map = random_affine(n, random);
      return {{to_library(map)}, oracle::affine_layout(map)};
    }
  }
}

}  // namespace singular
