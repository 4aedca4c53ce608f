// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <bmmc/local/reference.hpp>

namespace bmmc::local {

/// A permutation of the elements of one array, prepared once and run often.
template <class T>
class pass {
 public:
  pass() : pass(permutation<>{}) {}
  explicit pass(permutation<> const& p) : map_(p), is_identity_(bmmc::is_identity(p)) {}

  /// target[p(x)] = source[x] for all x. Both arrays hold 2^n elements and do not overlap; a source
  /// that is not const may be moved from. No allocation.
  template <class Source>
    requires std::is_same_v<std::remove_const_t<Source>, T>
  void operator()(Source* source, T* target) const {
    if (!is_identity_)
      gray_code_loop(source, target, map_);
    else if constexpr (std::is_trivially_copyable_v<T>)
      std::memcpy(target, source, elements() * sizeof(T));
    else if constexpr (std::is_const_v<Source>)
      std::copy(source, source + elements(), target);
    else
      std::move(source, source + elements(), target);
  }

  [[nodiscard]] index_t elements() const noexcept { return bit(map_.bits()); }
  [[nodiscard]] bool is_identity() const noexcept { return is_identity_; }

 private:
  permutation<> map_;
  bool is_identity_;
};

}  // namespace bmmc::local
