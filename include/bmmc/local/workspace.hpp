// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace bmmc::local {

/// The buffers of passes over large arrays, `bytes` long and aligned to pages: one block for each
/// thread, which is kept until the thread ends and grows when it has to. Null where there is no
/// memory for it.
[[nodiscard]] inline unsigned char* thread_workspace(std::size_t bytes) noexcept {
  static constexpr std::align_val_t page{4096};
  struct release {
    void operator()(unsigned char* p) const noexcept { ::operator delete[](p, page); }
  };
  struct block {
    std::unique_ptr<unsigned char, release> data;
    std::size_t bytes = 0;
  };
  thread_local block kept;
  if (kept.bytes < bytes) {
    kept.data.reset();  // before the new one is there: never two at a time
    kept.data.reset(static_cast<unsigned char*>(::operator new[](bytes, page, std::nothrow)));
    kept.bytes = kept.data ? bytes : 0;
  }
  return kept.data.get();
}

}  // namespace bmmc::local
