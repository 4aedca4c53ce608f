// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <bmmc/memory.hpp>

namespace bmmc::transport {

/// Scratch elements, the library's own or lent by the caller. Own ones of a trivially copyable type
/// are not initialized: a page that no pass writes costs nothing.
template <class T>
class workspace {
 public:
  workspace() = default;
  explicit workspace(std::span<T> lent) : elements_(lent) {}
  explicit workspace(std::size_t count) : is_own_(true) {
    if constexpr (std::is_trivially_copyable_v<T>)
      elements_ = {aligned_allocator<T>().allocate(count), count};
    else
      elements_ = {new T[count](), count};
  }
  workspace(workspace&& other) noexcept
      : elements_(std::exchange(other.elements_, {})),
        is_own_(std::exchange(other.is_own_, false)) {}
  workspace& operator=(workspace&& other) noexcept {
    std::swap(elements_, other.elements_);
    std::swap(is_own_, other.is_own_);
    return *this;
  }
  ~workspace() {
    if (!is_own_) return;
    if constexpr (std::is_trivially_copyable_v<T>)
      aligned_allocator<T>().deallocate(elements_.data(), elements_.size());
    else
      delete[] elements_.data();
  }

  [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }

 private:
  std::span<T> elements_;
  bool is_own_ = false;
};

}  // namespace bmmc::transport
