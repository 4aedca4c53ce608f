// SPDX-License-Identifier: BSL-1.0

// detect finds affine permutations, and refuses what is none.

#include <algorithm>
#include <bmmc/planning.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::index_t;
using bmmc::map_kind;
using bmmc::permutation;

std::vector<index_t> targets_of(oracle::affine const& map, unsigned n) {
  std::vector<index_t> y;
  for (index_t x = 0; x < oracle::power(n); ++x) y.push_back(map(x));
  return y;
}

/// Every row and every column has a single 1.
bool moves_bits(oracle::matrix const& a) {
  for (unsigned i = 0; i < a.rows; ++i) {
    int row = 0, column = 0;
    for (unsigned j = 0; j < a.cols; ++j) {
      row += a.row[i][j];
      column += a.row[j][i];
    }
    if (row != 1 || column != 1) return false;
  }
  return true;
}

/// Nothing, or what is wrong with the answers for this map and for it with two targets exchanged.
std::string fault(oracle::affine const& map, unsigned n, oracle::generator& random) {
  auto targets = targets_of(map, n);
  const auto kind = moves_bits(map.a) ? map_kind::bpc : map_kind::bmmc;
  const auto found = bmmc::detect(targets);
  if (found.kind != kind || !(found.map == to_library(map))) return "the map is not found";
  const auto quick = bmmc::detect_quickly(targets, 0.01, 0.01, random);
  if (!(quick == found)) return "the quick answer is another";
  if (n < 3) return "";
  const auto i = random() % targets.size(),
             j = (i + 1 + random() % (targets.size() - 1)) % targets.size();
  std::swap(targets[i], targets[j]);
  const auto refused = bmmc::detect(targets);
  if (refused.is_bmmc() || refused.is_bpc()) return "a transposition is not noticed";
  return "";
}

}  // namespace

TEST_CASE("the catalogue is found, and refused after a transposition", "[detect]") {
  oracle::generator random(4);
  for (unsigned n = 0; n <= 10; ++n) {
    std::vector<permutation<>> all{bmmc::identity_permutation(n),
                                   bmmc::bit_reversal(n),
                                   bmmc::shuffle(n),
                                   bmmc::unshuffle(n),
                                   bmmc::vector_reversal(n),
                                   bmmc::gray_encode(n),
                                   bmmc::gray_decode(n),
                                   bmmc::transpose(n / 2, n - n / 2)};
    if (n >= 2) {
      all.push_back(bmmc::swap_bits(n, 0, n - 1));
      all.push_back(bmmc::cnot(n, 1, 0));
      all.push_back(bmmc::flip(n, n - 1));
      all.push_back(bmmc::block_to_cyclic(n, 2));
      all.push_back(bmmc::cyclic_to_block(n, 4));
    }
    if (n % 2 == 0) all.push_back(bmmc::morton_encode(n));
    if (n % 3 == 0) all.push_back(bmmc::morton_decode(n, 3));
    for (std::size_t k = 0; k < all.size(); ++k) {
      INFO("n = " << n << ", entry " << k);
      CHECK(fault(oracle::read_affine(all[k]), n, random) == "");
    }
  }
}

TEST_CASE("1000 random (A, c) are found, and refused after a transposition", "[detect]") {
  oracle::generator random(1000);
  for (int turn = 0; turn < 1000; ++turn) {
    const auto n = static_cast<unsigned>(3 + turn % 9);
    INFO("turn " << turn << ", n = " << n);
    CHECK(fault(random_affine(n, random), n, random) == "");
  }
}

TEST_CASE("every transposition is noticed, n = 3 and 4", "[detect]") {
  oracle::generator random(34);
  for (unsigned n : {3U, 4U})
    for (int turn = 0; turn < 20; ++turn) {
      auto targets = targets_of(random_affine(n, random), n);
      for (std::size_t i = 0; i < targets.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
          std::swap(targets[i], targets[j]);
          CHECK_FALSE(bmmc::detect(targets).is_bmmc());
          std::swap(targets[i], targets[j]);
        }
    }
}

TEST_CASE("of the 40320 permutations of 8 indices 1344 are affine, 48 of them bit permutations",
          "[detect]") {
  std::vector<index_t> targets(8);
  std::iota(targets.begin(), targets.end(), index_t{0});
  int affine = 0, bits = 0;
  do {
    const auto found = bmmc::detect(targets);
    affine += found.is_bmmc();
    bits += found.is_bpc();
    if (found.is_bmmc())
      for (index_t x = 0; x < 8; ++x) REQUIRE(found.map(x) == targets[x]);
    else if (found.witness)
      REQUIRE(*found.witness < 8);
  } while (std::next_permutation(targets.begin(), targets.end()));
  CHECK(affine == 168 * 8);
  CHECK(bits == 6 * 8);
}

TEST_CASE("what is no permutation of 2^n indices is refused", "[detect]") {
  using list = std::vector<index_t>;
  CHECK_FALSE(bmmc::detect(list{}).is_bmmc());
  CHECK_FALSE(bmmc::detect(list{0, 1, 2}).is_bmmc());
  CHECK_FALSE(bmmc::detect(list{0, 0, 0, 0}).is_bmmc());
  CHECK_FALSE(bmmc::detect(list{0, 1, 1, 0}).is_bmmc());
  CHECK(bmmc::detect(list{0, 1, 2, 7}).witness == index_t{3});
  CHECK(bmmc::detect(list{4, 1, 2, 3}).witness == index_t{0});
  CHECK(bmmc::detect(list{0, 1, 5, 3}).witness == index_t{2});
  CHECK(bmmc::detect(list{0}).is_bpc());
  const bmmc::stride_permutation s(64, 5, 3);
  CHECK_FALSE(bmmc::detect(6, s).is_bmmc());
  CHECK(bmmc::detect(6, bmmc::stride_permutation(64, 63, 63)).map == bmmc::vector_reversal(6));
}

TEST_CASE("detect works in constant expressions", "[detect]") {
  STATIC_REQUIRE(bmmc::detect(5, bmmc::gray_encode<5>()).map == bmmc::gray_encode(5));
  STATIC_REQUIRE(bmmc::detect(4, bmmc::bit_reversal<4>()).is_bpc());
}

TEST_CASE("quick detection needs few probes and keeps its promise", "[detect]") {
  oracle::generator random(99);
  const unsigned n = 40;  // far too many for the exact mode
  const auto p = bmmc::random_permutation(n, random);
  index_t calls = 0;
  const auto counted = [&](index_t x) {
    ++calls;
    return p(x);
  };
  CHECK(bmmc::detect_quickly(n, counted, 0.01, 1e-6, random).map == p);
  CHECK(calls == n + 1 + 1382);  // ceil(ln(10^6) / 0.01)

  // wrong in an eighth of all places, none of them a probe that fixes the map
  const auto wrong = [&](index_t x) { return p(x) ^ ((x & 7) == 7 ? 1 : 0); };
  int passed = 0;
  for (int turn = 0; turn < 4000; ++turn)
    passed += bmmc::detect_quickly(n, wrong, 0.125, 0.1, random).is_bmmc();
  CHECK(passed > 200);  // 19 probes: (7/8)^19 = 0.079 pass
  CHECK(passed < 400);
  CHECK_COMPLAINS(bmmc::bad_value, bmmc::detect_quickly(n, p, 0, 0.1, random), "epsilon");
  CHECK_COMPLAINS(bmmc::bad_value, bmmc::detect_quickly(n, p, 0.1, 1, random), "eta");
}
