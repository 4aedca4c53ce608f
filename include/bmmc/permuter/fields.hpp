// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/element/default_for.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/local/permute.hpp>

namespace bmmc {

/// The element type of one array of a set.
class field_kind {
 public:
  template <class T, class Element = element::default_for<T>>
  [[nodiscard]] static field_kind of() {
    static_assert(detail::Movable<T, Element>, "fields travel from where they lie in memory");
    return field_kind(detail::element_kind::of<T, Element>(), &tag<T>,
                      detail::type_fact<detail::elements_of<T, Element>>("").value);
  }

  [[nodiscard]] detail::element_kind const& element() const noexcept { return element_; }
  [[nodiscard]] void const* type() const noexcept { return type_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return element_.bytes(); }
  /// Tells types apart, on all processes alike.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  template <class T>
  static constexpr char tag = 0;  // its address names T

 private:
  field_kind(detail::element_kind element, void const* type, std::uint64_t number)
      : element_(std::move(element)), type_(type), number_(number) {}
  detail::element_kind element_;
  void const* type_;
  std::uint64_t number_;
};

/// A chunk of any element type, as a call of a permuter_set or redistributor_set takes it.
class field_span {
 public:
  /// Of anything that std::span takes.
  template <class R>
    requires requires(R& chunk) { std::span(chunk); }
  field_span(R&& chunk)  // NOLINT: meant to convert
      : field_span(std::span(chunk), 0) {}
  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] void const* type() const noexcept { return type_; }

 private:
  template <class T, std::size_t Extent>
  field_span(std::span<T, Extent> chunk, int)
      : data_(chunk.data()), size_(chunk.size()), type_(&field_kind::tag<T>) {
    static_assert(!std::is_const_v<T>, "the arrays of a set are moved in place: not const ones");
  }
  void* data_;
  std::size_t size_;
  void const* type_;
};

namespace detail {

/// What all processes must agree on about the arrays of a set.
[[nodiscard]] inline std::array<comm::common_fact, 2> facts_of(
    std::vector<field_kind> const& kinds) {
  std::uint64_t types = 0;
  for (field_kind const& kind : kinds) types = types * 0x100000001b3U ^ kind.number();
  return {{{"number of arrays", kinds.size()}, {"element types", types, false}}};
}

/// What a process has to say against the arrays of a call: nothing where all is well.
/// against_chunk(field_span) is what it has to say against one of them, but for its type.
template <class Objection>
[[nodiscard]] std::string objection_to_fields(std::vector<field_kind> const& kinds,
                                              std::vector<field_span> const& chunks,
                                              Objection against_chunk) {
  if (chunks.size() != kinds.size())
    return text({"the set has ", kinds.size(), " arrays, not ", chunks.size()});
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (chunks[i].type() != kinds[i].type())
      return text({"array ", i, " has elements of another type"});
    const std::string against = against_chunk(chunks[i]);
    if (!against.empty()) return text({"array ", i, ": ", against});
  }
  return {};
}

/// The same against arrays without gaps that overlap.
[[nodiscard]] inline std::string objection_to_overlap(std::vector<field_kind> const& kinds,
                                                      std::vector<field_span> const& chunks) {
  const auto bytes = [&](std::size_t i) {
    return local::detail::bytes_of_array{static_cast<std::byte const*>(chunks[i].data()),
                                         chunks[i].size() * kinds[i].bytes()};
  };
  for (std::size_t i = 0; i < chunks.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (local::detail::overlap(bytes(k), bytes(i)))
        return text({"arrays ", k, " and ", i, " overlap"});
  return {};
}

}  // namespace detail

}  // namespace bmmc
