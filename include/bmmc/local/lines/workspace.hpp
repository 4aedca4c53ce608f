// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace bmmc::local {

namespace detail {

struct release_pages {
  static constexpr std::align_val_t alignment{4096};
  void operator()(unsigned char* p) const noexcept { ::operator delete[](p, alignment); }
};
/// Memory aligned to pages.
using pages = std::unique_ptr<unsigned char, release_pages>;
/// Null where there is no memory for it.
[[nodiscard]] inline pages allocate_pages(std::size_t bytes) noexcept {
  void* const memory = ::operator new[](bytes, release_pages::alignment, std::nothrow);
  return pages(static_cast<unsigned char*>(memory));
}

}  // namespace detail

/// The buffers of passes over large arrays, `bytes` long and aligned to pages: one block for each
/// thread, which is kept until the thread ends and grows when it has to. Null where there is no
/// memory for it.
[[nodiscard]] inline unsigned char* thread_workspace(std::size_t bytes) noexcept {
  struct block {
    detail::pages data;
    std::size_t bytes = 0;
  };
  thread_local block kept;
  if (kept.bytes < bytes) {
    kept.data.reset();  // before the new one is there: never two at a time
    kept.data = detail::allocate_pages(bytes);
    kept.bytes = kept.data ? bytes : 0;
  }
  return kept.data.get();
}

}  // namespace bmmc::local
