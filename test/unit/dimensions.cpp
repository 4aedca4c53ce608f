// SPDX-License-Identifier: BSL-1.0

// Permutations of index bits as exchanges of two bits, shuffles, and the Gray code as exchanges.

#include <algorithm>
#include <bit>
#include <numeric>

#include <bmmc/planning.hpp>
#include <bmmc/study/print.hpp>
#include <bmmc/study/shuffles.hpp>

#include "support/catch.hpp"
#include "support/oracle.hpp"

namespace {

using namespace bmmc;

template <class Use>
void for_all_bit_permutations(unsigned n, Use use) {
  std::vector<unsigned> target_of(n);
  std::iota(target_of.begin(), target_of.end(), 0U);
  do use(target_of);
  while (std::next_permutation(target_of.begin(), target_of.end()));
}

/// Where each bit goes under the exchanges, by moving labels.
std::vector<unsigned> move_labels(unsigned n, bit_exchange_list const& list) {
  std::vector<unsigned> label(n), target_of(n);
  std::iota(label.begin(), label.end(), 0U);
  for (auto const& e : list) std::swap(label[e.first], label[e.second]);
  for (unsigned place = 0; place < n; ++place) target_of[label[place]] = place;
  return target_of;
}
bool uses_no_bit_twice(bit_exchange_list const& list) {
  std::vector<int> count(64);
  for (auto const& e : list)
    if (e.first == e.second || ++count[e.first] > 1 || ++count[e.second] > 1) return false;
  return true;
}
/// Bits first .. last move up by one, the last one to the first.
std::vector<unsigned> shuffled(unsigned n, unsigned first, unsigned last) {
  std::vector<unsigned> target_of(n);
  for (unsigned j = 0; j < n; ++j)
    target_of[j] = j < first || j > last ? j : j == last ? first : j + 1;
  return target_of;
}

}  // namespace

TEST_CASE("lemmas 5.2 and 5.3: two symmetric bit exchanges make any bit permutation",
          "[dimension]") {
  for (unsigned n = 0; n <= 7; ++n)
    for_all_bit_permutations(n, [&](std::vector<unsigned> const& target_of) {
      const auto two = reflections(bit_permutation(std::span<unsigned const>(target_of)));
      bool good = uses_no_bit_twice(two.first) && uses_no_bit_twice(two.second);
      bit_exchange_list both = two.first;
      for (auto const& e : two.second) both.push_back(e);
      good = good && move_labels(n, both) == target_of;
      if (!good) FAIL_CHECK(n);
    });
  oracle::generator random(53);
  std::vector<unsigned> target_of(63);
  std::iota(target_of.begin(), target_of.end(), 0U);
  for (int i = 0; i < 50; ++i) {
    std::shuffle(target_of.begin(), target_of.end(), random);
    const auto p = bit_permutation(std::span<unsigned const>(target_of));
    const auto two = reflections(p);
    const auto first = compose_exchanges(63, two.first), second = compose_exchanges(63, two.second);
    CHECK(compose(second, first) == p);
    CHECK(is_identity(compose(first, first)));  // definition 5.3: symmetric
    CHECK(transposed(second.matrix()) == second.matrix());
  }
  CHECK_THROWS_AS(reflections(gray_encode(4)), bad_value);
  CHECK_THROWS_AS(reflections(vector_reversal(4)), bad_value);
}

TEST_CASE("lemma 5.1: symmetric bit permutations are independent exchanges", "[dimension]") {
  for (unsigned n = 0; n <= 6; ++n)
    for_all_bit_permutations(n, [&](std::vector<unsigned> const& target_of) {
      const auto p = bit_permutation(std::span<unsigned const>(target_of));
      bool symmetric = true;
      for (unsigned j = 0; j < n; ++j) symmetric = symmetric && target_of[target_of[j]] == j;
      if (!symmetric) {
        CHECK_THROWS_AS(independent_exchanges(p), bad_value);
        return;
      }
      auto list = independent_exchanges(p);
      CHECK(uses_no_bit_twice(list));
      CHECK(move_labels(n, list) == target_of);
      std::reverse(list.item.begin(), list.item.begin() + list.count);
      CHECK(move_labels(n, list) == target_of);  // in any order
    });
}

TEST_CASE("equations 5.6 and 5.7: the shuffle as n - 1 exchanges", "[dimension]") {
  for (unsigned n = 1; n <= 12; ++n)
    for (unsigned first = 0; first < n; ++first)
      for (unsigned last = first; last < n; ++last) {
        const auto expected = shuffled(n, first, last);
        const unsigned length = last - first + 1;
        std::array<unsigned, 64> all_neighbours{}, all_pivots{};
        for (unsigned start = first; start <= last; ++start) {
          const auto round = shuffle_by_neighbours(first, last, start);
          const auto star = shuffle_by_pivot(first, last, start);
          CHECK(round.size() == length - 1);
          CHECK(star.size() == length - 1);
          CHECK(move_labels(n, round) == expected);
          CHECK(move_labels(n, star) == expected);
          for (auto const& e : round)
            CHECK((e.first == e.second + 1 || (e.first == first && e.second == last)));
          for (auto const& e : star) CHECK(e.first == start);
          for (unsigned j = first; j <= last; ++j) {
            all_neighbours[j] += uses(round)[j];
            all_pivots[j] += uses(star)[j];
          }
        }
        const auto round = uses(shuffle_by_neighbours(first, last));
        const auto star = uses(shuffle_by_pivot(first, last));
        for (unsigned j = first; j <= last && length > 1; ++j) {
          // example 1: the first and the last bit once, the others twice; example 2: the first bit
          // n - 1 times, the others once
          CHECK(round[j] == (j == first || j == last ? 1U : 2U));
          CHECK(star[j] == (j == first ? length - 1 : 1U));
          // parts that start at different bits together use all bits alike
          CHECK(all_neighbours[j] == 2 * (length - 1));
          CHECK(all_pivots[j] == 2 * (length - 1));
        }
      }
  CHECK(compose_exchanges(9, shuffle_by_neighbours(0, 8)) == shuffle(9));
  CHECK_THROWS_AS(shuffle_by_pivot(2, 5, 6), bad_value);
}

TEST_CASE("a shuffle through a bit outside, and in two smaller ones", "[dimension]") {
  for (unsigned n = 2; n <= 9; ++n)
    for (unsigned first = 0; first < n; ++first)
      for (unsigned last = first; last < n; ++last)
        for (unsigned other = 0; other < n; ++other) {
          const auto expected = shuffled(n, first, last);
          if (first <= other && other <= last) {
            CHECK(move_labels(n, shuffle_in_two(first, last, other)) == expected);
            CHECK(shuffle_in_two(first, last, other).size() == last - first);
            CHECK_THROWS_AS(shuffle_through(other, first, last, first), bad_value);
            continue;
          }
          for (unsigned start = first; start <= last; ++start) {
            const auto list = shuffle_through(other, first, last, start);
            CHECK(move_labels(n, list) == expected);
            if (first == last) continue;
            CHECK(list.size() == last - first + 2);
            for (unsigned j = first; j <= last; ++j) CHECK(uses(list)[j] == (j == start ? 2U : 1U));
          }
        }
}

TEST_CASE("theorem 4.1: the Gray code is reversed by its highest bit", "[gray]") {
  for (unsigned n : {1U, 2U, 5U, 10U, 16U}) {
    const auto g = gray_encode(n);
    for (index_t x = 0; x < oracle::power(n); ++x)
      if (g(oracle::power(n) - 1 - x) != (g(x) ^ oracle::power(n - 1))) FAIL_CHECK(x);
    const auto list = oracle::gray_list(n);  // by reflection
    for (index_t x = 0; x < oracle::power(n); ++x)
      if (g(x) != list[x]) FAIL_CHECK(x);
  }
}

TEST_CASE("theorem 4.2: neighbours differ in the bit that counts the trailing ones", "[gray]") {
  for (unsigned n : {1U, 2U, 5U, 10U, 16U}) {
    const auto g = gray_encode(n);
    for (index_t x = 0; x + 1 < oracle::power(n); ++x)
      if ((g(x) ^ g(x + 1)) != oracle::power(static_cast<unsigned>(std::countr_one(x))))
        FAIL_CHECK(x);
  }
}

TEST_CASE("theorems 4.1 and 4.2 on 63 bits", "[gray]") {
  const auto g = gray_encode(63);
  oracle::generator random(41);
  for (int i = 0; i < 1000; ++i) {
    const index_t x = random() >> (1 + random() % 63);
    CHECK(g(oracle::power(63) - 1 - x) == (g(x) ^ oracle::power(62)));
    if (x + 1 < oracle::power(63))
      CHECK((g(x) ^ g(x + 1)) == oracle::power(static_cast<unsigned>(std::countr_one(x))));
  }
}

TEST_CASE("Gray codes are encoded and decoded in any order of the dimensions", "[gray]") {
  for (unsigned n : {1U, 2U, 3U, 6U}) {
    std::vector<unsigned> order(n);
    std::iota(order.begin(), order.end(), 0U);
    const auto list = oracle::gray_list(n);
    do {
      dimension_order given;
      for (unsigned k : order) given.push_back(k);
      const auto encode = exchange_factors(gray_encode(n), given);
      const auto decode = exchange_factors(gray_decode(n), given);
      REQUIRE((encode && decode));
      for (index_t x = 0; x < list.size(); ++x) {
        index_t coded = x, plain = list[x];
        for (auto const& e : *encode) coded = e(coded);
        for (auto const& e : *decode) plain = e(plain);
        if (coded != list[x] || plain != x) FAIL_CHECK(x);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  for (unsigned n : {1U, 4U, 63U}) {
    const auto up = *exchange_factors(gray_decode(n), ascending_order(n));
    const auto down = *exchange_factors(gray_decode(n), descending_order(n));
    for (unsigned k = 0; k < n; ++k) {
      // ascending: the sum of all bits from k on, none of which has changed yet
      CHECK(up[k] == conditional_exchange{k, low_bits(n) & ~low_bits(k)});
      // descending: the bit above is decoded already
      const unsigned j = n - 1 - k;
      CHECK(down[k] == conditional_exchange{j, j + 1 < n ? bit(j) | bit(j + 1) : bit(j)});
    }
  }
}

TEST_CASE("corollaries 4.1 and 4.2: the code change of a split axis", "[gray]") {
  for (unsigned high = 0; high <= 6; ++high)
    for (unsigned low = 0; low <= 6; ++low) {
      const auto split = gray_split(high, low), merge = gray_merge(high, low);
      const auto whole = oracle::gray_list(high + low);
      const auto top = oracle::gray_list(high), bottom = oracle::gray_list(low);
      for (index_t x = 0; x < whole.size(); ++x) {
        const index_t two =
            top[x / oracle::power(low)] * oracle::power(low) + bottom[x % oracle::power(low)];
        if (split(whole[x]) != two || merge(two) != whole[x]) FAIL_CHECK(x);
      }
      // both are pipelined: exchanges in standard order, and only one of them does anything
      const auto list = exchange_factors(split);
      REQUIRE(list);
      const auto active =
          std::count_if(list->begin(), list->end(), [](auto const& e) { return !e.is_identity(); });
      CHECK(active == (high != 0 && low != 0 ? 1 : 0));
      CHECK(exchange_factors(merge).has_value());
    }
  // corollary 4.2, as we reconstruct it: code changes in any order of the dimensions
  const auto from = array_layout::over({2, 1, 2}, low_bits(5), axis_code::gray);
  const auto to = array_layout::over({1, 3, 1}, low_bits(5), axis_code::gray);
  const auto change = reshape(from, to).map;
  std::vector<unsigned> order{0, 1, 2, 3, 4};
  do {
    dimension_order given;
    for (unsigned k : order) given.push_back(k);
    const auto list = exchange_factors(change, given);
    REQUIRE(list);
    for (index_t x = 0; x < 32; ++x) {
      index_t y = x;
      for (auto const& e : *list) y = e(y);
      if (y != change(x)) FAIL_CHECK(x);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  STATIC_REQUIRE(gray_split<3, 2>() == permutation<5>(gray_split(3, 2)));
  STATIC_REQUIRE(compose(gray_merge<3, 2>(), gray_split<3, 2>()) == identity_permutation<5>());
}
