// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "npy.hpp"

namespace example {

/// Where the elements of an array stand in a file, and how many there are.
struct array_format {
  std::string dtype;  // empty for a raw file
  std::vector<std::uint64_t>
      shape;                      // empty for a raw file; as it stands in the file, slowest first
  std::uint64_t data_offset = 0;  // bytes before the first element
  std::uint64_t element_bytes = 0;
  std::uint64_t elements = 0;
  bool fortran_order = false;  // numpy sees the axes of `shape` in reverse

  [[nodiscard]] bool is_npy() const noexcept { return !dtype.empty(); }
  [[nodiscard]] unsigned bits() const noexcept {
    return static_cast<unsigned>(std::countr_zero(elements));
  }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return elements * element_bytes; }
  [[nodiscard]] std::string text() const {
    return (is_npy() ? "dtype " + dtype + ", shape " + shape_text(shape) + ", " : "") +
           std::to_string(elements) + " elements of " + std::to_string(element_bytes) +
           (element_bytes == 1 ? " byte" : " bytes");
  }
};

namespace detail {

inline array_format npy_format(std::istream& file) {
  npy_header header = read_npy_header(file);
  const bool fortran_order = header.fortran_order && header.shape.size() > 1;
  if (fortran_order) std::reverse(header.shape.begin(), header.shape.end());
  return {header.dtype,
          header.shape,
          header.data_offset,
          dtype_bytes(header.dtype),
          element_count(header.shape),
          fortran_order};
}

inline array_format raw_format(std::uint64_t file_bytes, std::uint64_t element_bytes) {
  if (element_bytes == 0)
    throw std::runtime_error("it is not a .npy file: say --element-bytes, 1 or more, for a raw one");
  if (file_bytes % element_bytes != 0)
    throw std::runtime_error(std::to_string(file_bytes) +
                             " bytes are no whole number of elements " + "of " +
                             std::to_string(element_bytes) + " bytes");
  return {"", {}, 0, element_bytes, file_bytes / element_bytes, false};
}

}  // namespace detail

/// Looks at a file: .npy where it begins as one does, unless `element_bytes` says that it is raw.
/// Throws std::runtime_error that names the file, the figures and the reason.
[[nodiscard]] inline array_format inspect(std::string const& path, std::uint64_t element_bytes) {
  try {
    if (std::filesystem::is_directory(path)) throw std::runtime_error("it is a directory");
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::strerror(errno));
    const bool npy = element_bytes == 0 && file.peek() == 0x93;
    const std::uint64_t file_bytes = std::filesystem::file_size(path);
    const array_format a =
        npy ? detail::npy_format(file) : detail::raw_format(file_bytes, element_bytes);
    if ((a.element_bytes >> std::countr_zero(a.element_bytes)) > 15)
      throw std::runtime_error("its elements have " + std::to_string(a.element_bytes) +
                               " bytes; this program moves those of 1 to 16 bytes times 2^k");
    if (file_bytes < a.data_offset ||
        a.elements > (file_bytes - a.data_offset) / a.element_bytes)
      throw std::runtime_error("it is truncated: " + std::to_string(a.elements) + " elements of " +
                               std::to_string(a.element_bytes) + " bytes behind a header of " +
                               std::to_string(a.data_offset) + " do not fit into its " +
                               std::to_string(file_bytes) + " bytes");
    return a;
  } catch (std::exception const& e) {
    throw std::runtime_error(path + ": " + e.what());
  }
}

}  // namespace example
