// SPDX-License-Identifier: BSL-1.0

// Factorings, array descriptions and reshaping in constant expressions.

#include <bmmc/planning.hpp>
#include <bmmc/study/shuffles.hpp>

namespace {

using namespace bmmc;

// every factoring gives back what it was made of
constexpr auto decode = gray_decode<8>();
static_assert(compose_exchanges(8, *exchange_factors(decode)) == permutation<>(decode));
static_assert(!exchange_factors(shuffle<8>()).has_value());
static_assert(find_exchange_order(gray_split<3, 5>().matrix()).has_value());
static_assert(!find_exchange_order(swap_bits(4, 1, 2).matrix()).has_value());

constexpr auto reversed_gray = compose(bit_reversal<8>(), gray_encode<8>());
constexpr auto parts = exchange_then_rename(reversed_gray);
static_assert(compose(parts.renaming, compose_exchanges(8, parts.exchanges)) ==
              permutation<>(reversed_gray));
constexpr auto others = rename_then_exchange(reversed_gray);
static_assert(compose(compose_exchanges(8, others.exchanges), others.renaming) ==
              permutation<>(reversed_gray));

constexpr auto two = reflections(shuffle<8>());
static_assert(compose(compose_exchanges(8, two.second), compose_exchanges(8, two.first)) ==
              permutation<>(shuffle<8>()));

// the example of Johnsson and Ho, section 2
constexpr auto change = reshape(array_layout::over({5, 2, 4, 3}, low_bits(14), axis_code::gray),
                                array_layout::over({3, 2, 4, 5}, low_bits(14), axis_code::gray));
static_assert(change.changed == (bit(10) | bit(6) | bit(4) | bit(2)));
static_assert(change.keeps_assignment() && change.communicating == change.changed);

// an array as the layout of a plan: rows to tiles need two messages, rows to columns four
constexpr array_layout rows{axis::blocks(2, 4), axis::local(2)};
constexpr array_layout tiles{axis::blocks(2, 2), axis::blocks(2, 2)};
constexpr array_layout columns{axis::local(2), axis::blocks(2, 4)};
static_assert(SingleLayout<array_layout>);
static_assert(make_plan(identity_permutation(4), layout::between{rows, tiles}, 4).messages() == 2);
static_assert(make_plan(identity_permutation(4), layout::between{rows, columns}, 4).messages() ==
              4);
static_assert(rows.physical() == layout::processor_major{}.physical(4, 2));
static_assert(array_layout{axis::cyclic(5, 4)}.physical() ==
              layout::processor_minor{}.physical(5, 2));
static_assert(array_layout{axis::block_cyclic(7, 4, 3)}.physical() ==
              layout::banded(3).physical(7, 2));
static_assert(array_layout{axis::blocks(6, 4).gray_processes()}.physical() ==
              layout::gray<>{}.physical(6, 2));

}  // namespace

int main() {}
