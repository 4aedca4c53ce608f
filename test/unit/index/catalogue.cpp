// SPDX-License-Identifier: BSL-1.0

// Every entry of the catalogue against what its name says, worked out on integers.

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include <bmmc/index/catalogue.hpp>

#include "support/catch.hpp"
#include "support/oracle.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

void check_same(permutation<> const& p, unsigned n,
                std::function<index_t(index_t)> const& expected) {
  REQUIRE(p.bits() == n);
  for (index_t x = 0; x < bit(n); ++x) REQUIRE(p(x) == expected(x));
}

/// Chi-square of a draw against the even distribution over `kinds` outcomes, in units of its
/// standard deviation from its mean.
double unevenness(std::map<std::vector<index_t>, unsigned> const& drawn, unsigned kinds,
                  unsigned draws) {
  const double even = double(draws) / kinds;
  double chi_square = even * double(kinds - drawn.size());
  for (auto const& [what, count] : drawn) chi_square += (count - even) * (count - even) / even;
  return (chi_square - (kinds - 1)) / std::sqrt(2.0 * (kinds - 1));
}

template <class Generator>
double unevenness_of_random(unsigned n, unsigned kinds, bool with_complement) {
  Generator random(20);
  std::map<std::vector<index_t>, unsigned> drawn;
  const unsigned draws = kinds * 200;
  for (unsigned i = 0; i < draws; ++i) {
    const auto p = random_permutation(n, random);
    std::vector<index_t> what(p.matrix().column.begin(), p.matrix().column.end());
    if (with_complement) what.push_back(p.complement());
    ++drawn[what];
  }
  return unevenness(drawn, kinds, draws);
}

/// Position in Z order: which half of each axis, slowest axis first, then the same inside it.
index_t z_order(std::vector<index_t> const& at, index_t side) {
  if (side == 1) return 0;
  index_t part = 0, cell = 1;
  std::vector<index_t> inside;
  for (const index_t c : at) {
    part = 2 * part + (c >= side / 2 ? 1 : 0);
    inside.push_back(c % (side / 2));
    cell *= side / 2;
  }
  return part * cell + z_order(inside, side / 2);
}

/// Runs over an array of the given extents like an odometer and checks where each element goes.
void check_axes(std::vector<unsigned> const& lg, std::vector<unsigned> const& axes) {
  const std::size_t order = axes.size();
  const auto p = axis_permutation(lg_extents(lg), axis_order(axes));
  std::vector<index_t> at(order, 0);
  for (index_t source = 0; source < bit(p.bits()); ++source) {
    index_t target = 0;
    for (std::size_t k = 0; k < order; ++k)
      target = target * bit(lg[axes[k]]) + at[axes[k]];
    REQUIRE(p(source) == target);
    for (std::size_t k = order; k-- > 0;) {
      if (++at[k] < bit(lg[k])) break;
      at[k] = 0;
    }
  }
}

}  // namespace

TEST_CASE("transpose takes entry (i, j) to (j, i)", "[catalogue]") {
  for (unsigned r = 0; r <= 5; ++r)
    for (unsigned s = 0; s <= 5; ++s)
      check_same(transpose(r, s), r + s, [=](index_t x) {
        const index_t i = x / bit(s), j = x % bit(s);
        return j * bit(r) + i;
      });
  CHECK(transpose<3, 5>() == permutation<8>(transpose(3, 5)));
  CHECK(transpose(31, 32)(bit(32) + 3) == 3 * bit(31) + 1);
}

TEST_CASE("shuffle interleaves the halves of a deck", "[catalogue]") {
  for (unsigned n = 1; n <= 8; ++n) {
    const index_t half = bit(n) / 2;
    check_same(shuffle(n), n, [=](index_t x) { return x < half ? 2 * x : 2 * (x - half) + 1; });
    check_same(unshuffle(n), n, [=](index_t x) { return x % 2 == 0 ? x / 2 : half + x / 2; });
  }
  CHECK(is_identity(shuffle(0)));
  CHECK(is_identity(unshuffle(0)));
  CHECK(shuffle<6>() == permutation<6>(shuffle(6)));
  CHECK(unshuffle<6>() == permutation<6>(unshuffle(6)));
  CHECK(unshuffle<0>() == permutation<0>{});
}

TEST_CASE("rotate_bits turns the index upwards", "[catalogue]") {
  for (unsigned n = 1; n <= 7; ++n)
    for (unsigned steps = 0; steps <= 2 * n; ++steps)
      check_same(rotate_bits(n, steps), n, [=](index_t x) {
        for (unsigned k = 0; k < steps; ++k) x = 2 * x % bit(n) + 2 * x / bit(n);
        return x;
      });
  CHECK(is_identity(rotate_bits(0, 3)));
  CHECK(rotate_bits<7>(3) == permutation<7>(rotate_bits(7, 3)));
}

TEST_CASE("bit_reversal reads the index backwards", "[catalogue]") {
  for (unsigned n = 0; n <= 9; ++n)
    check_same(bit_reversal(n), n, [=](index_t x) {
      auto b = oracle::to_bits(x, n);
      std::reverse(b.begin(), b.end());
      return oracle::to_number(b);
    });
  CHECK(bit_reversal<9>() == permutation<9>(bit_reversal(9)));
  CHECK(bit_reversal(63)(1) == bit(62));
}

TEST_CASE("vector_reversal counts from the other end", "[catalogue]") {
  for (unsigned n = 0; n <= 9; ++n)
    check_same(vector_reversal(n), n, [=](index_t x) { return bit(n) - 1 - x; });
  CHECK(vector_reversal<9>() == permutation<9>(vector_reversal(9)));
  CHECK(vector_reversal(63)(0) == bit(63) - 1);
}

TEST_CASE("gray_encode is the reflected list, gray_decode its inverse", "[catalogue]") {
  for (unsigned n = 0; n <= 9; ++n) {
    const auto list = oracle::gray_list(n);
    check_same(gray_encode(n), n, [&](index_t x) { return list[x]; });
    check_same(gray_encode(n), n, [](index_t x) { return x ^ (x >> 1); });
    check_same(gray_decode(n), n, [&](index_t y) {
      return static_cast<index_t>(std::find(list.begin(), list.end(), y) - list.begin());
    });
  }
  CHECK(gray_encode<6>() == permutation<6>(gray_encode(6)));
  CHECK(gray_decode<6>() == permutation<6>(gray_decode(6)));
  // Cormen's equation (6)
  const std::vector<std::string> rows{"110000", "011000", "001100", "000110", "000011", "000001"};
  for (unsigned i = 0; i < 6; ++i)
    for (unsigned j = 0; j < 6; ++j)
      CHECK(entry(gray_encode<6>().matrix(), i, j) == (rows[i][j] == '1'));
}

TEST_CASE("Morton order visits quadrants and octants", "[catalogue]") {
  for (unsigned dimensions = 1; dimensions <= 4; ++dimensions)
    for (unsigned side = 0; side * dimensions <= 12; ++side) {
      const unsigned n = side * dimensions;
      const auto encoded = [=](index_t x) {
        std::vector<index_t> at(dimensions);
        for (unsigned k = dimensions; k-- > 0; x /= bit(side)) at[k] = x % bit(side);
        return z_order(at, bit(side));
      };
      check_same(morton_encode(n, dimensions), n, encoded);
      const auto decode = morton_decode(n, dimensions);
      for (index_t x = 0; x < bit(n); ++x) REQUIRE(decode(encoded(x)) == x);
    }
  CHECK(morton_encode(8) == morton_encode(8, 2));
  CHECK(morton_encode<9>(3) == permutation<9>(morton_encode(9, 3)));
  CHECK(morton_decode<9>(3) == permutation<9>(morton_decode(9, 3)));
  CHECK(morton_decode<8>() == permutation<8>(morton_decode(8, 2)));
}

TEST_CASE("axis_permutation moves every element as nested loops do", "[catalogue]") {
  const std::vector<unsigned> all_extents{2, 0, 3, 1};
  for (std::size_t order = 0; order <= all_extents.size(); ++order) {
    const std::vector<unsigned> extents(all_extents.begin(),
                                        all_extents.begin() + static_cast<std::ptrdiff_t>(order));
    std::vector<unsigned> axes(order);
    std::iota(axes.begin(), axes.end(), 0U);
    do check_axes(extents, axes);
    while (std::next_permutation(axes.begin(), axes.end()));
  }
  const lg_extents extents{1, 2, 3};
  CHECK(axis_permutation<6>(extents, {2, 0, 1}) ==
        permutation<6>(axis_permutation(extents, {2, 0, 1})));
}

TEST_CASE("block_to_cyclic deals the elements out", "[catalogue]") {
  for (unsigned n = 0; n <= 8; ++n)
    for (unsigned p = 0; p <= n; ++p) {
      const index_t procs = bit(p), chunk = bit(n) / procs;
      check_same(block_to_cyclic(n, procs), n,
                 [=](index_t x) { return x % procs * chunk + x / procs; });
      check_same(cyclic_to_block(n, procs), n,
                 [=](index_t x) { return x % chunk * procs + x / chunk; });
    }
  CHECK(block_to_cyclic<8>(8) == permutation<8>(block_to_cyclic(8, 8)));
  CHECK(cyclic_to_block<8>(8) == permutation<8>(cyclic_to_block(8, 8)));
}

TEST_CASE("bit_permutation sends source bit j to target bit target_of[j]", "[catalogue]") {
  std::vector<unsigned> target_of{0, 1, 2, 3, 4};
  do
    check_same(bit_permutation(target_of), 5, [&](index_t x) {
      const auto source = oracle::to_bits(x, 5);
      oracle::bits target(5);
      for (unsigned j = 0; j < 5; ++j) target[target_of[j]] = source[j];
      return oracle::to_number(target);
    });
  while (std::next_permutation(target_of.begin(), target_of.end()));
  CHECK(bit_permutation(std::array{1U, 2U, 0U}) == shuffle<3>());
}

TEST_CASE("random permutations are uniform", "[catalogue]") {
  // |GL(2,2)| = 6 with 4 complements each, |GL(3,2)| = 168; five standard deviations either way
  CHECK(std::abs(unevenness_of_random<std::mt19937_64>(2, 24, true)) < 5);
  CHECK(std::abs(unevenness_of_random<std::mt19937>(2, 24, true)) < 5);
  CHECK(std::abs(unevenness_of_random<std::mt19937_64>(3, 168, false)) < 5);
  CHECK(std::abs(unevenness_of_random<std::mt19937>(3, 168, false)) < 5);
  // the measure itself: a skewed draw, one without an outcome, and a suspiciously even one
  CHECK(unevenness({{{0}, 120}, {{1}, 60}}, 2, 180) > 5);
  CHECK(unevenness({{{0}, 200}, {{1}, 200}}, 3, 400) > 5);
  CHECK(unevenness({{{0}, 100}, {{1}, 100}}, 2, 200) < 0);
}

TEST_CASE("random permutations use every bit, up to 63 of them", "[catalogue]") {
  std::mt19937 random(5);
  std::vector<unsigned> ones(63 * 63 + 63, 0);
  for (int draw = 0; draw < 64; ++draw) {
    const auto p = random_permutation(63, random);
    for (unsigned i = 0; i < 63; ++i) {
      for (unsigned j = 0; j < 63; ++j) ones[63 * i + j] += entry(p.matrix(), i, j) ? 1 : 0;
      ones[63 * 63 + i] += ((p.complement() >> i) & 1) != 0 ? 1 : 0;
    }
  }
  for (const unsigned count : ones) REQUIRE((count > 8 && count < 56));
  std::mt19937_64 a(9), b(9);
  CHECK(random_permutation<12>(a) == permutation<12>(random_permutation(12, b)));
}

TEST_CASE("catalogue errors name the figures", "[catalogue][errors]") {
  using list = std::vector<unsigned>;
  CHECK_COMPLAINS(bad_value, block_to_cyclic(3, 16), "2^3", "no 16 blocks");
  CHECK_COMPLAINS(bad_value, cyclic_to_block(3, 12), "power of two", "12");
  CHECK_COMPLAINS(bad_value, morton_encode(7, 2), "2", "7");
  CHECK_COMPLAINS(bad_value, morton_decode(8, 3), "3", "8");
  CHECK_COMPLAINS(bad_value, morton_encode(8, 0), "0");
  CHECK_COMPLAINS(bad_value, bit_permutation(list{0, 1, 1}), "bit 2", "target bit 1", "3");
  CHECK_COMPLAINS(bad_value, bit_permutation(list{0, 3, 1}), "bit 1", "target bit 3");
  CHECK_COMPLAINS(bad_value, bit_permutation(list(64, 0)), "63", "64");
  CHECK_COMPLAINS(bad_value, axis_permutation(lg_extents{1, 2}, {0}), "2 axes", "1");
  CHECK_COMPLAINS(bad_value, axis_permutation(lg_extents{1, 2}, {0, 2}), "axis 2", "2");
  CHECK_COMPLAINS(bad_value, axis_permutation(lg_extents{1, 2}, {1, 1}), "axis 1", "twice");
  CHECK_COMPLAINS(bad_value, axis_permutation(lg_extents{40, 40}, {1, 0}), "2^63");
  CHECK_COMPLAINS(bad_value, bit_reversal(64), "63", "64");
  CHECK_COMPLAINS(bad_value, bit_reversal(65), "65");
  CHECK_COMPLAINS(bad_value, shuffle(64), "63", "64");
  CHECK_COMPLAINS(bad_value, vector_reversal(64), "63", "64");
  CHECK_COMPLAINS(bad_value, gray_encode(64), "63", "64");
  CHECK_COMPLAINS(bad_value, gray_decode(64), "63", "64");
  CHECK_COMPLAINS(bad_value, morton_encode(64), "63", "64");
  CHECK_COMPLAINS(bad_value, transpose(32, 32), "63", "64");
  CHECK_COMPLAINS(bad_value, flip(64, 3), "63", "64");
  std::mt19937 random;
  CHECK_COMPLAINS(bad_value, random_permutation(64, random), "63", "64");
}
