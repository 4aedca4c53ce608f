// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>

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
