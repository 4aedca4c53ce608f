// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <string>

#include <bmmc/index/permutation.hpp>

namespace bmmc {

/// Where an element lives: process number, and element (not byte) position in its array.
struct placement {
  index_t proc = 0, offset = 0;
  friend constexpr bool operator==(placement const&, placement const&) = default;
};

/// Says where each of 2^n indices lives on 2^p processes. `physical(n, p)` is the affine bijection
/// from the index to the processor-major address: its p high bits are the process number, its
/// n - p low bits the offset. A model throws bad_value for an n and p that it does not fit.
template <class L>
concept SingleLayout = std::copyable<L> && requires(L const& l, unsigned n, unsigned p) {
  { l.physical(n, p) } -> std::same_as<permutation<>>;
};

/// A pair of layouts: where the elements come from, and where they go to.
template <class L>
concept LayoutPair = std::copyable<L> && requires(L const& l) {
  requires SingleLayout<std::remove_cvref_t<decltype(l.source)>>;
  requires SingleLayout<std::remove_cvref_t<decltype(l.target)>>;
};

/// One layout, or a pair of one before and one after a permutation.
template <class L>
concept Layout = SingleLayout<L> || LayoutPair<L>;

namespace layout {

/// Layout of the elements before a permutation.
template <Layout L>
[[nodiscard]] constexpr permutation<> source_map(L const& l, unsigned n, unsigned p) {
  if constexpr (LayoutPair<L>)
    return l.source.physical(n, p);
  else
    return l.physical(n, p);
}

/// Layout of the elements after a permutation.
template <Layout L>
[[nodiscard]] constexpr permutation<> target_map(L const& l, unsigned n, unsigned p) {
  if constexpr (LayoutPair<L>)
    return l.target.physical(n, p);
  else
    return l.physical(n, p);
}

/// The process and offset of index x among 2^n elements. Throws bad_value unless procs is a power
/// of two.
template <SingleLayout L>
[[nodiscard]] constexpr placement place(L const& l, unsigned n, index_t procs, index_t x) {
  const unsigned p = proc_bits_of(procs);
  const index_t address = l.physical(n, p)(x);
  return {address >> (n - p), address & low_bits(n - p)};
}

/// The index that lives at a placement: undoes `place`. In a loop over a chunk, take
/// inverse(l.physical(n, p)) once and apply it to (proc << (n - p)) + offset.
template <SingleLayout L>
[[nodiscard]] constexpr index_t index_at(L const& l, unsigned n, index_t procs, placement at) {
  const unsigned p = proc_bits_of(procs);
  return inverse(l.physical(n, p))((at.proc << (n - p)) | at.offset);
}

}  // namespace layout

namespace detail {
constexpr void require_processes(unsigned n, unsigned p) {
  if (p > n)
    detail::refuse(
        {"2^", n, " elements cannot be spread over 2^", p, " processes: each needs one at least"});
}

/// Renames processes: a processor-major address of n bits keeps its offset.
[[nodiscard]] constexpr permutation<> on_processes(unsigned n, permutation<> const& rename) {
  const unsigned m = n - rename.bits();
  auto a = identity_matrix(n);
  for (unsigned k = 0; k < rename.bits(); ++k) a.column[m + k] = rename.matrix().column[k] << m;
  return known_nonsingular(a, rename.complement() << m);
}
}  // namespace detail

}  // namespace bmmc
