// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <vector>

#include <bmmc/plan/pattern.hpp>

namespace bmmc {

/// The blocks of a plan on their way in rounds, between the two extremes of one message for each
/// block and one message for each dimension. V takes block b of process q to block b of process
/// delta q + gamma b + c, and gamma b is the sum of what its bits say: k of them in each round, the
/// highest first. Round 0 is q -> delta q + c + gamma_0 b_0, round j is q -> q + gamma_j b_j. So
/// 2^r blocks take ceil(r / k) rounds of 2^k messages of 2^-k of a chunk, whatever A is; every
/// round is a permutation of the processes for each value of its bits. Blocks keep their places:
/// the message for a value v of round j is the blocks b with those bits, runs(j) runs of them.
///   k = r    the direct exchange: one round
///   k = 1    r messages, of half a chunk each
/// Source  the rounds of Bruck et al. 1997 for an exchange of all with all, here without rotations
///         since the sums are over GF(2).
class radix_plan {
 public:
  /// `moves` is a permutation of r + p bits as plan::moves() has it. Throws bad_value for no bits.
  constexpr radix_plan(permutation<> const& moves, unsigned proc_bits, unsigned bits_per_round)
      : moves_(moves), p_(proc_bits), r_(moves.bits() - proc_bits), k_(bits_per_round) {
    if (k_ == 0) throw bad_value("a round of an exchange decides one bit at least");
    k_ = std::min(k_, std::max(1U, r_));
    delta_ = submatrix(moves.matrix(), r_, p_, r_, p_);
    from_ = inverse(delta_);
  }
  constexpr radix_plan(plan const& p, unsigned bits_per_round)
      : radix_plan(p.moves(), p.proc_bits(), bits_per_round) {}

  /// At least one, which may only rename processes.
  [[nodiscard]] constexpr unsigned rounds() const noexcept {
    return r_ == 0 ? 1 : (r_ + k_ - 1) / k_;
  }
  /// The bits of a block's number that round j decides: `bits(j)` of them from `first(j)` on.
  [[nodiscard]] constexpr unsigned bits(unsigned j) const noexcept {
    return std::min(k_, r_ - j * k_);
  }
  [[nodiscard]] constexpr unsigned first(unsigned j) const noexcept {
    return r_ - j * k_ - bits(j);
  }
  /// Messages of a process in round j, one to itself included where there is one.
  [[nodiscard]] constexpr index_t messages(unsigned j) const noexcept { return bit(bits(j)); }
  /// A message of round j consists of so many runs of so many blocks; from one run to the next are
  /// bit(first(j) + bits(j)) blocks.
  [[nodiscard]] constexpr index_t runs(unsigned j) const noexcept { return bit(j * k_); }
  [[nodiscard]] constexpr index_t run_blocks(unsigned j) const noexcept { return bit(first(j)); }
  /// The first block of message v.
  [[nodiscard]] constexpr index_t block(unsigned j, index_t v) const noexcept {
    return v << first(j);
  }

  /// Where process `proc` sends message v of round j, and where the one in its place comes from.
  [[nodiscard]] constexpr index_t target(index_t proc, unsigned j, index_t v) const noexcept {
    return (j == 0 ? delta_ * proc ^ complement() : proc) ^ step(j, v);
  }
  [[nodiscard]] constexpr index_t source(index_t proc, unsigned j, index_t v) const noexcept {
    return j == 0 ? from_ * (proc ^ complement() ^ step(j, v)) : proc ^ step(j, v);
  }

  /// What leaves a process in all rounds: messages, and blocks instead of elements.
  [[nodiscard]] constexpr traffic sent(index_t proc) const {
    traffic sum;
    for (unsigned j = 0; j < rounds(); ++j)
      for (index_t v = 0; v < messages(j); ++v)
        if (target(proc, j, v) != proc) {
          ++sum.messages;
          sum.elements += runs(j) * run_blocks(j);
        }
    return sum;
  }

  friend constexpr bool operator==(radix_plan const&, radix_plan const&) = default;

 private:
  [[nodiscard]] constexpr index_t complement() const noexcept { return moves_.complement() >> r_; }
  [[nodiscard]] constexpr index_t step(unsigned j, index_t v) const noexcept {
    return moves_.matrix() * block(j, v) >> r_;
  }

  permutation<> moves_;
  unsigned p_, r_, k_;
  bit_matrix<> delta_, from_;
};

}  // namespace bmmc
