// SPDX-License-Identifier: BSL-1.0

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/in_place.hpp>
#include <memory>
#include <string>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;
using local::instructions;

namespace {

/// The factors are involutions, and one after another they are p.
unsigned check_factors(permutation<> const& p) {
  const auto list = local::involutions(p);
  oracle::matrix product = oracle::unit(p.bits());
  for (auto const& f : list) {
    const auto map = oracle::read_affine(f);
    REQUIRE(oracle::times(map.a, map.a) == oracle::unit(p.bits()));
    REQUIRE(map(map(0)) == 0);
    REQUIRE_FALSE(is_identity(f));
    product = oracle::times(map.a, product);
  }
  REQUIRE(product == oracle::read(p.matrix()));
  oracle::number zero = 0;
  for (auto const& f : list) zero = oracle::read_affine(f)(zero);
  REQUIRE(zero == p.complement());
  return list.size();
}

template <class T>
void check_in_place(permutation<> const& p, local::tuning const& t, std::size_t offset) {
  oracle::generator random(p.bits());
  guarded_bytes data(bit(p.bits()) * sizeof(T), offset);
  data.randomize(random);
  const std::vector<unsigned char> before(data.data(), data.data() + bit(p.bits()) * sizeof(T));
  const auto targets = all_targets(oracle::read_affine(p));
  local::in_place_pass<T>(p, t)(data.as<T>());
  bool right = true;
  for (index_t x = 0; x < bit(p.bits()); ++x)
    right &=
        std::memcmp(data.data() + targets[x] * sizeof(T), &before[x * sizeof(T)], sizeof(T)) == 0;
  INFO(sizeof(T) << "-byte elements, n = " << p.bits() << ", offset " << offset);
  REQUIRE(right);
  REQUIRE(data.intact());
}

std::vector<permutation<>> samples(unsigned n, oracle::generator& random) {
  std::vector<permutation<>> list{identity_permutation(n), bit_reversal(n), gray_decode(n),
                                  shuffle(n), vector_reversal(n)};
  for (int i = 0; i < 5; ++i) list.push_back(to_library(random_affine(n, random)));
  return list;
}

}  // namespace

TEST_CASE("involutions: as many as promised", "[local]") {
  oracle::generator random(1);
  unsigned three = 0;
  for (unsigned n = 0; n <= 24; ++n) {
    for (auto const& p : {bit_reversal(n), gray_encode(n), gray_decode(n), vector_reversal(n)})
      CHECK(check_factors(p) <= 3);
    for (unsigned k = 0; k <= n; k += 5) CHECK(check_factors(rotate_bits(n, k)) <= 2);
    for (int i = 0; i < 8; ++i) {
      const unsigned passes = check_factors(to_library(random_affine(n, random)));
      CHECK(passes <= 6);
      three += passes <= 3;
    }
  }
  CHECK(three > 25 * 8 * 2 / 3);
  CHECK(check_factors(identity_permutation(9)) == 0);
  CHECK(check_factors(bit_reversal(9)) == 1);
  // Many short chains: a unipotent matrix of rank n/2 - 1 more than 1, and its like
  bit_matrix<> a = identity_matrix(16);
  for (unsigned j = 4; j < 16; ++j) a.column[j] ^= bit(j - 4);
  CHECK(check_factors(permutation<>(a, 0x1357)) <= 6);
}

TEMPLATE_TEST_CASE("permute_in_place: every size, set and matrix", "[local]", opaque<1>, opaque<2>,
                   opaque<4>, opaque<8>, opaque<16>, opaque<5>, opaque<128>) {
  oracle::generator random(2);
  for (const auto set :
       {instructions::portable, instructions::neon, instructions::avx2, instructions::avx512}) {
    if (!local::available(set)) continue;
    for (unsigned n = 0; n <= 12; ++n)
      for (const auto& [from, caches] : {std::pair(index_t{0}, false), std::pair(index_t{0}, true),
                                         std::pair(~index_t{0}, false)}) {
        local::tuning t{set, from};
        t.shape.caches_in_place = caches;
        const std::size_t offset = sizeof(TestType) * n % 64;
        for (auto const& p : samples(n, random)) {
          check_in_place<TestType>(p, t, offset);
          check_in_place<TestType>(p, t, 0);  // aligned: past the caches
        }
      }
  }
}

TEST_CASE("permute_in_place: spans, workspaces, threads, owners, errors", "[local]") {
  oracle::generator random(3);
  const auto p = to_library(random_affine(12, random));
  for (int variant = 0; variant < 3; ++variant) {
    std::vector<index_t> data(bit(12));
    for (index_t x = 0; x < data.size(); ++x) data[x] = x;
    std::vector<index_t> workspace(bit(8));
    if (variant == 0) local::permute_in_place(std::span(data), p);
    if (variant == 1) local::permute_in_place(std::span(data), p, std::span(workspace));
    if (variant == 2)
      local::permute_in_place(std::span(data), p, std::span<index_t>{}, local::parallel{3});
    bool right = true;
    for (index_t x = 0; x < data.size(); ++x) right &= data[p(x)] == x;
    CHECK(right);
  }
  std::vector<std::unique_ptr<index_t>> owners(bit(12));
  for (index_t x = 0; x < owners.size(); ++x) owners[x] = std::make_unique<index_t>(x);
  local::permute_in_place(std::span(owners), p);
  bool right = true;
  for (index_t x = 0; x < owners.size(); ++x) right &= *owners[p(x)] == x;
  CHECK(right);
  std::vector<int> data(15);
  CHECK_COMPLAINS(bad_value, local::permute_in_place(std::span(data), bit_reversal(4)), "16", "15");
}
