// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdint>
#include <istream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace example {

/// What a .npy file says about its array. Source: numpy.lib.format, versions 1.0, 2.0 and 3.0.
struct npy_header {
  std::string dtype;  // as numpy writes it: '<f8', '|u1', '<c16'
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;  // slowest axis first; empty for a single element
  std::uint64_t data_offset = 0;     // bytes before the first element
};

/// The number of elements. Throws std::runtime_error where 64 bits cannot count them.
[[nodiscard]] inline std::uint64_t element_count(std::vector<std::uint64_t> const& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (extent != 0 && count > std::numeric_limits<std::uint64_t>::max() / extent)
      throw std::runtime_error("the shape has more than 2^64 elements");
    count *= extent;
  }
  return count;
}

/// (64, 32) as numpy prints it; (64,) for one axis.
[[nodiscard]] inline std::string shape_text(std::vector<std::uint64_t> const& shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k)
    text += (k == 0 ? "" : ", ") + std::to_string(shape[k]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Bytes of an element of a simple dtype. Throws std::runtime_error for Python objects.
[[nodiscard]] inline std::uint64_t dtype_bytes(std::string const& dtype) {
  std::size_t at = dtype.find_first_not_of("<>|=");
  const char kind = at < dtype.size() ? dtype[at] : '?';
  std::uint64_t number = 0;
  while (++at < dtype.size() && std::isdigit(static_cast<unsigned char>(dtype[at])) != 0)
    number = std::min<std::uint64_t>(10'000'000,
                                     number * 10 + static_cast<std::uint64_t>(dtype[at] - '0'));
  // behind the number stands nothing, but the unit of dates, as in '<M8[ns]'
  const std::string_view unit = std::string_view(dtype).substr(std::min(at, dtype.size()));
  const bool has_unit = (kind == 'm' || kind == 'M') && unit.size() > 2 && unit.front() == '[' &&
                        unit.find_first_not_of("0123456789abcdefghijklmnopqrstuvwxyzDMWY", 1) ==
                            unit.size() - 1 &&
                        unit.back() == ']';
  if (std::string_view("biufcmMSVU").find(kind) == std::string_view::npos || number == 0 ||
      number > 1'000'000 || !(unit.empty() || has_unit))
    throw std::runtime_error("elements of dtype '" + dtype +
                             "' have no fixed number of bytes that this program knows");
  return kind == 'U' ? 4 * number : number;
}

namespace detail {

/// Reads the Python dictionary of a .npy header: strings, True, False and tuples of numbers.
class npy_dictionary {
 public:
  explicit npy_dictionary(std::string_view text) : rest_(text) {}

  npy_header read() {
    std::optional<std::string> dtype;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
    expect('{');
    while (peek() != '}') {
      const std::string key = quoted();
      expect(':');
      if ((key == "descr" && dtype) || (key == "fortran_order" && fortran_order) ||
          (key == "shape" && shape))
        throw std::runtime_error("its header has the entry '" + key + "' twice");
      if (key == "descr") {
        if (peek() == '[')
          throw std::runtime_error(
              "its elements are structures (a dtype with named fields); view them as plain "
              "elements first, in numpy a.view('V8') say");
        dtype = quoted();
      } else if (key == "fortran_order") {
        fortran_order = truth();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        throw std::runtime_error("its header has an unknown entry '" + key + "'");
      }
      if (peek() == ',') expect(',');
    }
    if (!dtype || !fortran_order || !shape)
      throw std::runtime_error("its header lacks one of descr, fortran_order and shape");
    return {*dtype, *fortran_order, *shape, 0};
  }

 private:
  [[noreturn]] void damaged() const {
    throw std::runtime_error("its header is damaged before '" + std::string(rest_.substr(0, 20)) +
                             "'");
  }
  char peek() {
    const std::size_t at = rest_.find_first_not_of(" \n\t");
    if (at == std::string_view::npos) damaged();
    rest_.remove_prefix(at);
    return rest_.front();
  }
  void expect(char c) {
    if (peek() != c) damaged();
    rest_.remove_prefix(1);
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') damaged();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) damaged();
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool truth() {
    const bool yes = peek() == 'T';
    const std::string_view word = yes ? "True" : "False";
    if (!rest_.starts_with(word)) damaged();
    rest_.remove_prefix(word.size());
    return yes;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> numbers;
    expect('(');
    while (peek() != ')') {
      if (std::isdigit(static_cast<unsigned char>(peek())) == 0) damaged();
      std::uint64_t number = 0;
      for (; !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
           rest_.remove_prefix(1)) {
        if (number > std::numeric_limits<std::uint64_t>::max() / 10 - 1) damaged();
        number = number * 10 + static_cast<std::uint64_t>(rest_.front() - '0');
      }
      numbers.push_back(number);
      if (peek() == ',') expect(',');
    }
    expect(')');
    return numbers;
  }

  std::string_view rest_;
};

}  // namespace detail

/// Reads the header of a .npy file from its beginning. Throws std::runtime_error with the reason.
[[nodiscard]] inline npy_header read_npy_header(std::istream& file) {
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::uint64_t longest = 1 << 20;
  std::string start(8, '\0');
  if (!file.read(start.data(), 8) || !start.starts_with(magic))
    throw std::runtime_error("it does not begin as a .npy file does");
  const int major = static_cast<unsigned char>(start[6]);
  if (major < 1 || major > 3)
    throw std::runtime_error("its .npy version " + std::to_string(major) + " is unknown");
  const unsigned length_bytes = major == 1 ? 2 : 4;
  std::string length_text(length_bytes, '\0');
  file.read(length_text.data(), length_bytes);
  std::uint64_t length = 0;
  for (unsigned k = length_bytes; k-- > 0;)
    length = length << 8 | static_cast<unsigned char>(length_text[k]);
  std::string text(file && length <= longest ? length : 0, '\0');
  if (!file || length > longest || !file.read(text.data(), static_cast<std::streamsize>(length)))
    throw std::runtime_error("it ends within its header");
  npy_header header = detail::npy_dictionary(text).read();
  header.data_offset = 8 + length_bytes + length;
  return header;
}

/// The bytes before the elements of a new .npy file (version 1.0, C order), a multiple of `unit`:
/// numpy writes multiples of 64, direct I/O wants pages of 4096 bytes.
[[nodiscard]] inline std::string npy_preamble(std::string const& dtype,
                                              std::vector<std::uint64_t> const& shape,
                                              std::size_t unit = 64) {
  std::string text =
      "{'descr': '" + dtype + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  text.append(unit - 1 - (10 + text.size()) % unit, ' ');
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(length & 0xff);
  start += static_cast<char>(length >> 8);
  return start + text;
}

/// The same of exactly so many bytes, to stand in the place of another one. Throws
/// std::runtime_error where that is too short.
[[nodiscard]] inline std::string npy_preamble_of_size(std::string const& dtype,
                                                      std::vector<std::uint64_t> const& shape,
                                                      std::size_t bytes) {
  std::string text = npy_preamble(dtype, shape, bytes);
  if (text.size() != bytes)
    throw std::runtime_error("its header of " + std::to_string(bytes) +
                             " bytes has no room for the new shape " + shape_text(shape));
  return text;
}

}  // namespace example
