// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/plan/explain.hpp>
#include <bmmc/plan/pattern.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc {

/// What a permutation on a coset of k conditions does over 2^p processes, known before any data
/// moves. Where k_p of the conditions, reduced, are on process bits alone, 2^(p - k_p) processes
/// have elements of the coset, 2^(n - p - k + k_p) each: what they do is the plan of a permutation
/// of n - k bits on 2^(p - k_p) processes. The other processes do nothing and need not be waited
/// for.
///   1. Process proc(number) packs its elements of the coset, in the order of gather(number);
///   2. blocks of them travel as in plan();
///   3. scatter(number) takes those that have arrived to their places.
/// Only what may move is planned: of a coset that half stays in place, the other half.
/// It holds no tables: some kilobytes, whatever n and p are.
class coset_plan {
 public:
  /// `physical` moves processor-major addresses. Throws bad_value for p > n.
  constexpr coset_plan(coset_permutation const& physical, unsigned p)
      : physical_(physical), moved_(moved_part(physical)), p_(p), inner_(made_plan()) {}

  [[nodiscard]] constexpr unsigned bits() const noexcept { return physical_.bits(); }
  [[nodiscard]] constexpr unsigned proc_bits() const noexcept { return p_; }
  [[nodiscard]] constexpr index_t procs() const noexcept { return bit(p_); }
  /// Elements of one process.
  [[nodiscard]] constexpr index_t chunk_elements() const noexcept { return bit(bits() - p_); }

  /// What the processes with elements that may move do: a plan of fewer bits and processes.
  [[nodiscard]] constexpr bmmc::plan const& plan() const noexcept { return inner_; }
  /// Elements that may move, of each process that has any.
  [[nodiscard]] constexpr index_t part_elements() const noexcept { return inner_.chunk_elements(); }
  /// The number in plan() of a process that has such elements.
  [[nodiscard]] constexpr bool is_active(index_t proc) const noexcept {
    return proc_of(number(proc)) == proc;
  }
  [[nodiscard]] constexpr index_t number(index_t proc) const noexcept {
    return extract_bits(proc, free_procs_);
  }
  [[nodiscard]] constexpr index_t proc_of(index_t number) const noexcept { return procs_(number); }
  /// Processes of one node have numbers that agree but for some low bits. So many, at most, where a
  /// node is `bits` low bits of the number of a process among all.
  [[nodiscard]] constexpr unsigned node_bits(unsigned bits) const noexcept {
    unsigned low = 0;
    while (low < inner_.proc_bits() && procs_.matrix.column[low] >> bits == 0) ++low;
    return low;
  }
  /// All processes have such elements.
  [[nodiscard]] constexpr bool is_on_all() const noexcept { return inner_.proc_bits() == p_; }

  /// Nothing moves at all, or no element leaves its process.
  [[nodiscard]] constexpr bool is_identity() const { return bmmc::is_identity(moved_); }
  [[nodiscard]] constexpr bool is_local() const noexcept { return inner_.is_local(); }

  /// Where the elements that may move lie in the chunk: offsets by their number in the part.
  [[nodiscard]] constexpr affine_map offsets(index_t number) const {
    return {submatrix(points_.matrix, 0, bits() - p_, 0, inner_bits()),
            points_(number << inner_bits()) & low_bits(bits() - p_)};
  }
  /// The place in the packed part for each number in the part, before blocks travel.
  [[nodiscard]] constexpr permutation<> gather(index_t number) const {
    return inner_.gather(number);
  }
  /// The offset in the chunk for each place in what has arrived.
  [[nodiscard]] constexpr affine_map scatter(index_t number) const {
    return compose(offsets(number), as_map(inner_.scatter(number)));
  }
  /// Where no element leaves its process: the permutation of its part, by numbers.
  [[nodiscard]] constexpr permutation<> local(index_t number) const {
    return detail::local_permutation(inner_, number);
  }
  /// Element t of the part of one process and element t + trade_step() of another's change places,
  /// for all t: what controlled gates do that move whole bits.
  [[nodiscard]] constexpr bool is_trade() const {
    return !is_local() && inner_.physical().matrix() == identity_matrix(inner_.bits());
  }
  [[nodiscard]] constexpr index_t trade_step() const noexcept {
    return inner_.physical().complement() & low_bits(inner_bits());
  }
  /// Packed parts as an array of their own, whose blocks only travel.
  [[nodiscard]] constexpr bmmc::plan of_packed() const {
    const auto moves = inner_.moves();
    const unsigned e = inner_.bits() - moves.bits();
    auto a = identity_matrix(inner_.bits());
    for (unsigned j = 0; j < moves.bits(); ++j) a.column[e + j] = moves.matrix().column[j] << e;
    return {detail::known_nonsingular(a, moves.complement() << e), inner_.proc_bits()};
  }

  /// What leaves for other processes, and what comes from them: as much.
  [[nodiscard]] constexpr traffic sent(index_t proc) const {
    if (!is_active(proc) || is_local()) return {};
    const index_t own = number(proc), stays = inner_.stays(own);
    return {inner_.messages() - (stays != 0 ? 1 : 0), part_elements() - stays};
  }
  [[nodiscard]] constexpr traffic received(index_t proc) const { return sent(proc); }

  /// The map of addresses that is carried out.
  [[nodiscard]] constexpr coset_permutation const& physical() const noexcept { return physical_; }

 private:
  [[nodiscard]] constexpr unsigned inner_bits() const noexcept {
    return inner_.bits() - inner_.proc_bits();
  }
  /// Conditions give offset bits where they can, so that the bits left over of a process number
  /// count the processes that meet the conditions on them.
  [[nodiscard]] constexpr bmmc::plan made_plan() {
    detail::require_processes(bits(), p_);
    const unsigned m = bits() - p_;
    const auto by = moved_.where().points(low_bits(m));
    points_ = by.points;
    free_procs_ = by.free >> m;
    const auto active = static_cast<unsigned>(std::popcount(free_procs_));
    const unsigned inner = points_.matrix.cols();
    procs_ = {submatrix(points_.matrix, m, p_, inner - active, active), points_.complement >> m};
    return {moved_.inside(by), active};
  }

  coset_permutation physical_, moved_;
  unsigned p_;
  affine_map points_{}, procs_{};
  index_t free_procs_ = 0;
  bmmc::plan inner_;
};

namespace detail {
/// A number that tells two plans on cosets apart, save by an accident.
[[nodiscard]] constexpr std::uint64_t fingerprint_of(coset_plan const& p) noexcept {
  auto const& w = p.physical().where();
  const auto inside = p.physical().inside(w.points());
  std::uint64_t hash = fingerprint(as_map(inside));
  for (unsigned i = 0; i < w.size(); ++i)
    hash = fingerprint({{w.bits(), {w[i].bits, w[i].value ? 1U : 0U, hash}}, 0});
  return hash;
}
}  // namespace detail

/// Plans a permutation on a coset of data in the given layout over `procs` processes.
/// Cost    O(n^2) word operations; no allocation, no communication; constant expressions allowed.
/// Errors  bad_value unless procs is a power of two, at most 2^n, and the layout fits and is the
///         same before and after: the elements outside of the coset stay where they are.
template <Layout L = layout::processor_major>
[[nodiscard]] constexpr coset_plan make_plan(coset_permutation const& c, L const& l,
                                             index_t procs) {
  const unsigned n = c.bits(), proc_bits = proc_bits_of(procs);
  const auto to_address = layout::source_map(l, n, proc_bits);
  if (layout::target_map(l, n, proc_bits) != to_address)
    throw bad_value("a permutation on a coset leaves all others in place: it has one layout");
  return {conjugate(to_address, c), proc_bits};
}

/// Tells people what a plan on a coset will do.
[[nodiscard]] std::string explain(coset_plan const& p);

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/coset_plan_once.hpp>
#endif
