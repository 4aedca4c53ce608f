// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bmmc::transport {

/// Memory that nothing is written to, aligned to lines. From 4 MiB on it asks for pages of 2 MiB,
/// where the system has them: a permuter that is used once would spend half of its time on the
/// first touch of small ones.
struct raw_memory {
  static constexpr std::size_t line = 64, page = std::size_t{1} << 21;

  /// Throws std::bad_alloc, also where no size_t holds the bytes.
  template <class T>
  [[nodiscard]] static T* allocate(std::size_t count) {
    if (count > ~std::size_t{0} / 2 / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = ::operator new(count * sizeof(T), alignment<T>(count));
#ifdef MADV_HUGEPAGE
    if (alignment<T>(count) >= std::align_val_t{page})
      (void)::madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // a hint: it may be refused
#endif
    return static_cast<T*>(memory);
  }
  template <class T>
  static void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment<T>(count));
  }

 private:
  template <class T>
  [[nodiscard]] static constexpr std::align_val_t alignment(std::size_t count) noexcept {
    const std::size_t least = count >= 2 * page / sizeof(T) ? page : line;
    return std::align_val_t{std::max(least, alignof(T))};
  }
};

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
      elements_ = {raw_memory::allocate<T>(count), count};
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
      raw_memory::deallocate(elements_.data(), elements_.size());
    else
      delete[] elements_.data();
  }

  [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }

 private:
  std::span<T> elements_;
  bool is_own_ = false;
};

}  // namespace bmmc::transport
