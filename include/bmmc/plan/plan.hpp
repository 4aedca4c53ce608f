// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include <bmmc/index/maps.hpp>
#include <bmmc/layout/policies.hpp>
#include <bmmc/plan/factoring.hpp>

namespace bmmc {

/// What a permutation of 2^n elements over 2^p processes will do, known before any data moves:
///   1. each process permutes its own 2^(n-p) elements by gather(proc);
///   2. in steps s = 0 .. messages()-1 it sends block s, the message_elements() elements from
///      offset s * message_elements() on, to target(proc, s), and receives what takes the block's
///      place from source(proc, s);
///   3. it permutes its own elements by scatter(proc).
/// Every step is a permutation of the processes. messages() is exactly the number of processes
/// that own a part of what a process starts with, itself included (Lemma 3), so no plan sends
/// fewer. Made by make_plan. It holds no tables: some kilobytes, whatever n and p are.
/// Source  Cormen 1997, sections 4 and 5.
class plan {
 public:
  /// `physical` maps processor-major source addresses to processor-major target addresses.
  /// Throws bad_value for p > n.
  constexpr plan(permutation<> const& physical, unsigned p)
      : physical_(physical), n_(physical.bits()), p_(p) {
    detail::require_processes(n_, p_);
    const unsigned m = n_ - p_;
    const auto f = factor(physical.matrix(), p);
    rank_ = f.rank;
    basis_to_proc_ = submatrix(f.v, m, p, m - rank_, rank_);
    proc_to_proc_ = submatrix(f.v, m, p, m, p);
    proc_from_proc_ = inverse(proc_to_proc_);
    basis_from_proc_ = proc_from_proc_ * basis_to_proc_;
    gather_ = submatrix(f.w, 0, m, 0, m);
    gather_shift_ = submatrix(f.w, 0, m, m, p);
    // y = alpha' j + alpha'' b + beta source + c, with the source put in as a function of b
    const auto beta = submatrix(f.v, 0, m, m, p);
    scatter_ = submatrix(f.v, 0, m, 0, m);
    for (unsigned b = 0; b < rank_; ++b)
      scatter_.column[m - rank_ + b] ^= beta * basis_from_proc_.column[b];
    scatter_shift_ = beta * proc_from_proc_;
  }

  [[nodiscard]] constexpr unsigned bits() const noexcept { return n_; }
  [[nodiscard]] constexpr unsigned proc_bits() const noexcept { return p_; }
  [[nodiscard]] constexpr index_t procs() const noexcept { return bit(p_); }
  /// Elements of one process.
  [[nodiscard]] constexpr index_t chunk_elements() const noexcept { return bit(n_ - p_); }
  /// Rank of the lower left p x (n-p) block of the physical map.
  [[nodiscard]] constexpr unsigned rank() const noexcept { return rank_; }
  /// Messages that each process sends, one to itself included where there is one: 2^rank.
  [[nodiscard]] constexpr index_t messages() const noexcept { return bit(rank_); }
  /// Elements of each message: N / (2^rank P).
  [[nodiscard]] constexpr index_t message_elements() const noexcept { return bit(n_ - p_ - rank_); }

  /// Where process `proc` sends its block `step`. Source: Cormen 1997, equation (4).
  [[nodiscard]] constexpr index_t target(index_t proc, index_t step) const noexcept {
    return targets(proc)(step);
  }
  /// Where the block that replaces it comes from. Source: Cormen 1997, equation (5).
  [[nodiscard]] constexpr index_t source(index_t proc, index_t step) const noexcept {
    return sources(proc)(step);
  }
  /// target(proc, .) and source(proc, .) as maps of the step.
  [[nodiscard]] constexpr affine_map targets(index_t proc) const noexcept {
    return {basis_to_proc_, proc_to_proc_ * proc ^ proc_complement()};
  }
  [[nodiscard]] constexpr affine_map sources(index_t proc) const noexcept {
    return {basis_from_proc_, proc_from_proc_ * (proc ^ proc_complement())};
  }
  /// The same for all processes at once: a permutation of rank() + proc_bits() bits that takes
  /// block b (low bits) of process k (high bits) to block b of process target(k, b).
  [[nodiscard]] constexpr permutation<> moves() const {
    auto a = identity_matrix(rank_ + p_);
    for (unsigned b = 0; b < rank_; ++b) a.column[b] |= basis_to_proc_.column[b] << rank_;
    for (unsigned k = 0; k < p_; ++k) a.column[rank_ + k] = proc_to_proc_.column[k] << rank_;
    return detail::known_nonsingular(a, proc_complement() << rank_);
  }

  /// The permutation of a process's own offsets before its blocks are sent.
  [[nodiscard]] constexpr permutation<> gather(index_t proc) const {
    return detail::known_nonsingular(gather_, gather_shift_ * proc);
  }
  /// The permutation of a process's own offsets after its blocks are received: all blocks at once.
  [[nodiscard]] constexpr permutation<> scatter(index_t proc) const {
    const index_t c = physical_.complement();
    return detail::known_nonsingular(
        scatter_, scatter_shift_ * (proc ^ proc_complement()) ^ (c & low_bits(n_ - p_)));
  }

  /// No element leaves its process.
  [[nodiscard]] constexpr bool is_local() const noexcept {
    return rank_ == 0 && proc_complement() == 0 && proc_to_proc_ == identity_matrix(p_);
  }
  /// Blocks travel as they are: no process permutes elements of its own.
  [[nodiscard]] constexpr bool is_exchange_only() const noexcept {
    const auto unit = identity_matrix(n_ - p_);
    const bit_matrix<> zero{n_ - p_, p_};
    const index_t offset = scatter_shift_ * proc_complement() ^ physical_.complement();
    return gather_ == unit && scatter_ == unit && gather_shift_ == zero && scatter_shift_ == zero &&
           (offset & low_bits(n_ - p_)) == 0;
  }
  /// Elements of process `proc` that stay on it: none, or one message's worth.
  [[nodiscard]] constexpr index_t stays(index_t proc) const noexcept {
    return solve(basis_to_proc_, targets(proc).complement ^ proc) ? message_elements() : 0;
  }
  /// Elements that stay on their process, over all 2^p processes. Cost: O(p^2), not O(2^p).
  [[nodiscard]] constexpr index_t stays() const {
    // Process k keeps a block where gamma'' b + (delta + 1) k = c has a solution b.
    bit_matrix<> fixed{p_, rank_ + p_};  // rank <= n - p, so at most n columns
    for (unsigned b = 0; b < rank_; ++b) fixed.column[b] = basis_to_proc_.column[b];
    for (unsigned k = 0; k < p_; ++k) fixed.column[rank_ + k] = proc_to_proc_.column[k] ^ bit(k);
    if (!solve(fixed, proc_complement())) return 0;
    return message_elements() << (rank_ + p_ - matrix_rank(fixed));
  }

  /// The map from source addresses to target addresses that is carried out.
  [[nodiscard]] constexpr permutation<> const& physical() const noexcept { return physical_; }

  friend constexpr bool operator==(plan const&, plan const&) = default;

 private:
  [[nodiscard]] constexpr index_t proc_complement() const noexcept {
    return physical_.complement() >> (n_ - p_);
  }

  permutation<> physical_;
  unsigned n_, p_, rank_ = 0;
  bit_matrix<> basis_to_proc_, proc_to_proc_;      // gamma'' and delta
  bit_matrix<> basis_from_proc_, proc_from_proc_;  // delta^-1 gamma'' and delta^-1
  bit_matrix<> gather_, gather_shift_, scatter_, scatter_shift_;
};

namespace detail {
/// The plan of a permutation between two layouts, which are maps from indices to addresses.
[[nodiscard]] constexpr plan constant_plan_between(permutation<> const& source,
                                                   permutation<> const& p,
                                                   permutation<> const& target,
                                                   unsigned proc_bits) {
  return plan(compose(target, compose(p, inverse(source))), proc_bits);
}
/// The same, compiled once: for no constant expression.
[[nodiscard]] plan compiled_plan_between(permutation<> const& source, permutation<> const& p,
                                         permutation<> const& target, unsigned proc_bits);
[[nodiscard]] constexpr plan plan_between(permutation<> const& source, permutation<> const& p,
                                          permutation<> const& target, unsigned proc_bits) {
  if (std::is_constant_evaluated()) {
    return constant_plan_between(source, p, target, proc_bits);
  } else {
    return compiled_plan_between(source, p, target, proc_bits);
  }
}

/// A number that tells two plans apart, save by an accident.
[[nodiscard]] constexpr std::uint64_t fingerprint_of(plan const& p) noexcept {
  return fingerprint(as_map(p.physical()));
}

/// What a process does where no element leaves it: one pass does both, gather and scatter.
[[nodiscard]] constexpr permutation<> local_permutation(plan const& p, index_t proc) {
  return compose(p.scatter(proc), p.gather(proc));
}
}  // namespace detail

/// Plans a permutation of data in the given layout over `procs` processes.
/// Cost    O(n^2) word operations; no allocation, no communication; constant expressions allowed.
/// Errors  bad_value unless procs is a power of two, at most 2^n, and the layout fits.
template <unsigned N, Layout L = layout::processor_major>
[[nodiscard]] constexpr plan make_plan(permutation<N> const& p, L const& l, index_t procs) {
  const unsigned n = p.bits(), proc_bits = proc_bits_of(procs);
  return detail::plan_between(layout::source_map(l, n, proc_bits), permutation<>(p),
                              layout::target_map(l, n, proc_bits), proc_bits);
}

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/plan_once.hpp>
#endif
