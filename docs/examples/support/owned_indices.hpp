// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include <bmmc/layout/layout.hpp>

namespace example {

/// The indices that one process owns under a layout, in ascending order: what a file view needs,
/// since a file holds elements by index and MPI wants a view's displacements to ascend.
///
/// They form a coset of a subspace of GF(2)^n. With a basis in which every leading bit stands in
/// one vector alone, counting up the coefficients counts up the indices. Where the first `run_bits`
/// basis vectors are 1, 2, 4, ..., the indices come in runs of 2^run_bits consecutive ones.
class owned_indices {
 public:
  /// `physical` takes an index to its processor-major address; process `proc` of 2^p.
  owned_indices(bmmc::permutation<> const& physical, unsigned p, bmmc::index_t proc)
      : physical_(physical), count_bits_(physical.bits() - p) {
    const auto to_index = bmmc::inverse(physical);
    start_ = to_index(proc << count_bits_);
    std::vector<bmmc::index_t> rest(to_index.matrix().column.begin(),
                                    to_index.matrix().column.begin() + count_bits_);
    std::vector<bmmc::index_t> basis;
    for (unsigned j = physical.bits(); j-- > 0;) {
      const auto has_bit = [j](bmmc::index_t v) { return (v >> j & 1) != 0; };
      const auto found = std::find_if(rest.begin(), rest.end(), has_bit);
      if (found == rest.end()) continue;
      const bmmc::index_t pivot = *found;
      rest.erase(found);
      for (auto* vectors : {&rest, &basis})
        for (bmmc::index_t& v : *vectors)
          if (has_bit(v)) v ^= pivot;
      if (has_bit(start_)) start_ ^= pivot;
      basis.push_back(pivot);
    }
    ascending_ = bmmc::bit_matrix<>{physical.bits(), count_bits_};
    std::copy(basis.rbegin(), basis.rend(), ascending_.column.item.begin());
    while (run_bits_ < count_bits_ && ascending_.column[run_bits_] == bmmc::bit(run_bits_))
      ++run_bits_;
  }

  [[nodiscard]] unsigned count_bits() const noexcept { return count_bits_; }
  [[nodiscard]] unsigned run_bits() const noexcept { return run_bits_; }

  /// The k-th smallest index of this process.
  [[nodiscard]] bmmc::index_t operator()(bmmc::index_t k) const noexcept {
    return ascending_ * k ^ start_;
  }

  /// Calls use(i, offset) for i = 0 .. count - 1, where the (first + i)-th smallest index lives at
  /// `offset` of the process's array. Cost: one exclusive or each. `count` is a power of two that
  /// divides `first`.
  template <class Use>
  void each_offset(bmmc::index_t first, bmmc::index_t count, Use use) const {
    std::vector<bmmc::index_t> step;  // counting up by one changes the low bits of the counter
    for (bmmc::index_t low = 1; low <= count_bits_; ++low)
      step.push_back(physical_.matrix() *
                     (ascending_ * bmmc::low_bits(static_cast<unsigned>(low))));
    bmmc::index_t address = physical_((*this)(first));
    for (bmmc::index_t i = 0;;) {
      use(i, address & bmmc::low_bits(count_bits_));
      if (++i == count) return;
      address ^= step[static_cast<unsigned>(std::countr_zero(i))];
    }
  }

 private:
  bmmc::permutation<> physical_;
  unsigned count_bits_, run_bits_ = 0;
  bmmc::index_t start_ = 0;
  bmmc::bit_matrix<> ascending_;
};

}  // namespace example
