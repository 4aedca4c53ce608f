// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

#include <bmmc/element/bytes.hpp>
#include <bmmc/element/serialized.hpp>

namespace bmmc::element {

/// The element policy of a type for which none is named.
template <class T>
using default_for = std::conditional_t<std::is_trivially_copyable_v<T>, bytes, serialized>;

}  // namespace bmmc::element
