// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/study/topology/concept.hpp>

namespace bmmc::network {

/// 2^n nodes, joined where their numbers differ in one bit: dimension j for bit j. Messages cross
/// their dimensions in ascending order (e-cube routing). Channel j 2^n + x leaves node x in
/// dimension j.
/// Source  Hou et al. 2001, sections 2.1 and 2.3.
class hypercube {
 public:
  /// Throws bad_value over 32 dimensions.
  constexpr explicit hypercube(unsigned dimensions) : n_(dimensions) {
    if (dimensions > 32)
      throw bad_value("a hypercube has at most 32 dimensions, not " + std::to_string(dimensions));
  }

  [[nodiscard]] constexpr unsigned dimensions() const noexcept { return n_; }
  [[nodiscard]] constexpr index_t nodes() const noexcept { return bit(n_); }
  [[nodiscard]] constexpr index_t channels() const noexcept { return n_ * bit(n_); }
  [[nodiscard]] constexpr channel_ends ends(index_t channel) const noexcept {
    const index_t from = channel & low_bits(n_);
    return {from, from ^ bit(static_cast<unsigned>(channel >> n_))};
  }
  template <class F>
  constexpr void route(index_t source, index_t target, F&& each) const {
    for (index_t rest = source ^ target; rest != 0; rest &= rest - 1) {
      const auto j = bmmc::detail::lowest_one(rest);
      each((index_t{j} << n_) | source);
      source ^= bit(j);
    }
  }

 private:
  unsigned n_;
};
static_assert(Network<hypercube>);

}  // namespace bmmc::network
