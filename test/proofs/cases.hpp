// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <bmmc/index/permutation.hpp>

/// All cases of a few bits, one after the other, and what holds in each of them by the definitions:
/// sums of columns, sets of numbers, division and remainder. No algebra of the library is used
/// here; it is what is looked at.
namespace proofs {

using number = std::uint64_t;
constexpr number nowhere = ~number{0};

/// The map x -> A x + c of n <= 4 bits, by its columns and by its targets.
struct affine {
  unsigned n = 0;
  std::array<number, 4> column{};
  number c = 0;
  std::array<number, 16> to{};

  [[nodiscard]] number size() const { return number{1} << n; }
};

/// The sum of the columns that x chooses, of any matrix that has them.
template <class Columns>
[[nodiscard]] number sum_of(Columns const& column, unsigned columns, number x) {
  number sum = 0;
  for (unsigned j = 0; j < columns; ++j, x /= 2)
    if (x % 2 == 1) sum ^= column[j];
  return sum;
}
[[nodiscard]] inline number image(bmmc::bit_matrix<> const& a, number x) {
  return sum_of(a.column, a.cols(), x);
}

inline affine made_of(unsigned n, std::array<number, 4> const& column, number c) {
  affine map{n, column, c, {}};
  for (number x = 0; x < map.size(); ++x) map.to[x] = sum_of(column, n, x) ^ c;
  return map;
}
[[nodiscard]] inline bmmc::permutation<> to_library(affine const& map) {
  bmmc::bit_matrix<> a(map.n, map.n);
  for (unsigned j = 0; j < map.n; ++j) a.column[j] = map.column[j];
  return bmmc::permutation<>(a, map.c);
}

/// Every complement, or for n = 4 one of the sixteen, which is another for the next matrix.
inline bool all_complements = false;
[[nodiscard]] inline std::vector<number> complements(unsigned n, number matrix) {
  if (n == 4 && !all_complements) return {matrix % 16};
  std::vector<number> all;
  for (number c = 0; c < number{1} << n; ++c) all.push_back(c);
  return all;
}

namespace detail {
/// Columns below `chosen` are independent; `spanned` says of each vector whether it is a sum of them.
template <class F>
void extend(unsigned n, unsigned chosen, std::array<number, 4>& column, std::uint32_t spanned,
            F& f) {
  if (chosen == n) return f(column);
  for (number v = 1; v < number{1} << n; ++v) {
    if ((spanned >> v & 1) != 0) continue;
    std::uint32_t more = spanned;
    for (number x = 0; x < number{1} << n; ++x)
      if ((spanned >> x & 1) != 0) more |= std::uint32_t{1} << (x ^ v);
    column[chosen] = v;
    extend(n, chosen + 1, column, more, f);
  }
}
}  // namespace detail

/// Calls f with the columns of each nonsingular matrix of n bits: 1, 1, 6, 168 or 20160 times.
template <class F>
void each_matrix(unsigned n, F f) {
  std::array<number, 4> column{};
  detail::extend(n, 0, column, 1, f);
}

/// Calls f(map) for each matrix of n bits with its complements.
template <class F>
void each_affine(unsigned n, F f) {
  number matrix = 0;
  each_matrix(n, [&](std::array<number, 4> const& column) {
    for (const number c : complements(n, matrix)) f(made_of(n, column, c));
    ++matrix;
  });
}

/// What is being looked at: named where something does not hold.
inline affine current{};
inline unsigned current_procs = 0;

inline void require(bool holds, char const* what) {
  if (holds) return;
  std::printf("NOT TRUE: %s\n  n = %u, 2^%u processes, c = %u, columns", what, current.n,
              current_procs, static_cast<unsigned>(current.c));
  for (unsigned j = 0; j < current.n; ++j)
    std::printf(" %u", static_cast<unsigned>(current.column[j]));
  std::printf("\n");
  std::exit(1);
}

/// A line of the report: how many cases there were.
inline void report(char const* what, number cases) {
  std::printf("%9llu %s\n", static_cast<unsigned long long>(cases), what);
}

}  // namespace proofs
