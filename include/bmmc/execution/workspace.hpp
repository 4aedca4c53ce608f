// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bmmc::detail {

/// Memory from 4 MiB on asks for pages of 2 MiB, where the system has them: a permuter that is used
/// once would spend half of its time on the first touch of small ones.
struct large_memory {
  static constexpr std::size_t page = std::size_t{1} << 21, from = 2 * page;

  [[nodiscard]] static void* allocate(std::size_t bytes) {
    void* const memory = ::operator new(bytes, std::align_val_t{page});
#ifdef MADV_HUGEPAGE
    (void)::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint: it may be refused
#endif
    return memory;
  }
  static void deallocate(void* memory) noexcept {
    ::operator delete(memory, std::align_val_t{page});
  }
};

/// Scratch elements, the library's own or lent by the caller. Own ones of a trivially copyable type
/// are not initialized: a page that no pass writes costs nothing.
template <class T>
class workspace {
 public:
  workspace() = default;
  explicit workspace(std::span<T> lent) : elements_(lent) {}
  explicit workspace(std::size_t count) : is_own_(true) {
    if constexpr (std::is_trivially_copyable_v<T>)
      elements_ = {is_large(count) ? static_cast<T*>(large_memory::allocate(count * sizeof(T)))
                                   : std::allocator<T>().allocate(count),
                   count};
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
    if constexpr (std::is_trivially_copyable_v<T>) {
      if (is_large(elements_.size()))
        large_memory::deallocate(elements_.data());
      else
        std::allocator<T>().deallocate(elements_.data(), elements_.size());
    } else {
      delete[] elements_.data();
    }
  }

  [[nodiscard]] std::span<T> elements() const noexcept { return elements_; }

 private:
  /// A count whose bytes no size_t holds is left to std::allocator, which refuses it.
  [[nodiscard]] static constexpr bool is_large(std::size_t count) noexcept {
    return count >= large_memory::from / sizeof(T) && count <= (~std::size_t{0} >> 1) / sizeof(T);
  }

  std::span<T> elements_;
  bool is_own_ = false;
};

}  // namespace bmmc::detail
