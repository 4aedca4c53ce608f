// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

using orders = std::vector<std::vector<unsigned>>;

/// All n! orders of 0 .. n-1.
inline orders all_orders(unsigned n) {
  std::vector<unsigned> order(n);
  std::iota(order.begin(), order.end(), 0U);
  orders all;
  do all.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  return all;
}
