// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <bmmc/execution/direct_blocks.hpp>
#include <bmmc/execution/pipelined_blocks.hpp>
#include <bmmc/execution/serialized_blocks.hpp>
#include <bmmc/execution/window_blocks.hpp>

namespace bmmc::detail {

/// How blocks are carried by a policy: those of elements that must be written into bytes, or that
/// are no bytes in memory, by messages in rounds, unless alltoallv is asked for.
template <class T, class Comm, class Element>
struct blocks_by {
  using as = serialized_blocks<T, Comm, Element>;
};
template <class T, class Comm, class Element>
  requires element::Direct<Element, T>
struct blocks_by<T, Comm, Element> {
  using as = direct_blocks<T, Comm, Element>;
};
template <class T, std::derived_from<comm::pipelined> Comm, class Element>
  requires element::Direct<Element, T>
struct blocks_by<T, Comm, Element> {
  using as = pipelined_blocks<T, Element>;
};
template <class T, class Comm, class Element>
  requires ThroughWindows<T, Comm, Element>
struct blocks_by<T, Comm, Element> {
  using as = window_blocks<T, Element>;
};
template <class T, class Comm, class Element>
using blocks_for = typename blocks_by<T, Comm, Element>::as;

}  // namespace bmmc::detail
