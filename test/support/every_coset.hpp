// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <string>
#include <vector>

#include <bmmc/index/coset_permutation.hpp>

#include "support/convert.hpp"
#include "support/oracle.hpp"

/// Permutations on cosets, all or at random, each as the library has it and as a loop has it.
namespace every_coset {

using oracle::number;

/// Conditions tested one by one, and y = A x + c by matrices of single bits.
struct sample {
  unsigned n = 0;
  std::vector<bmmc::bit_condition> conditions{};
  oracle::affine map{};

  [[nodiscard]] bool meets(number x) const {
    for (auto const& each : conditions) {
      number sum = 0;
      for (number rest = each.bits & x; rest != 0; rest /= 2) sum += rest % 2;
      if ((sum % 2 != 0) != each.value) return false;
    }
    return true;
  }
  [[nodiscard]] number target(number x) const { return meets(x) ? map(x) : x; }
  [[nodiscard]] bmmc::coset_permutation on_coset() const {
    return bmmc::on_coset(
        bmmc::permutation<>(to_library(map.a), oracle::to_number(map.c)),
        std::span<bmmc::bit_condition const>(conditions.data(), conditions.size()));
  }
  [[nodiscard]] std::string describe() const {
    std::string text = std::to_string(n) + " bits;";
    for (auto const& each : conditions)
      text += " " + std::to_string(each.bits) + (each.value ? "=1" : "=0");
    text += "; columns";
    for (unsigned j = 0; j < n; ++j) text += " " + std::to_string(oracle::column_word(map.a, j));
    return text + "; complement " + std::to_string(oracle::to_number(map.c));
  }
};

/// Whether the map takes each index that meets the conditions to one that does.
inline bool keeps(sample const& s) {
  for (number x = 0; x < oracle::power(s.n); ++x)
    if (s.meets(x) && !s.meets(s.map(x))) return false;
  return true;
}

/// Every set of conditions in reduced form: rows with falling leading bits, each leading bit in one
/// row only, and every choice of values.
template <class F>
void for_each_condition(unsigned n, F f) {
  for (number leading = 0; leading < oracle::power(n); ++leading) {
    std::vector<unsigned> pivots;
    for (unsigned j = 0; j < n; ++j)
      if ((leading >> j & 1) != 0) pivots.push_back(j);
    std::vector<std::pair<std::size_t, unsigned>> free;  // row, bit below its leading one
    for (std::size_t i = 0; i < pivots.size(); ++i)
      for (unsigned j = 0; j < pivots[i]; ++j)
        if ((leading >> j & 1) == 0) free.emplace_back(i, j);
    for (number chosen = 0; chosen < oracle::power(static_cast<unsigned>(free.size())); ++chosen)
      for (number values = 0; values < oracle::power(static_cast<unsigned>(pivots.size()));
           ++values) {
        std::vector<bmmc::bit_condition> rows;
        for (std::size_t i = 0; i < pivots.size(); ++i)
          rows.push_back({oracle::power(pivots[i]), (values >> i & 1) != 0});
        for (std::size_t k = 0; k < free.size(); ++k)
          if ((chosen >> k & 1) != 0) rows[free[k].first].bits |= oracle::power(free[k].second);
        f(rows);
      }
  }
}

/// Every matrix of full rank, column by column.
template <class F>
void for_each_matrix(unsigned n, F f) {
  for (number code = 0; code < oracle::power(n * n); ++code) {
    oracle::matrix a(n, n);
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j) a.row[i][j] = static_cast<char>(code >> (i * n + j) & 1);
    if (oracle::rank(a) == n) f(a);
  }
}

/// All of n bits.
template <class F>
void for_each(unsigned n, F f) {
  for_each_matrix(n, [&](oracle::matrix const& a) {
    for (number c = 0; c < oracle::power(n); ++c)
      for_each_condition(n, [&](std::vector<bmmc::bit_condition> const& rows) {
        const sample s{n, rows, {a, oracle::to_bits(c, n)}};
        if (keeps(s)) f(s);
      });
  });
}

/// One of n bits, with any number of conditions, made on the first indices and renamed.
inline sample random(unsigned n, oracle::generator& random) {
  const auto k = static_cast<unsigned>(random() % (n + 1)), d = n - k;
  // On the indices whose k high bits are 0 any map that keeps them zero; then both are renamed.
  oracle::matrix inside = oracle::unit(n);
  const auto low = oracle::random_nonsingular(d, random),
             high = oracle::random_nonsingular(k, random);
  const auto mixed = oracle::random_matrix(d, k, random);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      if (i < d)
        inside.row[i][j] = j < d ? low.row[i][j] : mixed.row[i][j - d];
      else
        inside.row[i][j] = j < d ? char{0} : high.row[i - d][j - d];
  if (random() % 3 == 0) {  // a transvection: the cosets of controlled gates
    inside = oracle::unit(n);
    if (d > 1) inside.row[0][1] = 1;
  }
  const auto rename = oracle::random_nonsingular(n, random);
  const oracle::matrix back = oracle::read(inverse(to_library(rename)));
  const number corner = random() % oracle::power(n), step = random() % oracle::power(d);
  sample s{n, {}, {oracle::times(rename, oracle::times(inside, back)), {}}};
  // x = R t + corner, t -> inside t + step
  const oracle::affine renamed{rename, oracle::to_bits(corner, n)};
  const oracle::affine linear{s.map.a, oracle::bits(n, 0)};
  s.map.c = oracle::to_bits(renamed(step) ^ linear(corner), n);
  for (unsigned i = d; i < n; ++i) {  // row i of R^-1 (x + corner) = 0
    bmmc::bit_condition row;
    number sum = 0;
    for (unsigned j = 0; j < n; ++j)
      if (back.row[i][j] != 0) row.bits |= oracle::power(j), sum ^= corner >> j & 1;
    row.value = sum != 0;
    s.conditions.push_back(row);
  }
  return s;
}

/// A flip of one vector, controlled by some random sums: a Toffoli gate among others.
inline sample random_flip(unsigned n, oracle::generator& random) {
  sample s{n, {}, {oracle::unit(n), {}}};
  const number v = 1 + random() % (oracle::power(n) - 1);
  s.map.c = oracle::to_bits(v, n);
  for (unsigned k = static_cast<unsigned>(random() % 4); k > 0; --k) {
    number row = random() % oracle::power(n);
    if (std::popcount(row & v) % 2 != 0) row ^= v & (~v + 1);
    s.conditions.push_back({row, random() % 2 != 0});
    try {
      static_cast<void>(s.on_coset());
    } catch (bmmc::bad_value const&) {  // they contradict each other
      s.conditions.pop_back();
    }
  }
  return s;
}

}  // namespace every_coset
