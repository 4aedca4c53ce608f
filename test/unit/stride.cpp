// SPDX-License-Identifier: BSL-1.0

// Blocks with remainders, stride permutations and their walks, against counting.

#include <bmmc/planning.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::bad_value;
using bmmc::index_t;
using bmmc::stride_permutation;
using bmmc::layout::blocks;

/// i -> q i + r mod n, by additions alone.
std::vector<index_t> by_addition(index_t n, index_t q, index_t r) {
  std::vector<index_t> y;
  index_t at = r % n;
  for (index_t i = 0; i < n; ++i) {
    y.push_back(at);
    for (index_t k = 0; k < q % n; ++k) at = at + 1 == n ? 0 : at + 1;
  }
  return y;
}

std::vector<index_t> all_of(auto const& map, index_t n) {
  std::vector<index_t> y;
  for (index_t i = 0; i < n; ++i) y.push_back(map(i));
  return y;
}

using hits = std::vector<std::pair<index_t, index_t>>;

/// The indices of [first, first + count) with a target in [low, low + width), by trying all.
hits tried(stride_permutation const& s, index_t low, index_t width, index_t first, index_t count) {
  hits found;
  for (index_t x = first; x < first + count; ++x)
    if (const index_t y = s(x); y >= low && y < low + width) found.emplace_back(x, y - low);
  return found;
}
hits walked(stride_permutation const& s, index_t low, index_t width, index_t first, index_t count) {
  hits found;
  const bmmc::detail::stride_walk walk(s, low, width);
  auto cursor = walk.from(first);
  const auto keep = [&](index_t x, index_t offset) { found.emplace_back(x, offset); };
  const index_t number = walk.hits(first, count);
  if (number > count) return {};  // would never end
  cursor.take(number / 3, keep);  // with a pause
  cursor.take(number - number / 3, keep);
  return found;
}

}  // namespace

TEST_CASE("blocks: the first N mod P processes hold one more", "[layout]") {
  CHECK(blocks(10, 4).count(0) == 3);
  CHECK(blocks(10, 4).count(1) == 3);
  CHECK(blocks(10, 4).count(2) == 2);
  CHECK(blocks(2, 3).count(2) == 0);
  CHECK(blocks(bmmc::bit(63), 3).first(2) == 2 * (bmmc::bit(63) / 3) + 2);
  for (index_t procs = 1; procs <= 12; ++procs)
    for (index_t n = 0; n <= 60; ++n) {
      const blocks layout(n, procs);
      std::vector<bmmc::placement> expected;  // dealt out one by one, then laid side by side
      std::vector<index_t> held(procs, 0);
      for (index_t x = 0; x < n; ++x) ++held[x % procs];
      for (index_t k = 0; k < procs; ++k)
        for (index_t i = 0; i < held[k]; ++i) expected.push_back({k, i});
      bool same = true;
      for (index_t x = 0; x < n; ++x) same = same && layout.place(x) == expected[x];
      for (index_t k = 0; k < procs; ++k)
        same = same && layout.count(k) == held[k] &&
               layout.first(k) ==
                   std::accumulate(held.begin(), held.begin() + std::ptrdiff_t(k), index_t{0});
      INFO(n << " elements, " << procs << " processes");
      CHECK(same);
    }
  CHECK_COMPLAINS(bad_value, blocks(3, 0), "no processes");
}

TEST_CASE("blocks of powers of two are processor_major", "[layout]") {
  for (unsigned n = 0; n <= 6; ++n)
    for (unsigned p = 0; p <= n; ++p)
      for (index_t x = 0; x < bmmc::bit(n); ++x)
        CHECK(blocks(bmmc::bit(n), bmmc::bit(p)).place(x) ==
              bmmc::layout::place(bmmc::layout::processor_major{}, n, bmmc::bit(p), x));
}

TEST_CASE("stride permutations of up to 40 indices, and their inverses", "[index]") {
  for (index_t n = 1; n <= 40; ++n)
    for (index_t q = 0; q <= n + 1; ++q) {
      if (std::gcd(q, n) != 1) {
        CHECK_COMPLAINS(bad_value, stride_permutation(n, q), "common factor");
        continue;
      }
      for (index_t r : {index_t{0}, index_t{1}, n / 2, n - 1, n + 3}) {
        const stride_permutation s(n, q, r);
        INFO("i -> " << q << " i + " << r << " mod " << n);
        CHECK(all_of(s, n) == by_addition(n, q, r));
        const auto undo = inverse(s);
        std::vector<index_t> identity(n);
        std::iota(identity.begin(), identity.end(), index_t{0});
        CHECK(all_of([&](index_t x) { return undo(s(x)); }, n) == identity);
      }
    }
  CHECK_COMPLAINS(bad_value, stride_permutation(0, 1), "not 0");
  CHECK_COMPLAINS(bad_value, stride_permutation(10, 4), "4", "10", "common factor 2");
}

TEST_CASE("stride permutations of 2^31 to 2^63 indices", "[index]") {
  std::mt19937_64 random(31);
  for (const index_t n :
       {bmmc::bit(31), bmmc::bit(32) - 5, bmmc::bit(33) + 1, bmmc::bit(63) - 25, bmmc::bit(63)})
    for (int turn = 0; turn < 100; ++turn) {
      index_t q = random() % n;
      while (std::gcd(q, n) != 1) q = random() % n;
      const stride_permutation s(n, q, random());
      const auto undo = inverse(s);
      const index_t x = random() % (n - 1);
      INFO("i -> " << q << " i + " << s.shift() << " mod " << n << ", x = " << x);
      CHECK(s(x) < n);
      CHECK(undo(s(x)) == x);
      CHECK(s(x + 1) == (s(x) < n - q ? s(x) + q : s(x) - (n - q)));
    }
}

TEST_CASE("what is an index bijection, and works in constant expressions", "[index]") {
  STATIC_REQUIRE(bmmc::IndexBijection<stride_permutation>);
  STATIC_REQUIRE(bmmc::IndexBijection<bmmc::permutation<5>>);
  STATIC_REQUIRE(bmmc::IndexBijection<bmmc::permutation<>>);
  STATIC_REQUIRE_FALSE(bmmc::IndexBijection<int>);
  STATIC_REQUIRE_FALSE(bmmc::IndexBijection<bmmc::affine_map>);
  STATIC_REQUIRE(index_count(bmmc::shuffle<5>()) == 32);
  STATIC_REQUIRE(inverse(stride_permutation(10, 3, 4))(stride_permutation(10, 3, 4)(7)) == 7);
  constexpr auto up = [](index_t x) { return (x + 1) % 9; };
  constexpr auto down = [](index_t x) { return (x + 8) % 9; };
  constexpr bmmc::function_bijection b(9, up, down);
  STATIC_REQUIRE(bmmc::IndexBijection<decltype(b)>);
  STATIC_REQUIRE(inverse(b)(b(8)) == 8);
  STATIC_REQUIRE(inverse(b)(0) == 8);
}

TEST_CASE("p-ordered vectors: element i stands in place p i", "[index]") {
  const auto ordered = bmmc::p_ordered(16, 3), back = bmmc::p_unordered(16, 3);
  CHECK(ordered(5) == 15);
  CHECK(ordered(6) == 2);
  for (index_t i = 0; i < 16; ++i) CHECK(back(ordered(i)) == i);
}

TEST_CASE("a walk meets what trying every index meets, in the same order", "[index]") {
  for (index_t n = 1; n <= 18; ++n)
    for (index_t q = 0; q < n || q == 0; ++q) {
      if (std::gcd(q, n) != 1) continue;
      const stride_permutation s(n, q, n / 3);
      bool same = true;
      for (index_t low = 0; low < n; ++low)
        for (index_t width = 0; low + width <= n; ++width)
          for (index_t first = 0; first < n; ++first)
            for (const index_t count : {index_t{0}, index_t{1}, (n - first) / 2, n - first}) {
              if (first + count > n) continue;
              const auto expected = tried(s, low, width, first, count);
              same = same && walked(s, low, width, first, count) == expected &&
                     bmmc::detail::stride_walk(s, low, width).hits(first, count) == expected.size();
            }
      INFO("i -> " << q << " i + " << n / 3 << " mod " << n);
      CHECK(same);
    }
}

TEST_CASE("random walks over thousands of indices", "[index]") {
  std::mt19937_64 random(1967);
  for (int turn = 0; turn < 1000; ++turn) {
    const index_t n = 1 + random() % 5000;
    index_t q = random() % n;
    while (std::gcd(q, n) != 1) q = random() % n;
    const stride_permutation s(n, q, random() % n);
    const index_t low = random() % n, width = random() % (n - low + 1);
    const index_t first = random() % n, count = random() % (n - first + 1);
    const auto expected = tried(s, low, width, first, count);
    INFO("i -> " << q << " i + " << s.shift() << " mod " << n << ", targets from " << low << ", "
                 << width << ", sources from " << first << ", " << count);
    CHECK(walked(s, low, width, first, count) == expected);
    CHECK(bmmc::detail::stride_walk(s, low, width).hits(first, count) == expected.size());
  }
}

TEST_CASE("counts of walks add up for arrays of 2^62 elements", "[index]") {
  std::mt19937_64 random(62);
  for (int turn = 0; turn < 200; ++turn) {
    const index_t n = bmmc::bit(62) + random() % bmmc::bit(61), procs = 1 + random() % 40;
    index_t q = random() % n;
    while (std::gcd(q, n) != 1) q = random() % n;
    const stride_permutation s(n, q, random() % n);
    const blocks layout(n, procs);
    const index_t me = random() % procs;
    const bmmc::stride_route route(s, layout, me);
    index_t sent = 0, received = 0;
    for (index_t k = 0; k < procs; ++k) {
      sent += route.sent(k);
      received += route.received(k);
      CHECK(route.sent(k) == bmmc::stride_route(s, layout, k).received(me));
    }
    CHECK(sent == layout.count(me));
    CHECK(received == layout.count(me));
  }
}
