// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// y = A x + c with any A, square or not: what is left of a permutation when some of its bits are
/// fixed or dropped.
struct affine_map {
  bit_matrix<> matrix{};
  index_t complement = 0;

  /// Cost: one exclusive or for each 1 in x.
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    return matrix * x ^ complement;
  }
  friend constexpr bool operator==(affine_map const&, affine_map const&) = default;
};

/// f after g: x goes to f(g(x)). Throws bad_value where g's rows are not f's columns.
[[nodiscard]] constexpr affine_map compose(affine_map const& f, affine_map const& g) {
  return {f.matrix * g.matrix, f(g.complement)};
}

namespace detail {

/// A number that tells two maps apart, save by an accident of 1 in 2^64 (FNV-1a).
[[nodiscard]] constexpr std::uint64_t fingerprint(affine_map const& map) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&hash](std::uint64_t word) {
    for (unsigned byte = 0; byte < 8; ++byte)
      hash = (hash ^ ((word >> (8 * byte)) & 0xff)) * 0x100000001b3U;
  };
  for (index_t column : map.matrix.column) mix(column);
  mix(map.complement);
  return hash;
}

/// Throws bad_value unless both sides have at most 63 bits and no column or complement has more.
constexpr void require_map(affine_map const& map) {
  const unsigned rows = map.matrix.rows(), cols = map.matrix.cols();
  if (rows > 63 || cols > 63)
    detail::refuse({"indices have at most 63 bits, not ", rows, " and ", cols});
  if ((map.complement & ~low_bits(rows)) != 0)
    detail::refuse(
        {"the complement ", map.complement, " of the map has more than ", rows, " bits"});
  for (unsigned j = 0; j < cols; ++j)
    if ((map.matrix.column[j] & ~low_bits(rows)) != 0)
      detail::refuse({"column ", j, " of the map has more than ", rows, " bits"});
}

}  // namespace detail

}  // namespace bmmc
