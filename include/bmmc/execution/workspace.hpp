// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace bmmc::detail {

/// Scratch elements, the library's own or lent by the caller. Own ones of a trivially copyable type
/// are aligned to lines, which passes like, and not initialized: a page that no pass writes costs
/// nothing.
template <class T>
class workspace {
 public:
  workspace() = default;
  explicit workspace(std::span<T> lent) : elements_(lent) {}
  explicit workspace(std::size_t count) : is_own_(true) {
    if constexpr (std::is_trivially_copyable_v<T>)
      elements_ = {static_cast<T*>(::operator new(count * sizeof(T), alignment)), count};
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
      ::operator delete(elements_.data(), alignment);
    else
      delete[] elements_.data();
  }

  [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }

 private:
  static constexpr std::align_val_t alignment{std::max<std::size_t>(64, alignof(T))};

  std::span<T> elements_;
  bool is_own_ = false;
};

}  // namespace bmmc::detail
