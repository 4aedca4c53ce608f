// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/window.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/plan/plan.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc {

namespace detail {

/// What a process has to say against spans: nothing where all is well.
[[nodiscard]] std::string objection_to_arrays(local::detail::bytes_of_array source,
                                              local::detail::bytes_of_array target,
                                              index_t elements, index_t element_bytes);
template <class T>
[[nodiscard]] std::string objection_to(index_t chunk, std::span<T const> source,
                                       std::span<T const> target) {
  return objection_to_arrays(std::as_bytes(source), std::as_bytes(target), chunk, sizeof(T));
}
[[nodiscard]] std::string objection_to_chunk(index_t elements, void const* data, std::size_t size);
template <class T>
[[nodiscard]] std::string objection_to(index_t chunk, std::span<T const> data) {
  return objection_to_chunk(chunk, data.data(), data.size());
}

}  // namespace detail

/// Whether a permuter serves calls in place, from a source to a target, or both: it has the
/// workspace for those only.
enum class call_kind { any, in_place, between_spans };

namespace detail {

[[nodiscard]] constexpr comm::common_fact kind_fact(call_kind kind) noexcept {
  constexpr std::array<std::string_view, 3> names{"any", "in place", "from source to target"};
  const auto number = static_cast<std::size_t>(kind);
  return named_fact("kind of call", names[number], number);
}

}  // namespace detail

/// Options of a permuter, behind layout and policy, by name:
///     make_permuter<T>(world, p, layout, policy, {.kind = call_kind::in_place, .lent = workspace})
template <class T>
struct permuter_options {
  call_kind kind = call_kind::any;
  /// Workspace of at least workspace_elements(), which stays the caller's; none: the permuter's
  /// own.
  std::span<T> lent{};
  /// Shared memory for policies that use windows, which several permuters use in turn: made by the
  /// first one, and anew where it is too small; nullptr: the permuter's own. Calls with a
  /// shared_vector in place then copy.
  std::shared_ptr<comm::window>* window = nullptr;
  /// All processes agree before each call, as permute() does, so that none writes to a window while
  /// others still read what an earlier call has left there: ways through windows need no barrier at
  /// their end.
  bool agrees_before_calls = false;
};

namespace detail {

/// Workspace of so many elements: what was lent, or the permuter's own. Throws bad_value where less
/// was lent.
template <class T>
[[nodiscard]] transport::workspace<T> workspace_of(std::span<T> lent, index_t needed) {
  if (lent.empty()) return transport::workspace<T>(needed);
  if (lent.size() < needed)
    refuse({"the workspace lent must hold ", needed, " elements, not ", lent.size()});
  return transport::workspace<T>(lent);
}

/// What a process has to say against a call besides `text`: of the other kind than the permuter was
/// built for, or with data over the workspace that was lent.
[[nodiscard]] std::string objection_to_call(
    call_kind built_for, local::detail::bytes_of_array lent, call_kind kind,
    std::array<local::detail::bytes_of_array, 2> const& used, std::string text);
template <class T>
[[nodiscard]] std::string objection_to_call(permuter_options<T> const& options, call_kind kind,
                                            std::array<std::span<T const>, 2> used,
                                            std::string text) {
  return objection_to_call(options.kind, std::as_bytes(options.lent), kind,
                           {std::as_bytes(used[0]), std::as_bytes(used[1])}, std::move(text));
}

}  // namespace detail

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/permuter/options_once.hpp>
#endif
