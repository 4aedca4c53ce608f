// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>

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

/// A message that was not delivered; the text names the MPI routine, the peer and MPI's own words.
class transport_error : public std::runtime_error, public error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] char const* what() const noexcept override { return std::runtime_error::what(); }
};

}  // namespace bmmc
