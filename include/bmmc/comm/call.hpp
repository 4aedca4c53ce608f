// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/policy.hpp>

namespace bmmc::detail {

/// A number that tells texts apart, save by an accident of 1 in 2^64 (FNV-1a).
[[nodiscard]] constexpr std::uint64_t fingerprint(std::string_view text) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

template <class T>
[[nodiscard]] constexpr char const* name_with_type() noexcept {
  return __PRETTY_FUNCTION__;  // ends with "[with T = X]" or "[T = X]"
}
/// How the compiler writes a type: the same in all processes of one program, and no need of RTTI.
template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  constexpr std::string_view all = name_with_type<T>();
  constexpr auto first = all.find("T = ") + 4;
  return all.substr(first, all.rfind(']') - first);
}

[[nodiscard]] constexpr comm::common_fact named_fact(char const* name, std::string_view text,
                                                     std::uint64_t value) noexcept {
  return {name, value, false, text};
}
template <class T>
[[nodiscard]] constexpr comm::common_fact type_fact(char const* name) noexcept {
  constexpr std::string_view text = type_name<T>();
  constexpr std::uint64_t value = fingerprint(text);
  return named_fact(name, text, value);
}

/// The first fact of every agreement: which function was called, so that processes which call
/// different ones learn of it.
[[nodiscard]] constexpr comm::common_fact function_fact(std::string_view function) noexcept {
  return named_fact("function called", function, fingerprint(function));
}

/// How elements are handled, as a type.
template <class T, class Element>
struct elements_of {};

/// What is known of a call before any value is looked at: the function with its kind (in place or
/// not), the element type, how elements are written, the policy with its settings. Processes that
/// differ in any of it would wait for messages that nobody sends.
template <class T, class Element, class Comm>
[[nodiscard]] std::array<comm::common_fact, 5> call_facts(std::string_view function,
                                                          Comm const& policy) {
  auto elements = type_fact<elements_of<T, Element>>("type of the elements");
  elements.text = type_name<T>();
  return {{function_fact(function),
           {"bytes of an element", sizeof(T)},
           elements,
           type_fact<Comm>("type of the policy"),
           {"settings of the policy", settings_of(policy), false}}};
}

/// A number that tells lists of facts apart.
[[nodiscard]] constexpr std::uint64_t fingerprint(
    std::span<comm::common_fact const> facts) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (comm::common_fact const& fact : facts)
    for (unsigned byte = 0; byte < 8; ++byte)
      hash = (hash ^ ((fact.value >> (8 * byte)) & 0xff)) * 0x100000001b3U;
  return hash;
}

/// Facts of a call, and more.
template <std::size_t M, std::size_t N>
[[nodiscard]] std::array<comm::common_fact, M + N> with(
    std::array<comm::common_fact, M> const& call, std::array<comm::common_fact, N> const& more) {
  static_assert(M + N <= comm::most_facts);
  std::array<comm::common_fact, M + N> all{};
  std::copy(call.begin(), call.end(), all.begin());
  std::copy(more.begin(), more.end(), all.begin() + M);
  return all;
}

}  // namespace bmmc::detail
