// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/layout/layout.hpp>

namespace bmmc::layout {

/// Consecutive blocks of any number of elements on any number of processes, powers of two or not:
/// the first N mod P processes hold one element more than the others. For powers of two this is
/// processor_major. Cost: a division for each index that is placed; no tables.
class blocks {
 public:
  constexpr blocks() = default;
  /// Throws bad_value for no processes, and for more than 2^63 elements.
  constexpr blocks(index_t elements, index_t procs) : elements_(elements), procs_(procs) {
    if (procs == 0) throw bad_value("elements cannot be spread over no processes");
    if (elements > bit(most_bits))
      bmmc::detail::refuse({"a distributed array has at most 2^63 elements, not ", elements});
    least_ = elements / procs;
    longer_ = elements % procs;
  }

  [[nodiscard]] constexpr index_t elements() const noexcept { return elements_; }
  [[nodiscard]] constexpr index_t procs() const noexcept { return procs_; }

  /// Elements of process `proc`, and the index of its first one.
  [[nodiscard]] constexpr index_t count(index_t proc) const noexcept {
    return least_ + (proc < longer_ ? 1 : 0);
  }
  [[nodiscard]] constexpr index_t first(index_t proc) const noexcept {
    return proc * least_ + (proc < longer_ ? proc : longer_);
  }
  /// Elements of the longest block.
  [[nodiscard]] constexpr index_t most() const noexcept { return count(0); }

  [[nodiscard]] constexpr index_t proc_of(index_t x) const noexcept {
    const index_t in_longer = longer_ * (least_ + 1);
    if (x < in_longer) return x / (least_ + 1);
    return longer_ + (x - in_longer) / least_;
  }
  /// The process and offset of index x < elements().
  [[nodiscard]] constexpr placement place(index_t x) const noexcept {
    const index_t proc = proc_of(x);
    return {proc, x - first(proc)};
  }

  friend constexpr bool operator==(blocks const&, blocks const&) = default;

 private:
  index_t elements_ = 0, procs_ = 1, least_ = 0, longer_ = 0;
};

}  // namespace bmmc::layout
