// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <optional>
#include <span>
#include <string>

#include <bmmc/index/bijection.hpp>
#include <bmmc/index/catalogue/random.hpp>

namespace bmmc {

/// What a permutation is found to be. A bit permutation (BPC) is affine (BMMC) too.
enum class map_kind { neither, bmmc, bpc };

/// The answer of `detect`: the kind, and the map unless it is `neither`. Then `witness` is an index
/// with a target that no affine permutation with the same targets of 0 and the powers of two has;
/// there is none where the number of elements is no power of two, or where these targets alone
/// show that no affine permutation has them.
struct detection {
  map_kind kind = map_kind::neither;
  permutation<> map{};
  std::optional<index_t> witness{};

  [[nodiscard]] constexpr bool is_bmmc() const noexcept { return kind != map_kind::neither; }
  [[nodiscard]] constexpr bool is_bpc() const noexcept { return kind == map_kind::bpc; }
  friend constexpr bool operator==(detection const&, detection const&) = default;
};

namespace detail {

/// The only affine permutation with f's targets of 0, 1, 2, 4, .., if there is one.
template <class F>
[[nodiscard]] constexpr detection through_probes(unsigned n, F f) {
  bit_matrix<> a{n, n};
  const index_t c = f(index_t{0});
  if ((c & ~low_bits(n)) != 0) return {map_kind::neither, {}, 0};
  for (unsigned j = 0; j < n; ++j) {
    a.column[j] = f(bit(j)) ^ c;
    if ((a.column[j] & ~low_bits(n)) != 0) return {map_kind::neither, {}, bit(j)};
  }
  if (matrix_rank(a) != n) return {};
  const auto map = known_nonsingular(a, c);
  return {is_bit_permutation(map) ? map_kind::bpc : map_kind::bmmc, map, {}};
}

/// The first x in [first, first + count) with f(x) other than map(x).
/// Cost: count calls of f, and an exclusive or for each.
template <class F>
[[nodiscard]] constexpr std::optional<index_t> first_difference(permutation<> const& map,
                                                                index_t first, index_t count, F f) {
  std::array<index_t, 64> step{};  // what changes in y where x - 1 becomes x: k + 1 low bits flip
  for (unsigned k = 0; k < map.bits(); ++k)
    step[k] = map.matrix().column[k] ^ (k == 0 ? 0 : step[k - 1]);
  index_t y = count == 0 ? 0 : map(first);
  for (index_t x = first; x < first + count; ++x) {
    if (x != first) y ^= step[lowest_one(x)];
    if (f(x) != y) return x;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr detection refused_at(detection found, std::optional<index_t> witness) {
  return witness ? detection{map_kind::neither, {}, witness} : found;
}

/// Random probes that a quick detection needs.
[[nodiscard]] index_t probes_for(double epsilon, double eta);

[[nodiscard]] constexpr bool has_index_bits(index_t count) noexcept {
  return std::has_single_bit(count) && count <= bit(most_bits);
}
}  // namespace detail

/// Decides whether f, a function of the indices of n bits, is an affine permutation, and which.
/// Exact: every index is tried.
/// Cost    2^n + n + 1 calls of f. Memory: none. Constant expressions allowed.
template <class F>
  requires std::convertible_to<std::invoke_result_t<F const&, index_t>, index_t>
[[nodiscard]] constexpr detection detect(unsigned n, F const& f) {
  const auto found = detail::through_probes(n, f);
  if (!found.is_bmmc()) return found;
  return detail::refused_at(found, detail::first_difference(found.map, 0, bit(n), f));
}

/// The same for a list: index x goes to targets[x]. Any other length than a power of two is no
/// affine permutation.
[[nodiscard]] constexpr detection detect(std::span<index_t const> targets) {
  if (!detail::has_index_bits(targets.size())) return {};
  return detect(detail::lowest_one(targets.size()), [=](index_t x) { return targets[x]; });
}

/// Guesses: n + 1 probes of f give (A, c), and ceil(ln(1 / eta) / epsilon) random ones test it. A
/// function that differs from that map in epsilon 2^n places or more is refused with probability
/// 1 - eta at least; what differs in fewer may pass.
/// Cost    the probes, whatever n is.
/// Errors  bad_value unless 0 < epsilon <= 1 and 0 < eta < 1.
template <class F, class Generator>
  requires std::convertible_to<std::invoke_result_t<F const&, index_t>, index_t>
[[nodiscard]] detection detect_quickly(unsigned n, F const& f, double epsilon, double eta,
                                       Generator& generator) {
  const index_t probes = detail::probes_for(epsilon, eta);
  const auto found = detail::through_probes(n, f);
  for (index_t k = 0; found.is_bmmc() && k < probes; ++k)
    if (const index_t x = detail::random_index(n, generator); f(x) != found.map(x))
      return detail::refused_at(found, x);
  return found;
}
template <class Generator>
[[nodiscard]] detection detect_quickly(std::span<index_t const> targets, double epsilon, double eta,
                                       Generator& generator) {
  if (!detail::has_index_bits(targets.size())) return {};
  return detect_quickly(
      detail::lowest_one(targets.size()), [=](index_t x) { return targets[x]; }, epsilon, eta,
      generator);
}

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/index/detect_once.hpp>
#endif
