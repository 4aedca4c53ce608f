// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <bmmc/local/explain.hpp>
#include <bmmc/local/pass.hpp>

namespace bmmc::detail {

/// An array that std::span takes.
template <class R>
concept Chunk = requires(R& chunk) { std::span(chunk); };
/// Ranges that are refused with a sentence where an array is expected: lists, std::vector<bool>,
/// ...
template <class R>
concept ScatteredRange = requires(R& r) { std::begin(r) != std::end(r); } && !Chunk<R>;
template <Chunk R>
using element_of =
    std::remove_const_t<typename decltype(std::span(std::declval<R&>()))::element_type>;
/// Two arrays of elements of one type.
template <class Source, class Target>
concept SameElements =
    Chunk<Source> && Chunk<Target> && std::same_as<element_of<Source>, element_of<Target>>;

}  // namespace bmmc::detail

namespace bmmc::local {

namespace detail {
/// Some bytes of memory.
using bytes_of_array = std::span<std::byte const>;

[[nodiscard]] bool overlap(bytes_of_array a, bytes_of_array b) noexcept;
[[nodiscard]] char const* objection_to_pair(bytes_of_array a, bytes_of_array b) noexcept;
void require_arrays(bytes_of_array source, bytes_of_array target, index_t elements,
                    index_t element_bytes);
}  // namespace detail

/// Whether two arrays share memory. Empty ones share none.
template <class T>
[[nodiscard]] bool overlap(std::span<T const> a, std::span<T const> b) noexcept {
  return detail::overlap(std::as_bytes(a), std::as_bytes(b));
}

/// What is wrong with two arrays of the right lengths; nothing where they exist and share no
/// memory.
template <class T>
[[nodiscard]] char const* objection_to_pair(std::span<T const> a, std::span<T const> b) noexcept {
  return detail::objection_to_pair(std::as_bytes(a), std::as_bytes(b));
}

/// Throws bad_value unless both arrays hold `elements` elements and share no memory.
template <class T>
void require_arrays(std::span<T const> source, std::span<T const> target, index_t elements) {
  detail::require_arrays(std::as_bytes(source), std::as_bytes(target), elements, sizeof(T));
}

/// One process, no MPI: target[p(x)] = source[x] for all x < 2^n.
/// Shape   two arrays of 2^n elements (spans, vectors, arrays), which do not overlap.
/// Cost    one pass over both arrays, each line read once and written once; no allocation. Tables
///         are built first, which takes some microseconds: keep a pass for repeated calls.
/// Errors  bad_value before anything is written.
template <class Source, class Target, unsigned N, Threading E = sequential>
  requires bmmc::detail::SameElements<Source, Target>
void permute(Source const& source, Target&& target, permutation<N> const& p,
             E const& threads = {}) {
  using T = bmmc::detail::element_of<Source>;
  const std::span<T const> from(source);
  const std::span<T> to(target);
  require_arrays<T>(from, to, bit(p.bits()));
  pass<T>(permutation<>(p))(from.data(), to.data(), threads);
}

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/local/permute_once.hpp>
#endif
