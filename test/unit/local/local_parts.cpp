// SPDX-License-Identifier: BSL-1.0

// Passes between parts of larger arrays: target[A x + a] = source[E x + e] with injective A and E.

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/pass.hpp>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/oracle.hpp"

namespace {

using bmmc::affine_map;
using bmmc::bit;
using bmmc::index_t;

/// A random injective map which leaves the `kept` low bits as they are, or complements some of
/// them.
affine_map injective(unsigned rows, unsigned cols, unsigned kept, oracle::generator& random) {
  const auto high = bmmc::random_permutation(rows - kept, random).matrix();
  const index_t complemented = bmmc::low_bits(rows) & ~bmmc::low_bits(random() % 2 * kept);
  affine_map map{{rows, cols}, random() & complemented};
  for (unsigned j = 0; j < cols; ++j)
    map.matrix.column[j] = j < kept ? bit(j) : high.column[j - kept] << kept;
  return map;
}

}  // namespace

TEMPLATE_TEST_CASE("a pass from a part of one array to a part of another", "", std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t) {
  namespace local = bmmc::local;
  oracle::generator random(2020);
  for (int turn = 0; turn < 1500; ++turn) {
    const auto n = static_cast<unsigned>(random() % 13);
    const auto kept = [&] { return static_cast<unsigned>(random() % (n + 1)); };
    const auto more = [&] { return n + static_cast<unsigned>(random() % 4); };
    const auto to = injective(more(), n, kept(), random),
               from = injective(more(), n, kept(), random);
    local::tuning with;
    if (random() % 2 == 0) with.stream_from = 0;
    with.keeps_target = random() % 2 == 0;
    if (random() % 2 == 0) with.shape.buffered = true;
    if (random() % 4 == 0) with.use = local::instructions::portable;
    std::vector<TestType> source, target, expected;
    for (index_t x = 0; x < bit(from.matrix.rows()); ++x)
      source.push_back(static_cast<TestType>(x * 0x9e3779b97f4a7c15U >> 40));
    const std::size_t lead = random() % 64;  // elements before the target: every alignment
    target.assign(lead + bit(to.matrix.rows()), 77);
    expected = target;
    for (index_t x = 0; x < bit(n); ++x) expected[lead + to(x)] = source[from(x)];
    local::pass<TestType> pass(to, {from.matrix, 0}, with);
    pass.set_complement(to.complement, from.complement);
    pass(static_cast<TestType const*>(source.data()), target.data() + lead);
    INFO("turn " << turn << ", n " << n);
    REQUIRE(target == expected);
  }
}

TEST_CASE("passes whose maps do not fit are refused") {
  using pass = bmmc::local::pass<int>;
  const auto square = bmmc::identity_matrix(3);
  CHECK_THROWS_AS(pass(affine_map{square, 0}, affine_map{bmmc::identity_matrix(4), 0}),
                  bmmc::bad_value);
  CHECK_THROWS_AS(pass(affine_map{square, 0}, affine_map{{3, {1, 2, 3}}, 0}), bmmc::bad_value);
}
