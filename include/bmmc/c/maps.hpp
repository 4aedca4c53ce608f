// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include <bmmc/c/errors.hpp>
#include <bmmc/index/catalogue/axes.hpp>
#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/catalogue/gates.hpp>
#include <bmmc/index/catalogue/gray.hpp>
#include <bmmc/index/catalogue/morton.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/layout/policies.hpp>

namespace bmmc::detail::c {

/// What a bmmc_map stands for. The permutation, where it is one, is checked once, here.
struct map_object : object {
  static constexpr char name[] = "a map";

  explicit map_object(affine_map const& m) : object(name), map(m) {
    detail::require_map(m);
    if (m.matrix.rows() == m.matrix.cols() && matrix_rank(m.matrix) == m.matrix.cols())
      inverse_exists = detail::known_nonsingular(m.matrix, m.complement);
  }
  explicit map_object(permutation<> const& p) : object(name), map(as_map(p)), inverse_exists(p) {}

  /// Throws bad_value where the map is none.
  [[nodiscard]] permutation<> const& as_permutation() const {
    if (!inverse_exists)
      detail::refuse({"a map of ", map.matrix.cols(), " bits to ", map.matrix.rows(), ", of rank ",
                      matrix_rank(map.matrix), ", is no permutation"});
    return *inverse_exists;
  }

  affine_map map;
  std::optional<permutation<>> inverse_exists;
};

/// A map by its name in bmmc.h.
struct named_map {
  using parameters = std::span<std::uint64_t const>;
  std::string_view name;
  unsigned count;
  affine_map (*make)(parameters);
};

/// A parameter as a number of bits. Whatever is too large is refused by the catalogue.
[[nodiscard]] constexpr unsigned small(std::uint64_t given) noexcept {
  return static_cast<unsigned>(std::min<std::uint64_t>(given, 1U << 20));
}
[[nodiscard]] constexpr unsigned bits_below_64(std::uint64_t given) {
  if (given > most_bits) detail::refuse({"indices have at most 63 bits, not ", given});
  return static_cast<unsigned>(given);
}

namespace names {
using p = named_map::parameters;
template <permutation<> (*Make)(unsigned)>
affine_map of_bits(p a) {
  return as_map(Make(bits_below_64(a[0])));
}
template <permutation<> (*Make)(unsigned, unsigned)>
affine_map of_two(p a) {
  return as_map(Make(bits_below_64(a[0]), small(a[1])));
}
template <permutation<> (*Make)(unsigned, unsigned, unsigned)>
affine_map of_three(p a) {
  return as_map(Make(bits_below_64(a[0]), small(a[1]), small(a[2])));
}
template <class L>
affine_map of_layout(L const& layout, p a) {
  return as_map(layout.physical(bits_below_64(a[0]), proc_bits_of(a[1])));
}
inline affine_map transposition(p a) {
  const unsigned rows = bits_below_64(a[0]), columns = bits_below_64(a[1]);
  return as_map(transpose(rows, bits_below_64(rows + columns) - rows));
}

/// n steps leave every bit where it is, so any number of them has a meaning.
inline affine_map rotation(p a) {
  const unsigned n = bits_below_64(a[0]);
  return as_map(rotate_bits(n, n == 0 ? 0 : static_cast<unsigned>(a[1] % n)));
}

inline constexpr std::array<named_map, 21> all{{
    {"identity", 1, of_bits<identity_permutation>},
    {"bit_reversal", 1, of_bits<bit_reversal>},
    {"vector_reversal", 1, of_bits<vector_reversal>},
    {"shuffle", 1, of_bits<shuffle>},
    {"unshuffle", 1, of_bits<unshuffle>},
    {"gray_encode", 1, of_bits<gray_encode>},
    {"gray_decode", 1, of_bits<gray_decode>},
    {"rotate_bits", 2, rotation},
    {"morton_encode", 2, of_two<morton_encode>},
    {"morton_decode", 2, of_two<morton_decode>},
    {"flip", 2, of_two<flip>},
    {"swap_bits", 3, of_three<swap_bits>},
    {"cnot", 3, of_three<cnot>},
    {"transpose", 2, transposition},
    {"block_to_cyclic", 2, [](p a) { return as_map(block_to_cyclic(bits_below_64(a[0]), a[1])); }},
    {"cyclic_to_block", 2, [](p a) { return as_map(cyclic_to_block(bits_below_64(a[0]), a[1])); }},
    {"processor_major", 2, [](p a) { return of_layout(layout::processor_major(), a); }},
    {"processor_minor", 2, [](p a) { return of_layout(layout::processor_minor(), a); }},
    {"banded", 3, [](p a) { return of_layout(layout::banded(small(a[2])), a); }},
    {"gray_processes", 2,
     [](p a) { return of_layout(layout::gray<layout::processor_major>(), a); }},
    {"drop_bits", 3, [](p a) { return drop_bits(bits_below_64(a[0]), small(a[1]), small(a[2])); }},
}};
}  // namespace names

/// Throws bad_value for a name that is not there and for another number of parameters.
[[nodiscard]] inline affine_map map_by_name(std::string_view name, named_map::parameters given) {
  for (named_map const& each : names::all) {
    if (each.name != name) continue;
    if (given.size() != each.count)
      detail::refuse(
          {"the map ", std::string(name), " has ", each.count, " parameters, not ", given.size()});
    return each.make(given);
  }
  detail::refuse({"there is no map of the name ", std::string(name)});
}

/// A layout from its handle; 0 is processor-major.
[[nodiscard]] inline permutation<> layout_of(bmmc_map handle, unsigned n) {
  if (handle.id == 0) return identity_permutation(n);
  return get<map_object>(handle)->as_permutation();
}

/// The same map for elements of 2^lg_units units each: the bits that number these stay as they are.
[[nodiscard]] inline affine_map of_units(affine_map const& map, unsigned lg_units) {
  if (map.matrix.cols() + lg_units > most_bits || map.matrix.rows() + lg_units > most_bits)
    throw bad_value("an array has at most 2^63 bytes");
  bit_matrix<> a(map.matrix.rows() + lg_units, map.matrix.cols() + lg_units);
  for (unsigned j = 0; j < lg_units; ++j) a.column[j] = bit(j);
  for (unsigned j = 0; j < map.matrix.cols(); ++j)
    a.column[lg_units + j] = map.matrix.column[j] << lg_units;
  return {a, map.complement << lg_units};
}
[[nodiscard]] inline permutation<> of_units(permutation<> const& p, unsigned lg_units) {
  const affine_map units = of_units(as_map(p), lg_units);
  return detail::known_nonsingular(units.matrix, units.complement);
}

}  // namespace bmmc::detail::c
