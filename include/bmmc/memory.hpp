// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace bmmc {

/// Memory in which passes take the least time, for std::vector and other containers. It begins with
/// a line of 64 bytes, as a large std::vector does not, so that rows of a target are whole lines;
/// and from 4 MiB on with a page of 2 MiB, which Linux is asked for: fewer pages are to be found
/// while a pass jumps between them, and a first touch takes less time where such pages are free.
/// Gains: docs/theory/local_measured.md, "Pages of 2 MiB".
/// Errors  std::bad_alloc, also where no size_t holds the bytes.
template <class T>
class aligned_allocator {
 public:
  using value_type = T;
  static constexpr std::size_t line = 64, page = std::size_t{1} << 21;

  constexpr aligned_allocator() noexcept = default;
  template <class U>
  constexpr aligned_allocator(aligned_allocator<U> const&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > ~std::size_t{0} / 2 / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = ::operator new(count * sizeof(T), alignment(count));
#ifdef MADV_HUGEPAGE
    if (alignment(count) >= std::align_val_t{page})
      (void)::madvise(memory, count * sizeof(T), MADV_HUGEPAGE);  // a hint: it may be refused
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    ::operator delete(memory, alignment(count));
  }
  template <class U>
  [[nodiscard]] constexpr bool operator==(aligned_allocator<U> const&) const noexcept {
    return true;
  }

 private:
  [[nodiscard]] static constexpr std::align_val_t alignment(std::size_t count) noexcept {
    const std::size_t least = count >= 2 * page / sizeof(T) ? page : line;
    return std::align_val_t{std::max(least, alignof(T))};
  }
};

/// A vector in such memory. All calls take it as they take a std::vector, since both are spans.
template <class T>
using aligned_vector = std::vector<T, aligned_allocator<T>>;

}  // namespace bmmc
