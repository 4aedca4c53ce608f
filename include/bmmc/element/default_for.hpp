// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

#include <bmmc/element/bytes.hpp>
#include <bmmc/version.hpp>
#ifdef BMMC_HAS_BOOST
#include <bmmc/element/serialized.hpp>
#endif

namespace bmmc::element {

/// The element policy of a type for which none is named.
#ifdef BMMC_HAS_BOOST
template <class T>
using default_for = std::conditional_t<std::is_trivially_copyable_v<T>, bytes, serialized>;

static_assert(Direct<bytes, double> && !Written<bytes, double>);
static_assert(Written<serialized, double> && !Direct<serialized, double>);
#else
template <class T>
using default_for = bytes;
#endif

}  // namespace bmmc::element

namespace bmmc::detail {

/// An array that std::span takes, as permute, gather and reduce do where no element type is named.
template <class R>
concept Chunk = requires(R& chunk) { std::span(chunk); };
/// Ranges that are refused with a sentence where an array is expected: lists, std::vector<bool>,
/// ...
template <class R>
concept ScatteredRange = std::ranges::range<R> && !Chunk<R>;
template <Chunk R>
using element_of =
    std::remove_const_t<typename decltype(std::span(std::declval<R&>()))::element_type>;

}  // namespace bmmc::detail
