// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <type_traits>

#include <bmmc/execution/automatic.hpp>
#include <bmmc/execution/direct.hpp>
#include <bmmc/execution/pipelined.hpp>
#include <bmmc/execution/serialized.hpp>
#include <bmmc/execution/shared.hpp>

namespace bmmc::detail {

/// How a policy is carried out: as an exchange of blocks, unless it knows a better way.
template <class T, class Comm, class Element>
struct carried_out {
  using as = std::conditional_t<element::Direct<Element, T>, direct_execution<T, Comm, Element>,
                                serialized_execution<T, Comm, Element>>;
};
template <class T, std::derived_from<comm::shared_window> Comm, class Element>
  requires Movable<T, Element>
struct carried_out<T, Comm, Element> {
  using as = shared_execution<T, Element>;
};
template <class T, std::derived_from<comm::automatic> Comm, class Element>
  requires Movable<T, Element>
struct carried_out<T, Comm, Element> {
  using as = automatic_execution<T, Element, Comm>;
};
template <class T, std::derived_from<comm::pipelined> Comm, class Element>
  requires Movable<T, Element>
struct carried_out<T, Comm, Element> {
  using as = pipelined_execution<T, Element>;
};

}  // namespace bmmc::detail
