// SPDX-License-Identifier: BSL-1.0

#include <bmmc/layout/policies.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

/// Every index lives where the oracle says, and index_at finds it again.
void check_layout(SingleLayout auto const& policy, unsigned n, unsigned p,
                  oracle::layout const& expected) {
  INFO("n = " << n << ", p = " << p);
  const auto physical = policy.physical(n, p);
  REQUIRE(physical.bits() == n);
  for (index_t x = 0; x < bit(n); ++x) {
    const oracle::spot spot = expected(n, p, x);
    const placement at = layout::place(policy, n, bit(p), x);
    REQUIRE(at == placement{spot.proc, spot.offset});
    REQUIRE(physical(x) == spot.proc * (bit(n) / bit(p)) + spot.offset);
    REQUIRE(layout::index_at(policy, n, bit(p), at) == x);
  }
}

void for_all_sizes(unsigned most, auto const& check) {
  for (unsigned n = 0; n <= most; ++n)
    for (unsigned p = 0; p <= n; ++p) check(n, p);
}

}  // namespace

TEST_CASE("processor_major holds consecutive blocks", "[layout]") {
  for_all_sizes(8, [](unsigned n, unsigned p) {
    check_layout(layout::processor_major{}, n, p, oracle::processor_major);
  });
}

TEST_CASE("processor_minor deals the elements out", "[layout]") {
  for_all_sizes(8, [](unsigned n, unsigned p) {
    check_layout(layout::processor_minor{}, n, p, oracle::processor_minor);
  });
}

TEST_CASE("banded deals blocks of 2^f elements out", "[layout]") {
  for_all_sizes(8, [](unsigned n, unsigned p) {
    for (unsigned f = 0; f <= n - p; ++f) check_layout(layout::banded(f), n, p, oracle::banded(f));
    CHECK(layout::banded(n - p).physical(n, p) == layout::processor_major{}.physical(n, p));
    CHECK(layout::banded(0).physical(n, p) == layout::processor_minor{}.physical(n, p));
  });
}

TEST_CASE("Cormen's figure 1", "[layout]") {
  // figure[f][offset][process] is the index that lives there; N = 32, P = 4
  constexpr std::array<std::array<std::array<index_t, 4>, 8>, 4> figure{{
      {{{0, 1, 2, 3},
        {4, 5, 6, 7},
        {8, 9, 10, 11},
        {12, 13, 14, 15},
        {16, 17, 18, 19},
        {20, 21, 22, 23},
        {24, 25, 26, 27},
        {28, 29, 30, 31}}},
      {{{0, 2, 4, 6},
        {1, 3, 5, 7},
        {8, 10, 12, 14},
        {9, 11, 13, 15},
        {16, 18, 20, 22},
        {17, 19, 21, 23},
        {24, 26, 28, 30},
        {25, 27, 29, 31}}},
      {{{0, 4, 8, 12},
        {1, 5, 9, 13},
        {2, 6, 10, 14},
        {3, 7, 11, 15},
        {16, 20, 24, 28},
        {17, 21, 25, 29},
        {18, 22, 26, 30},
        {19, 23, 27, 31}}},
      {{{0, 8, 16, 24},
        {1, 9, 17, 25},
        {2, 10, 18, 26},
        {3, 11, 19, 27},
        {4, 12, 20, 28},
        {5, 13, 21, 29},
        {6, 14, 22, 30},
        {7, 15, 23, 31}}},
  }};
  for (unsigned f = 0; f < 4; ++f)
    for (index_t offset = 0; offset < 8; ++offset)
      for (index_t proc = 0; proc < 4; ++proc)
        CHECK(layout::index_at(layout::banded(f), 5, 4, {proc, offset}) == figure[f][offset][proc]);
}

TEST_CASE("process_bits takes any index bits, in any order", "[layout]") {
  const unsigned n = 5;
  for (unsigned a = 0; a < n; ++a) {
    check_layout(layout::process_bits{a}, n, 1, oracle::process_bits({a}));
    for (unsigned b = 0; b < n; ++b)
      for (unsigned c = 0; c < n; ++c)
        if (a != b && b != c && a != c)
          check_layout(layout::process_bits{a, b, c}, n, 3, oracle::process_bits({a, b, c}));
  }
  check_layout(layout::process_bits{2, 0, 1}, 3, 3, oracle::process_bits({2, 0, 1}));
  check_layout(layout::process_bits(std::vector<unsigned>{}), 4, 0, oracle::process_bits({}));
  const std::vector<unsigned> named{4, 1};
  check_layout(layout::process_bits(std::span<unsigned const>(named)), 6, 2,
               oracle::process_bits(named));
}

TEST_CASE("gray numbers the processes of another layout in Gray code", "[layout]") {
  for_all_sizes(7, [](unsigned n, unsigned p) {
    check_layout(layout::gray<>{}, n, p, oracle::gray(oracle::processor_major));
    check_layout(layout::gray<layout::processor_minor>{}, n, p,
                 oracle::gray(oracle::processor_minor));
    check_layout(layout::gray{layout::banded((n - p) / 2)}, n, p,
                 oracle::gray(oracle::banded((n - p) / 2)));
  });
}

TEST_CASE("affine is any permutation of the addresses", "[layout]") {
  oracle::generator random(1);
  for_all_sizes(7, [&](unsigned n, unsigned p) {
    const auto map = random_affine(n, random);
    check_layout(layout::affine(to_library(map)), n, p, oracle::affine_layout(map));
  });
  const auto map = random_affine(6, random);
  check_layout(layout::affine(permutation<6>(to_library(map))), 6, 2, oracle::affine_layout(map));
}

TEST_CASE("between holds two layouts, a single one stands for both", "[layout]") {
  const auto pair = layout::between{layout::processor_minor{}, layout::banded(2)};
  CHECK(layout::source_map(pair, 6, 3) == layout::processor_minor{}.physical(6, 3));
  CHECK(layout::target_map(pair, 6, 3) == layout::banded(2).physical(6, 3));
  CHECK(layout::source_map(layout::banded(1), 6, 3) == layout::banded(1).physical(6, 3));
  CHECK(layout::target_map(layout::banded(1), 6, 3) == layout::banded(1).physical(6, 3));
  STATIC_REQUIRE(Layout<layout::between<layout::gray<>, layout::affine<4>>>);
  STATIC_REQUIRE(Layout<layout::process_bits>);
  STATIC_REQUIRE_FALSE(Layout<int>);
  STATIC_REQUIRE_FALSE(SingleLayout<layout::between<layout::gray<>, layout::gray<>>>);
}

TEST_CASE("layout errors name the figures", "[layout][errors]") {
  CHECK_COMPLAINS(bad_value, layout::processor_major{}.physical(3, 4), "2^3", "2^4");
  CHECK_COMPLAINS(bad_value, layout::processor_minor{}.physical(3, 4), "2^3", "2^4");
  CHECK_COMPLAINS(bad_value, layout::banded(0).physical(3, 4), "2^3", "2^4");
  CHECK_COMPLAINS(bad_value, layout::banded(3).physical(5, 3), "3", "5 bits");
  CHECK_COMPLAINS(bad_value, layout::banded(~0U).physical(5, 3), "5 bits");
  CHECK_COMPLAINS(bad_value, (layout::process_bits{0, 1}.physical(5, 3)), "2^3", "3", "2");
  CHECK_COMPLAINS(bad_value, (layout::process_bits{0, 1}.physical(1, 2)), "2^1", "2^2");
  CHECK_COMPLAINS(bad_value, (layout::process_bits{0, 5}.physical(5, 2)), "bit 5", "5 bits");
  CHECK_COMPLAINS(bad_value, (layout::process_bits{3, 3}.physical(5, 2)), "bit 3", "5 bits");
  CHECK_COMPLAINS(bad_value, layout::process_bits(std::vector<unsigned>(64)), "63", "64");
  CHECK_COMPLAINS(bad_value, layout::gray<>{}.physical(3, 4), "2^3", "2^4");
  CHECK_COMPLAINS(bad_value, layout::affine(shuffle(4)).physical(5, 2), "4 bits", "2^5");
  CHECK_COMPLAINS(bad_value, layout::affine(shuffle<4>()).physical(4, 5), "2^4", "2^5");
}
