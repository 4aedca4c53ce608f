// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>

#include <bmmc/local/pass.hpp>

namespace bmmc::local {

/// Copies runs of 2^q elements, one in each call; long ones past the caches where tuning says so.
template <class T>
class run_copies {
 public:
  run_copies() = default;
  run_copies(unsigned q, tuning const& t) {
    constexpr index_t least = 256;  // bytes, four lines: a pass is called for each run
    if (t.stream_from == 0 && sizeof(T) << q >= least) pass_.emplace(identity_permutation(q), t);
  }

  /// See pass. Short runs go to the caches.
  void write_as(index_t stream_from, bool keeps_target) noexcept {
    if (pass_) pass_->write_as(stream_from, keeps_target);
  }
  void operator()(T const* source, T* target, index_t count) const {
    if (pass_)
      (*pass_)(source, target);
    else
      std::copy_n(source, count, target);
  }

 private:
  std::optional<pass<T>> pass_;
};

}  // namespace bmmc::local
