// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>

#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc {

/// A subspace of the index space that grows by one vector at a time. It is kept in echelon form:
/// pivot[j] is zero or a vector whose highest 1 is bit j.
class subspace {
 public:
  /// Adds v. Returns whether the subspace has grown, that is, whether v was outside.
  /// Cost: at most 64 exclusive ors.
  constexpr bool add(index_t v) noexcept {
    while (v != 0) {
      const auto top = static_cast<unsigned>(std::bit_width(v)) - 1;
      if (pivot_[top] == 0) {
        pivot_[top] = v;
        ++dimension_;
        return true;
      }
      v ^= pivot_[top];
    }
    return false;
  }
  [[nodiscard]] constexpr unsigned dimension() const noexcept { return dimension_; }

 private:
  std::array<index_t, 64> pivot_{};
  unsigned dimension_ = 0;
};

/// Vectors of index space in the order in which they were found, at most 64.
struct vector_list {
  std::array<index_t, 64> vector{};
  unsigned count = 0;

  constexpr void push_back(index_t v) noexcept { vector[count++] = v; }
  [[nodiscard]] constexpr unsigned size() const noexcept { return count; }
  [[nodiscard]] constexpr index_t operator[](unsigned j) const noexcept { return vector[j]; }
  [[nodiscard]] constexpr index_t const* begin() const noexcept { return vector.data(); }
  [[nodiscard]] constexpr index_t const* end() const noexcept { return vector.data() + count; }
  /// The sum of the vectors that the 1s of `selected` choose.
  [[nodiscard]] constexpr index_t sum(index_t selected) const noexcept {
    index_t v = 0;
    for (unsigned j = 0; j < count; ++j)
      if (((selected >> j) & 1) != 0) v ^= vector[j];
    return v;
  }
};

}  // namespace bmmc
