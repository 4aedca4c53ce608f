// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/gf2/exchange.hpp>

namespace bmmc {

namespace detail {
/// Throws bad_value unless `order` holds each of 0 .. n-1 once.
constexpr void require_order(unsigned n, dimension_order const& order) {
  index_t seen = 0;
  for (unsigned k : order) {
    if (k >= n || (seen & bit(k)) != 0)
      detail::refuse({"dimension ", k, " is named twice or beyond ", n});
    seen |= bit(k);
  }
  if (order.size() != n)
    detail::refuse({"an order of ", n, " dimensions cannot have ", order.size()});
}

/// Row k of a, as a set of columns.
[[nodiscard]] constexpr index_t row_of(bit_matrix<> const& a, unsigned k) noexcept {
  index_t row = 0;
  for (unsigned j = 0; j < a.cols(); ++j) row |= static_cast<index_t>(entry(a, k, j)) << j;
  return row;
}

/// One step of columnwise Gauss-Jordan elimination: adds column k to others, so that row k becomes
/// the row of the identity. False, with nothing changed, where the pivot is zero.
/// Returns the old row in `row`. Cost: O(n) word operations.
constexpr bool clear_row(bit_matrix<>& a, unsigned k, index_t& row) noexcept {
  if (!entry(a, k, k)) return false;
  row = row_of(a, k);
  for (unsigned j = 0; j < a.cols(); ++j)
    if (j != k && entry(a, k, j)) a.column[j] ^= a.column[k];
  return true;
}
}  // namespace detail

/// The principal submatrix on the rows and columns of `dimensions` is nonsingular.
[[nodiscard]] constexpr bool is_nonsingular_minor(bit_matrix<> const& a, index_t dimensions) {
  bit_matrix<> minor{a.rows(), a.cols()};
  for (unsigned j = 0; j < a.cols(); ++j)
    if (((dimensions >> j) & 1) != 0) minor.column[j] = a.column[j] & dimensions;
  return matrix_rank(minor) == static_cast<unsigned>(std::popcount(dimensions));
}

/// Every principal submatrix on the first k dimensions of `order` is nonsingular, for all k.
/// Cost: O(n^3) word operations. Throws bad_value where `order` is no order of n dimensions.
[[nodiscard]] constexpr bool has_nonsingular_minors(bit_matrix<> const& a,
                                                    dimension_order const& order) {
  detail::require_square(a);
  detail::require_order(a.cols(), order);
  index_t dimensions = 0;
  for (unsigned k : order)
    if (!is_nonsingular_minor(a, dimensions |= bit(k))) return false;
  return true;
}
/// The same for the standard order: all leading principal minors.
[[nodiscard]] constexpr bool has_nonsingular_minors(bit_matrix<> const& a) {
  return has_nonsingular_minors(a, ascending_order(a.cols()));
}

/// A as a product of n conditional exchanges, done in the given order of their dimensions. There is
/// at most one; there is none where a principal minor on the first dimensions of the order is
/// singular. Then columnwise Gauss-Jordan elimination meets a zero pivot.
/// Cost    O(n^2) word operations, no allocation.
/// Errors  singular_matrix for an A that is not square, bad_value for what is no order.
/// Source  Edelman, Heller, Johnsson 1994, theorem 3.1 and corollary 3.2.
[[nodiscard]] constexpr std::optional<exchange_list> exchange_factors(
    bit_matrix<> a, dimension_order const& order) {
  detail::require_square(a);
  detail::require_order(a.cols(), order);
  exchange_list found;
  for (unsigned k : order) {  // A E_1 E_2 .. E_n = 1, and every E is its own inverse
    index_t row = 0;
    if (!detail::clear_row(a, k, row)) return std::nullopt;
    found.push_back({k, row});
  }
  return found;
}
/// The same in standard order: dimension 0 first.
[[nodiscard]] constexpr std::optional<exchange_list> exchange_factors(bit_matrix<> const& a) {
  return exchange_factors(a, ascending_order(a.cols()));
}

/// Largest matrix for which find_exchange_order searches.
inline constexpr unsigned most_search_bits = 24;

/// An order of the dimensions in which A is a product of n conditional exchanges, or nothing where
/// there is none: the search is complete. A permutation matrix other than the identity has none.
/// Cost    the state after some dimensions depends on their set alone, so each of the 2^n sets is
///         visited once at most: O(2^n n) word operations and 2^n bits of memory in the worst case
///         (two seconds and 2 MiB for n = 24). Most matrices that have an order have many.
/// Errors  bad_value for n > most_search_bits; singular_matrix for an A that is not square.
/// Source  Edelman, Heller, Johnsson 1994, corollary 3.2.
[[nodiscard]] constexpr std::optional<dimension_order> find_exchange_order(bit_matrix<> const& a) {
  detail::require_square(a);
  const unsigned n = a.cols();
  if (n > most_search_bits)
    detail::refuse({"the search for an order visits 2^n sets: it is for ", most_search_bits,
                    " dimensions at most, not ", n});
  std::vector<index_t> dead((bit(n) + 63) / 64,
                            index_t{0});  // one bit a set: no order begins with it
  std::vector<bit_matrix<>> states{a};
  dimension_order order;
  index_t taken = 0;
  unsigned next = 0;  // the dimension to try in this state
  while (order.size() < n) {
    bool grown = false;
    for (; next < n && !grown; ++next) {
      const index_t grows = taken | bit(next);
      if (grows == taken || ((dead[grows / 64] >> (grows % 64)) & 1) != 0) continue;
      if (!entry(states.back(), next, next)) continue;
      states.push_back(states.back());
      index_t row = 0;
      detail::clear_row(states.back(), next, row);
      order.push_back(next);
      taken = grows;
      grown = true;
    }
    if (grown) {
      next = 0;
      continue;
    }
    dead[taken / 64] |= bit(taken % 64);
    if (order.empty()) return std::nullopt;
    states.pop_back();
    const unsigned last = order[--order.count];
    taken &= ~bit(last);
    next = last + 1;
  }
  return order;
}

/// A, singular or not, as n conditional exchanges and projections in the given order; nothing where
/// some bit of the result can no longer be computed when its turn comes. Uses as few projections as
/// there can be: n minus the rank of A.
/// In standard order it exists where, for every k, row k of A cut to its first k columns is a sum
/// of the rows above it, cut likewise; for nonsingular A those are the matrices of theorem 3.1.
/// Cost    O(n^3) word operations.
/// Errors  as exchange_factors.
[[nodiscard]] constexpr std::optional<exchange_list> conditional_factors(
    bit_matrix<> const& a, dimension_order const& order) {
  detail::require_square(a);
  detail::require_order(a.cols(), order);
  const unsigned n = a.cols();
  auto held = identity_matrix(n);  // column j: what bit j holds, as a sum of the bits at the start
  exchange_list found;
  for (unsigned k : order) {
    const index_t wanted = detail::row_of(a, k);
    auto sum = solve(held, wanted);
    if (!sum) return std::nullopt;
    auto others = held;
    others.column[k] = 0;
    // keep bit k in the sum where that is possible: then it is an exchange
    if ((*sum & bit(k)) == 0)
      if (const auto twin = solve(others, held.column[k])) *sum ^= (*twin & ~bit(k)) | bit(k);
    held.column[k] = wanted;
    found.push_back({k, *sum});
  }
  return found;
}
[[nodiscard]] constexpr std::optional<exchange_list> conditional_factors(bit_matrix<> const& a) {
  return conditional_factors(a, ascending_order(a.cols()));
}

}  // namespace bmmc
