// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <span>
#include <string>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/index/permutation.hpp>
#include <bmmc/plan/plan.hpp>
#include <bmmc/plan/relabel.hpp>

namespace bmmc {

/// Directions that will be needed inside a process, in the order in which they are: index x and
/// index x + v are to lie together when a gate that combines them is applied. Permutations that are
/// applied in between are taken into account, so that all are directions of the present indices.
class upcoming_directions {
 public:
  explicit constexpr upcoming_directions(unsigned n) : back_(identity_matrix(n)), space_(n) {}

  /// The indices are renamed by a permutation, as they are at that time.
  constexpr void then(permutation<> const& gate) { back_ = back_ * inverse(gate.matrix()); }
  /// Direction v of the indices at that time. False, and nothing else, once all directions together
  /// leave no room for 2^p processes: no map has them all local.
  /// Errors  bad_value where v is not below 2^n.
  constexpr bool add(index_t v, unsigned p) {
    const unsigned n = back_.cols();
    if ((v & ~low_bits(n)) != 0) detail::refuse({"direction ", v, " is not below 2^", n});
    subspace grown = space_;
    grown.add(back_ * v);
    if (grown.dimension() + p > n) return false;
    space_ = grown;
    return true;
  }
  /// A basis of their space.
  [[nodiscard]] constexpr bit_matrix<> const& basis() const noexcept { return space_.vectors; }

 private:
  bit_matrix<> back_;
  subspace space_{};
};

/// The cheapest permutation of addresses, of n bits over 2^p processes, after which the directions
/// (columns, in addresses) are local: none of them has a process bit. The identity where they are
/// already; else it sends as little as any such permutation can: of the p sums of address bits that
/// name a process it keeps as many independent ones as vanish on all directions.
/// Method  new process bits are sums that vanish on the directions, so those that do so already
///         stay; each other one changes places with the highest offset bit that it can.
/// Errors  bad_value where the directions span more than n - p dimensions.
/// Cost    O(n^2) word operations, no allocation, no communication.
[[nodiscard]] constexpr permutation<> make_local(bit_matrix<> const& directions, unsigned n,
                                                 unsigned p) {
  const unsigned m = n - p;
  const subspace vanish = kernel(transposed(directions));
  if (vanish.dimension() < p)
    detail::refuse({"directions of ", n - vanish.dimension(), " dimensions are not local on 2^", p,
                    " processes with ", n, " bits"});
  subspace sums(n);  // pivots are offset bits where there are any
  for (const index_t row : vanish.vectors.column) {
    const index_t rest = sums.least(row), offset = rest & low_bits(m);
    sums.add(row, std::bit_floor(offset != 0 ? offset : rest));
  }
  auto rows = identity_matrix(n);
  index_t vacant = ~sums.pivots & low_bits(n) & ~low_bits(m);
  for (unsigned i = sums.dimension(); i-- > 0;) {  // from the highest pivot
    const index_t row = sums.vectors.column[i];
    if ((row & low_bits(m)) == 0) {
      rows.column[detail::highest_one(row & sums.pivots)] = row;
      continue;
    }
    if (vacant == 0) break;
    const auto offset = detail::highest_one(row & sums.pivots);
    const auto process = detail::highest_one(vacant);
    rows.column[process] = row;
    rows.column[offset] = bit(process);
    vacant ^= bit(process);
  }
  const permutation<> moved(transposed(rows));
  // Processes get the numbers with which most elements stay.
  const auto numbers = process_numbers(plan(moved, p));
  return compose(detail::on_processes(n, inverse(numbers)), moved);
}

}  // namespace bmmc
