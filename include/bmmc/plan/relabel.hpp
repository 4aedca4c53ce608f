// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <utility>

#include <bmmc/plan/plan.hpp>

namespace bmmc {

/// New numbers for the processes of a plan's result, number(k) for process k, such that as many
/// elements as possible stay where they are: N / 2^rank of them. A process sends equal parts to
/// 2^rank others, so whatever the numbers are it keeps one part at most; with these it keeps one.
/// So nothing is sent exactly when the rank is 0, whatever cycles the processes form. A process
/// that keeps a part anyway keeps its number too: no numbers with as much staying rename fewer.
/// Method  process k may become any number of the coset delta k + c + G, where G is spanned by the
///         columns of gamma''. On K, the k with (delta + 1) k in G, the map is the identity. The
///         image of each further vector is taken from its coset, outside the span of those before;
///         delta is nonsingular, so that among delta k and delta k + (a basis of G) there is one.
/// Cost    O(p^3) word operations mostly, O(p^4) at most; no allocation, no communication.
[[nodiscard]] constexpr permutation<> process_numbers(plan const& made) {
  const unsigned p = made.proc_bits(), rank = made.rank();
  const affine_map blocks = made.targets(0);  // gamma'' b + c
  const auto delta = [&](index_t k) { return made.target(k, 0) ^ blocks.complement; };
  bit_matrix<> keeping{p, rank + p};  // gamma'' b + (delta + 1) k = c: process k keeps its block b
  for (unsigned b = 0; b < rank; ++b) keeping.column[b] = blocks.matrix.column[b];
  for (unsigned k = 0; k < p; ++k) keeping.column[rank + k] = delta(bit(k)) ^ bit(k);

  subspace from(p), to(p);  // the numbers, told on one independent vector after the other
  for (const index_t v : kernel(keeping).vectors.column) {
    from.add(v >> rank);
    to.add(v >> rank);
  }
  for (unsigned j = 0; j < p; ++j) {
    if (!from.add(bit(j))) continue;
    index_t image = delta(bit(j));
    for (unsigned b = 0; to.contains(image); ++b) image = delta(bit(j)) ^ blocks.matrix.column[b];
    to.add(image);
  }
  const auto a = bit_matrix<>(p, to.added()) * inverse(bit_matrix<>(p, from.added()));
  index_t shift = blocks.complement;
  if (const auto still =
          solve(keeping, blocks.complement)) {  // process *still >> rank keeps a block
    const index_t fixed = *still >> rank;
    shift = a * fixed ^ fixed;
  }
  return detail::known_nonsingular(a, shift);
}

/// The target layout of a permutation with its processes renumbered by process_numbers.
template <Layout L>
struct relabelled_target {
  permutation<> map{};
  L layout{};

  [[nodiscard]] constexpr permutation<> physical(unsigned n, unsigned p) const {
    if (n != map.bits())
      detail::refuse({"a relabelling made for a permutation of ", map.bits(),
                      " bits cannot serve one of ", n});
    const auto number = process_numbers(make_plan(map, layout, bit(p)));
    return compose(detail::on_processes(n, inverse(number)), layout::target_map(layout, n, p));
  }
  friend constexpr bool operator==(relabelled_target const&, relabelled_target const&) = default;
};

/// Source layout of a pair; a single layout is its own.
template <Layout L>
[[nodiscard]] constexpr auto source_layout(L const& l) {
  if constexpr (LayoutPair<L>)
    return l.source;
  else
    return l;
}

/// Lets the numbers of the result's processes change, so that N / 2^rank elements of permutation p
/// stay on their process. A Layout: make_plan(p, relabelled(p, l), procs) is the plan of what then
/// remains to be moved, and a permuter built so carries it out. Afterwards process k holds what
/// layout l gives to process number numbers(procs)(k).
template <Layout L = layout::processor_major>
struct relabelled {
  decltype(source_layout(std::declval<L>())) source;
  relabelled_target<L> target;

  template <unsigned N>
  constexpr explicit relabelled(permutation<N> const& p, L const& l = {})
      : source(source_layout(l)), target{permutation<>(p), l} {}

  /// The number that process k of `procs` has afterwards: numbers(procs)(k). Errors as make_plan.
  [[nodiscard]] constexpr permutation<> numbers(index_t procs) const {
    return process_numbers(make_plan(target.map, target.layout, procs));
  }
  friend constexpr bool operator==(relabelled const&, relabelled const&) = default;
};
template <unsigned N>
relabelled(permutation<N> const&) -> relabelled<>;

static_assert(SingleLayout<relabelled_target<layout::processor_major>> &&
              Layout<relabelled<layout::processor_major>>);

}  // namespace bmmc
