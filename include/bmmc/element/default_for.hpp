// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include <bmmc/element/bytes.hpp>
#include <bmmc/element/serialized.hpp>

namespace bmmc::element {

/// The element policy of a type for which none is named.
template <class T>
using default_for = std::conditional_t<std::is_trivially_copyable_v<T>, bytes, serialized>;

static_assert(Direct<bytes, double> && !Written<bytes, double>);
static_assert(Written<serialized, double> && !Direct<serialized, double>);

}  // namespace bmmc::element

namespace bmmc::detail {

/// An array that std::span takes, as permute, gather and reduce do where no element type is named.
template <class R>
concept Chunk = requires(R& chunk) { std::span(chunk); };
template <Chunk R>
using element_of =
    std::remove_const_t<typename decltype(std::span(std::declval<R&>()))::element_type>;

}  // namespace bmmc::detail
