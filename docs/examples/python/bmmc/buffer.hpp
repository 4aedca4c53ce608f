// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace bmmc_python {

namespace py = pybind11;

/// The part of DLPack that says where an array lies on the CPU (dlpack.h, version 0.8).
namespace dlpack {
struct tensor {
  void* data;
  struct {
    std::int32_t type, id;
  } device;
  std::int32_t order;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } element;
  std::int64_t *shape, *strides;
  std::uint64_t offset;
};
struct managed {
  tensor array;
  void* context;
  void (*end)(managed*);
};
inline constexpr std::int32_t cpu = 1;
}  // namespace dlpack

/// An array of Python, looked at where it lies: by the buffer protocol, or DLPack. It is kept alive
/// and in its place as long as this lives.
class buffer {
 public:
  /// Throws ValueError unless the elements lie one after the other, of `bytes` each where that is
  /// not 0, of one of the formats (as in the module struct) where these are given.
  buffer(py::object const& array, bool is_written, std::size_t bytes, std::string_view formats)
      : buffer() {  // whatever is thrown below, the array is given back
    if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) == 0) {
      has_view_ = true;
      take_view(is_written);
    } else {
      PyErr_Clear();
      find_elsewhere(array, is_written);
    }
    if (bytes != 0 && element_bytes_ != bytes)
      throw py::value_error("elements must have " + std::to_string(bytes) + " bytes, not " +
                            std::to_string(element_bytes_));
    if (!formats.empty() &&
        (format_.size() != 1 || formats.find(format_[0]) == std::string_view::npos))
      throw py::value_error("elements must be of the format " + std::string(formats) +
                            " of the module struct, not " + std::string(format_));
  }
  buffer(buffer&& other) noexcept { take(other); }
  buffer& operator=(buffer&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~buffer() { release(); }

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }

 private:
  buffer() = default;

  void take_view(bool is_written) {
    format_ = view_.format == nullptr ? "B" : view_.format;
    if (is_written && view_.readonly != 0)
      throw py::value_error("the array is read-only, and would be written");
    if (PyBuffer_IsContiguous(&view_, 'C') == 0)
      throw py::value_error(
          "the elements do not lie one after the other: pass numpy.ascontiguousarray(array)");
    if (holds_objects(format_))
      throw py::value_error("the elements are Python objects, which cannot leave their process");
    if (format_.starts_with('<') || format_.starts_with('=') || format_.starts_with('@'))
      format_.remove_prefix(1);
    if (format_ == "Zf") format_ = "F";  // complex numbers, by numpy's letters
    if (format_ == "Zd") format_ = "D";
    data_ = view_.buf;
    element_bytes_ = static_cast<std::size_t>(view_.itemsize);
    elements_ = view_.itemsize == 0 ? 0 : static_cast<std::uint64_t>(view_.len / view_.itemsize);
  }

  /// Whether a format has an O outside of the names of fields, which stand between colons.
  [[nodiscard]] static bool holds_objects(std::string_view format) noexcept {
    bool is_name = false;
    for (const char c : format) {
      if (c == ':') is_name = !is_name;
      if (c == 'O' && !is_name) return true;
    }
    return false;
  }

  void find_elsewhere(py::object const& array, bool is_written) {
    // numpy has dtypes that the buffer protocol has no letter for, datetime64 say.
    if (py::isinstance<py::array>(array)) {
      const auto bytes = array.attr("dtype").attr("itemsize").cast<std::size_t>();
      const py::object plain = array.attr("view")("V" + std::to_string(bytes));
      if (PyObject_GetBuffer(plain.ptr(), &view_, PyBUF_FORMAT | PyBUF_STRIDES) != 0)
        throw py::error_already_set();
      has_view_ = true;
      return take_view(is_written);
    }
    if (!py::hasattr(array, "__dlpack__"))
      throw py::value_error("an array with the buffer protocol or DLPack is needed, not " +
                            py::str(py::type::handle_of(array)).cast<std::string>());
    take_capsule(array.attr("__dlpack__")());
  }

  void take_capsule(py::object const& capsule) {
    auto* const managed =
        static_cast<dlpack::managed*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (managed == nullptr) throw py::error_already_set();
    dlpack::tensor const& a = managed->array;
    if (a.device.type != dlpack::cpu)
      throw py::value_error("the array is not in the memory of the CPU");
    if (a.element.bits % 8 != 0) throw py::value_error("elements are no whole bytes");
    std::int64_t elements = 1;
    for (std::int32_t k = a.order; k-- > 0;) {
      if (a.strides != nullptr && a.shape[k] > 1 && a.strides[k] != elements)
        throw py::value_error("the elements do not lie one after the other: make a copy first");
      elements *= a.shape[k];
    }
    PyCapsule_SetName(capsule.ptr(), "used_dltensor");  // from here on it is ours to end
    managed_ = managed;
    data_ = static_cast<char*>(a.data) + a.offset;
    elements_ = static_cast<std::uint64_t>(elements);
    element_bytes_ = std::size_t{a.element.bits} / 8 * a.element.lanes;
    format_ = format_of(a.element.code, element_bytes_);
  }
  /// Numbers by the codes of DLPack: 0 signed, 1 unsigned, 2 floating point, 5 complex.
  [[nodiscard]] static std::string_view format_of(std::uint8_t code, std::size_t bytes) noexcept {
    if (code == 0) return bytes == 4 ? "i" : bytes == 8 ? "l" : "";
    if (code == 1) return bytes == 4 ? "I" : bytes == 8 ? "L" : "";
    if (code == 2) return bytes == 4 ? "f" : bytes == 8 ? "d" : "";
    return code == 5 ? (bytes == 8 ? "F" : "D") : "";
  }

  void take(buffer& other) noexcept {
    view_ = other.view_;
    has_view_ = std::exchange(other.has_view_, false);
    managed_ = std::exchange(other.managed_, nullptr);
    data_ = other.data_;
    elements_ = other.elements_;
    element_bytes_ = other.element_bytes_;
    format_ = {};
  }
  void release() noexcept {
    if (std::exchange(has_view_, false)) PyBuffer_Release(&view_);
    if (managed_ != nullptr && managed_->end != nullptr) managed_->end(managed_);
    managed_ = nullptr;
  }

  Py_buffer view_{};
  bool has_view_ = false;
  dlpack::managed* managed_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t elements_ = 0;
  std::size_t element_bytes_ = 0;
  std::string_view format_;
};

}  // namespace bmmc_python
