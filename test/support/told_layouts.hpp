// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <bmmc/layout/policies.hpp>

#include "convert.hpp"

/// A layout of any kind beside what the oracle says of it; itself a layout.
struct told_layout {
  std::string name;
  std::function<bmmc::permutation<>(unsigned, unsigned)> policy;
  oracle::layout expected;
  [[nodiscard]] bmmc::permutation<> physical(unsigned n, unsigned p) const { return policy(n, p); }
};
template <bmmc::SingleLayout L>
told_layout told(std::string name, L const& l, oracle::layout expected) {
  return {std::move(name), [l](unsigned n, unsigned p) { return l.physical(n, p); },
          std::move(expected)};
}

inline const told_layout major =
    told("major", bmmc::layout::processor_major{}, oracle::processor_major);

/// One of each kind, fitted to n and p.
inline std::vector<told_layout> all_layouts(unsigned n, unsigned p, oracle::generator& random) {
  std::vector<unsigned> bits(n);
  for (unsigned j = 0; j < n; ++j) bits[j] = j;
  std::shuffle(bits.begin(), bits.end(), random);
  bits.resize(p);
  const unsigned f = (n - p) / 2;
  const auto map = random_affine(n, random);
  return {major,
          told("minor", bmmc::layout::processor_minor{}, oracle::processor_minor),
          told("banded", bmmc::layout::banded(f), oracle::banded(f)),
          told("process_bits", bmmc::layout::process_bits(bits), oracle::process_bits(bits)),
          told("gray", bmmc::layout::gray<>{}, oracle::gray(oracle::processor_major)),
          told("gray minor", bmmc::layout::gray<bmmc::layout::processor_minor>{},
               oracle::gray(oracle::processor_minor)),
          told("affine", bmmc::layout::affine(to_library(map)), oracle::affine_layout(map))};
}
