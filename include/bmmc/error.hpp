// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/version.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

namespace bmmc {

/// Mixed into every exception of the library, so that `catch (bmmc::error const&)` meets them all.
/// It has no standard base of its own: an exception with two would slip past
/// `catch (std::exception const&)`.
class error {
 public:
  virtual ~error() = default;
  /// What is wrong, with the figures.
  [[nodiscard]] virtual char const* what() const noexcept = 0;

 protected:
  error() = default;
  error(error const&) = default;
  error& operator=(error const&) = default;
};

/// A value that the operation cannot take; the text names the figures and what would be right.
class bad_value : public std::invalid_argument, public error {
 public:
  using std::invalid_argument::invalid_argument;
  [[nodiscard]] char const* what() const noexcept override { return std::invalid_argument::what(); }
};

/// A matrix that has no inverse where one is needed.
class singular_matrix : public bad_value {
 public:
  using bad_value::bad_value;
};

namespace detail {
/// How many transport_errors this thread has made: see comm::exclusive_use.
inline constinit thread_local unsigned transport_errors = 0;
}  // namespace detail

/// A message that was not delivered; the text names the MPI routine, the peer and MPI's own words.
class transport_error : public std::runtime_error, public error {
 public:
  explicit transport_error(std::string const& text) : std::runtime_error(text) {
    ++detail::transport_errors;
  }
  [[nodiscard]] char const* what() const noexcept override { return std::runtime_error::what(); }
};

namespace detail {

/// A word or a number of a text.
struct text_part {
  std::string_view word{};
  std::uint64_t number = 0;
  bool is_negative = false;

  text_part(char const* part) : word(part) {}         // NOLINT: meant to convert
  text_part(std::string const& part) : word(part) {}  // NOLINT: meant to convert
  template <std::integral I>
  text_part(I part)  // NOLINT: meant to convert
      : number(static_cast<std::uint64_t>(part < I{} ? -part : part)), is_negative(part < I{}) {}
};

/// The parts one after the other. Sums of strings say the same, but take long to compile.
[[nodiscard]] std::string text(std::initializer_list<text_part> parts);

/// "1 message", "2 messages", "4 processes".
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view thing);

/// Throws an Error with that text. Out of line, since functions that check what they are given are
/// inlined in many places.
template <class Error = bad_value>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(std::initializer_list<text_part> parts) {
  throw Error(text(parts));
}

}  // namespace detail

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/error_once.hpp>
#endif
