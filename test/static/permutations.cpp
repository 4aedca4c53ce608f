// SPDX-License-Identifier: BSL-1.0

// Algebra, permutations and layouts in constant expressions: to compile is to pass.

#include <bmmc/planning.hpp>

namespace {

using namespace bmmc;

// STYLE: the four of the matrix rank, and the corners of the other operations
static_assert(matrix_rank(bit_matrix<3>{{0b001, 0b100, 0b110}}) == 3);   // needs a column swap
static_assert(matrix_rank(bit_matrix<3>{{0b011, 0b101, 0b110}}) == 2);   // third = first ^ second
static_assert(matrix_rank(bit_matrix<64, 1>{{index_t{1} << 63}}) == 1);  // top bit of the word
static_assert(matrix_rank(bit_matrix<0>{}) == 0);                        // one index, zero bits
static_assert(inverse(bit_matrix<3>{{0b001, 0b011, 0b111}}) ==
              bit_matrix<3>{{0b001, 0b011, 0b110}});
static_assert(transposed(bit_matrix<2, 3>{{0b01, 0b10, 0b11}}) == bit_matrix<3, 2>{{0b101, 0b110}});
static_assert(solve(bit_matrix<2>{{0b01, 0b11}}, 0b10) == index_t{0b11});
static_assert(!solve(bit_matrix<2>{{0b01, 0b01}}, 0b10));
static_assert(find_column_basis(bit_matrix<1, 2>{{1, 1}}).basis == 0b10);

/// inverse(p) undoes p on every index; clang allows some 2^12 of them in a constant expression.
template <unsigned N>
constexpr bool undoes(permutation<N> const& p) {
  const auto back = inverse(p);
  for (index_t x = 0; x < bit(p.bits()); ++x)
    if (back(p(x)) != x) return false;
  return true;
}
static_assert(undoes(gray_encode<8>()));
static_assert(undoes(morton_encode<9>(3)));
static_assert(undoes(permutation<>(circuit<>(6).cnot(0, 5).swap(1, 4).flip(2))));

static_assert(gray_encode<63>()(bit(62)) == (bit(62) | bit(61)));
static_assert(compose(gray_decode<20>(), gray_encode<20>()) == permutation<20>{});
static_assert(transpose<3, 4>()(bit(4) * 5 + 9) == bit(3) * 9 + 5);
static_assert(bit_permutation(std::array{1U, 2U, 0U}) == shuffle<3>());
static_assert(shuffle<20>()(bit(19)) == 1);
static_assert(compose(vector_reversal<5>(), flip(5, 0)) == compose(flip<5>(0), vector_reversal(5)));

// a permutation as a template argument: one type per permutation
template <auto P>
struct moved {
  static constexpr index_t first = P(0);
};
static_assert(moved<vector_reversal<10>()>::first == 1023);
static_assert(moved<flip<4>(2)>::first == 4);
static_assert(
    std::is_same_v<moved<compose(shuffle<6>(), unshuffle<6>())>, moved<permutation<6>{}>>);
static_assert(!std::is_same_v<moved<shuffle<6>()>, moved<unshuffle<6>()>>);
static_assert(moved<permutation<>(flip(4, 3))>::first == 8);  // its size in the object

// layouts as constants
static_assert(layout::place(layout::banded(1), 5, 4, 13) == placement{2, 3});
static_assert(layout::index_at(layout::processor_minor{}, 5, 4, {3, 1}) == 7);
static_assert(layout::place(layout::process_bits{4, 0}, 5, 4, 0b10010) == placement{1, 0b001});
static_assert(layout::place(layout::gray<>{}, 4, 4, 0b1000) == placement{0b11, 0});
static_assert(layout::affine(shuffle<4>()).physical(4, 1) == permutation<>(shuffle<4>()));

/// One generator that is constexpr, for random_permutation in a constant expression.
struct counter {
  using result_type = std::uint64_t;
  result_type state = 1;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  constexpr result_type operator()() {
    return state = state * 6364136223846793005U + 1442695040888963407U;
  }
};
constexpr permutation<16> drawn = [] {
  counter random;
  return random_permutation<16>(random);
}();
static_assert(matrix_rank(drawn.matrix()) == 16);

}  // namespace

int main() {}
