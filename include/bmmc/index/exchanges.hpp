// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/gf2/exchange_factors.hpp>
#include <bmmc/gf2/lu.hpp>
#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// The permutation of n bits that exchanges make, the first in the list first.
/// Throws singular_matrix where one of them is a projection.
[[nodiscard]] constexpr permutation<> compose_exchanges(unsigned n, exchange_list const& list) {
  index_t complement = 0;
  for (conditional_exchange const& e : list) complement = e(complement);
  return permutation<>(product(n, list), complement);
}

/// The permutation that one exchange makes. Throws singular_matrix for a projection.
[[nodiscard]] constexpr permutation<> to_permutation(unsigned n, conditional_exchange const& e) {
  return compose_exchanges(n, {e});
}

/// y = A x + c as n conditional exchanges in the given order of their dimensions, or nothing where
/// a principal minor of A along the order is singular. The complement is spread over their flips.
/// Cost    O(n^2) word operations. Throws bad_value for what is no order of n dimensions.
/// Source  Edelman, Heller, Johnsson 1994, theorem 3.1 and corollary 3.2.
[[nodiscard]] constexpr std::optional<exchange_list> exchange_factors(
    permutation<> const& p, dimension_order const& order) {
  auto found = exchange_factors(p.matrix(), order);
  if (!found) return found;
  index_t shift = 0;  // of the bits that have their final value
  for (unsigned k = 0; k < found->size(); ++k) {
    conditional_exchange& e = (*found)[k];
    const index_t wanted = p.complement() & bit(e.dimension);
    e.flip = (e(shift) ^ wanted) >> e.dimension & 1;
    shift |= wanted;
  }
  return found;
}
[[nodiscard]] constexpr std::optional<exchange_list> exchange_factors(permutation<> const& p) {
  return exchange_factors(p, ascending_order(p.bits()));
}

/// Exchanges and a permutation of index bits that together make a permutation.
struct exchange_and_rename {
  exchange_list exchanges{};
  permutation<> renaming{};
};

/// y = P L U x + c: conditional exchanges in standard order, which a hypercube can pipeline, then
/// the bit permutation `renaming`, which only gives the nodes new names. Exists for every
/// permutation.
/// Source  Edelman, Heller, Johnsson 1994, corollary 3.6.
[[nodiscard]] constexpr exchange_and_rename exchange_then_rename(permutation<> const& p) {
  const auto f = plu(p.matrix());
  const auto undo = transposed(f.permuting);
  return {*exchange_factors(permutation<>(f.lower * f.upper, undo * p.complement())),
          permutation<>(f.permuting)};
}

/// The same with a renaming that is given, any permutation of the index bits: nothing where the
/// rest has a singular leading minor. For p = U1^-1 P U2 x + c with upper triangular U1 and U2 and
/// the renaming P there is always a result: two codes and a permutation of axes in between, say.
/// Cost    O(n^2) word operations. Throws bad_value where `renaming` is no bit permutation, or has
///         another number of bits.
/// Source  Edelman, Heller, Johnsson 1994, corollary 3.7 as we reconstruct it.
[[nodiscard]] constexpr std::optional<exchange_and_rename> exchange_then_rename(
    permutation<> const& p, permutation<> const& renaming) {
  if (!is_bit_permutation(renaming) || renaming.complement() != 0)
    throw bad_value("nodes are renamed by a permutation of index bits, without complement");
  const auto exchanges = exchange_factors(compose(inverse(renaming), p));
  if (!exchanges) return std::nullopt;
  return exchange_and_rename{*exchanges, renaming};
}

/// y = L U P x + c, the other way: the nodes are renamed first, then the exchanges follow.
[[nodiscard]] constexpr exchange_and_rename rename_then_exchange(permutation<> const& p) {
  const auto f = lup(p.matrix());
  return {*exchange_factors(permutation<>(f.lower * f.upper, p.complement())),
          permutation<>(f.permuting)};
}

}  // namespace bmmc
