// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <vector>

#include <bmmc/index/exchanges.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc {

/// The blocks of a plan on their way along the dimensions of a hypercube of processes, in one
/// array: A = L U as conditional exchanges of process bits. In each of at most p steps a process
/// and its neighbour across one dimension exchange half of their blocks, all, or none. A plan has
/// such steps where its process block can be chosen so, at full rank always; where it cannot, the
/// processes are renamed in the end: each sends its chunk to one that need not be a neighbour.
/// Source  Edelman, Heller, Johnsson 1994, theorem 3.1, corollaries 3.2 and 3.6.
class dimension_plan {
 public:
  /// What one process exchanges with a neighbour: the blocks b for which b & row has an odd (or
  /// even) number of ones. A row of zeros and an even number: all blocks.
  struct step {
    index_t neighbour = 0, row = 0;
    bool is_odd = false;

    [[nodiscard]] constexpr bool moves(index_t b) const noexcept {
      return (std::popcount(b & row) % 2 == 1) == is_odd;
    }
    /// Blocks that stand in a row and move together, or do not.
    [[nodiscard]] constexpr index_t run(index_t blocks) const noexcept {
      return row == 0 ? blocks : row & (~row + 1);
    }
    /// Of many short runs, those that are packed into one message, where a buffer has `room` and a
    /// block the length `block`, in one unit: half of the buffer is sent, half received. 0: runs
    /// are long, or the buffer short, and each goes from where it lies.
    [[nodiscard]] constexpr index_t packed_runs(index_t blocks, index_t room,
                                                index_t block) const noexcept {
      return 2 * run(blocks) < blocks ? room / 2 / (run(blocks) * block) : 0;
    }
    friend constexpr bool operator==(step const&, step const&) = default;
  };

  /// `moves` is a permutation of r + p bits that keeps the r low ones, as plan::moves() has it.
  constexpr dimension_plan(permutation<> const& moves, unsigned proc_bits)
      : r_(moves.bits() - proc_bits), factors_(factored(moves, proc_bits)) {}
  constexpr explicit dimension_plan(plan const& p) : dimension_plan(p.moves(), p.proc_bits()) {}

  /// Applied one after the other, and then the renaming, they are the moves.
  [[nodiscard]] constexpr exchange_and_rename const& factors() const noexcept { return factors_; }

  /// Steps in which this process exchanges nothing are left out.
  [[nodiscard]] constexpr std::vector<step> steps(index_t proc) const {
    std::vector<step> all;
    for (conditional_exchange const& each : factors_.exchanges) {
      const index_t own = proc << r_, partner = own ^ bit(each.dimension);
      step one{partner >> r_, each.row & low_bits(r_), false};
      one.is_odd = each(own) == own;  // block 0 stays, so an odd sum moves
      if (one.row != 0 || !one.is_odd) all.push_back(one);
    }
    return all;
  }
  /// Where the chunk of a process goes in the end, and where the one in its place comes from.
  [[nodiscard]] constexpr index_t renamed_to(index_t proc) const {
    return factors_.renaming(proc << r_) >> r_;
  }
  [[nodiscard]] constexpr index_t renamed_from(index_t proc) const {
    return inverse(factors_.renaming)(proc << r_) >> r_;
  }

 private:
  /// In some order that needs no renaming where there is one.
  [[nodiscard]] static constexpr exchange_and_rename factored(permutation<> const& moves,
                                                              unsigned p) {
    constexpr unsigned most_dimensions = 12;  // the search visits 2^p sets of them at most
    const unsigned r = moves.bits() - p;
    if (p <= most_dimensions)
      if (const auto found = find_exchange_order(submatrix(moves.matrix(), r, p, r, p))) {
        auto order = ascending_order(r);
        for (const unsigned dimension : *found) order.push_back(r + dimension);
        return {*exchange_factors(moves, order), identity_permutation(moves.bits())};
      }
    return exchange_then_rename(moves);
  }

  unsigned r_;
  exchange_and_rename factors_;
};

}  // namespace bmmc
