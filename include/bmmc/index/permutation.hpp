// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <string>

#include <bmmc/gf2/bit_matrix.hpp>
#include <bmmc/gf2/elimination.hpp>

namespace bmmc {

/// Most bits that an index may have.
inline constexpr unsigned most_bits = 63;

/// The number of processes as a number of bits. Throws bad_value unless it is a power of two.
[[nodiscard]] constexpr unsigned proc_bits_of(index_t procs) {
  if (!std::has_single_bit(procs))
    detail::refuse({"the number of processes must be a power of two, not ", procs});
  return detail::lowest_one(procs);
}

/// The permutation y = A x + c of the indices of N bits over GF(2): the element at source index x
/// goes to target index y. A is nonsingular; that is checked where one is made from a matrix.
/// It is a structural type (hence public members, by convention not touched), so a permutation
/// can be a template argument.
/// Source  Cormen 1997, section 2 (BMMC: bit-matrix-multiply/complement).
template <unsigned N = dynamic_bits>
class permutation {
 public:
  /// The identity; on no bits where the number is not in the type.
  constexpr permutation() {
    if constexpr (N != dynamic_bits) matrix_ = identity_matrix<N>();
  }

  /// Throws singular_matrix for an A without inverse, and bad_value for more than 63 bits or a
  /// complement that is no index. In a constant expression each is a compile error.
  constexpr explicit permutation(bit_matrix<N> const& matrix, index_t complement = 0)
      : matrix_(matrix), complement_(complement) {
    detail::require_square(matrix);
    if (bits() > most_bits) detail::refuse({"indices have at most 63 bits, not ", bits()});
    if (const unsigned found = matrix_rank(matrix); found != bits())
      detail::refuse<singular_matrix>({"a matrix of rank ", found, " on ", bits(),
                                       " bits is singular: it is no permutation of the indices"});
    if ((complement & ~low_bits(bits())) != 0)
      detail::refuse({"the complement ", complement, " has more than ", bits(), " bits"});
    for (unsigned j = 0; j < bits(); ++j)
      if ((matrix.column[j] & ~low_bits(bits())) != 0)
        detail::refuse({"column ", j, " of the matrix has more than ", bits(), " bits"});
  }

  /// Between a number of bits in the type and one in the object. Towards the type it is explicit
  /// and throws bad_value where the number is another.
  template <unsigned M>
    requires((M == dynamic_bits) != (N == dynamic_bits))
  constexpr explicit(M == dynamic_bits) permutation(permutation<M> const& other)
      : complement_(other.complement()) {
    if constexpr (M == dynamic_bits)
      matrix_ = to_static<N>(other.matrix());
    else
      matrix_ = other.matrix();
  }

  [[nodiscard]] constexpr unsigned bits() const noexcept { return matrix_.cols(); }
  [[nodiscard]] constexpr bit_matrix<N> const& matrix() const noexcept { return matrix_; }
  [[nodiscard]] constexpr index_t complement() const noexcept { return complement_; }

  /// The target index of source index x < 2^bits(). Cost: one exclusive or for each 1 in x.
  [[nodiscard]] constexpr index_t operator()(index_t x) const noexcept {
    return matrix_ * x ^ complement_;
  }

  friend constexpr bool operator==(permutation const&, permutation const&) = default;

  bit_matrix<N> matrix_{};
  index_t complement_ = 0;
};

namespace detail {
/// For matrices that are nonsingular by construction: no elimination is spent on them.
template <unsigned N>
[[nodiscard]] constexpr permutation<N> known_nonsingular(bit_matrix<N> const& matrix,
                                                         index_t complement = 0) {
  permutation<N> p;
  p.matrix_ = matrix;
  p.complement_ = complement;
  return p;
}

constexpr void require_same_bits(unsigned f, unsigned g) {
  if (f != g) detail::refuse({"permutations of ", f, " and ", g, " bits cannot be composed"});
}
}  // namespace detail

/// The identity on n bits.
[[nodiscard]] constexpr permutation<> identity_permutation(unsigned n) {
  return permutation<>{identity_matrix(n)};
}
template <unsigned N>
[[nodiscard]] constexpr permutation<N> identity_permutation() {
  return {};
}

/// The permutation that takes every target index back to its source index.
/// Cost: O(n^2) word operations. Source: Cormen 1997, Lemma 1.
template <unsigned N>
[[nodiscard]] constexpr permutation<N> inverse(permutation<N> const& p) {
  const auto undo = inverse(p.matrix());
  return detail::known_nonsingular(undo, undo * p.complement());
}

/// f after g: x goes to f(g(x)). Throws bad_value where the numbers of bits differ.
/// Cost: at most n^2 word operations. Source: Cormen 1997, Lemma 1.
template <unsigned N>
[[nodiscard]] constexpr permutation<N> compose(permutation<N> const& f, permutation<N> const& g) {
  detail::require_same_bits(f.bits(), g.bits());
  return detail::known_nonsingular(f.matrix() * g.matrix(), f(g.complement()));
}
/// The same where one of the two knows its number of bits and the other does not: both have it.
template <unsigned N>
  requires(N != dynamic_bits)
[[nodiscard]] constexpr permutation<N> compose(permutation<N> const& f, permutation<> const& g) {
  detail::require_same_bits(f.bits(), g.bits());
  return compose(f, permutation<N>(g));
}
template <unsigned N>
  requires(N != dynamic_bits)
[[nodiscard]] constexpr permutation<N> compose(permutation<> const& f, permutation<N> const& g) {
  detail::require_same_bits(f.bits(), g.bits());
  return compose(permutation<N>(f), g);
}
/// Two different numbers of bits, both in the type: refused with a sentence.
template <unsigned F, unsigned G>
  requires(F != G && F != dynamic_bits && G != dynamic_bits)
constexpr permutation<F> compose(permutation<F> const&, permutation<G> const&) {
  static_assert(F == G, "compose needs two permutations of the same number of bits");
  return {};
}

/// Whether every index is its own target. Cost: n comparisons.
template <unsigned N>
[[nodiscard]] constexpr bool is_identity(permutation<N> const& p) noexcept {
  for (unsigned j = 0; j < p.bits(); ++j)
    if (p.matrix().column[j] != bit(j)) return false;
  return p.complement() == 0;
}

/// Every column and every row has one 1: the permutation moves index bits and flips some (BPC).
template <unsigned N>
[[nodiscard]] constexpr bool is_bit_permutation(permutation<N> const& p) noexcept {
  for (unsigned j = 0; j < p.bits(); ++j)
    if (!std::has_single_bit(p.matrix().column[j])) return false;
  return true;
}

}  // namespace bmmc
