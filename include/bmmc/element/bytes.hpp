// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <type_traits>
#include <utility>

#include <bmmc/comm/datatype.hpp>

namespace bmmc::element {

/// An element policy whose elements travel from where they lie in memory.
template <class E, class T>
concept Direct = requires {
  { E::template datatype<T>() } -> std::same_as<comm::datatype>;
};

/// An element policy whose elements are written one after the other, and read again.
template <class E, class T>
concept Written = requires(typename E::writer& write, typename E::reader& read, T& element) {
  write(std::as_const(element));
  read(element);
};

/// Elements travel as the bytes they have in memory: numbers, std::complex, plain structs. The
/// default for trivially copyable types. All processes must store T alike.
struct bytes {
  template <class T>
  [[nodiscard]] static comm::datatype datatype() {
    static_assert(std::is_trivially_copyable_v<T>,
                  "element::bytes moves memory, which only a trivially copyable type allows: use "
                  "element::serialized");
    return comm::datatype::bytes(sizeof(T));
  }
};

}  // namespace bmmc::element

namespace bmmc::detail {

/// Elements that can be moved as bytes, from where they lie.
template <class T, class Element>
concept Movable = element::Direct<Element, T> && std::is_trivially_copyable_v<T>;

/// The datatype of elements that travel from where they lie; none for those that are written.
template <class T, class Element>
[[nodiscard]] comm::datatype datatype_of() {
  if constexpr (element::Direct<Element, T>)
    return Element::template datatype<T>();
  else
    return {};
}

}  // namespace bmmc::detail
