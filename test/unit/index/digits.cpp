// SPDX-License-Identifier: BSL-1.0

// Digit permutations of arrays of any extents, and their routes, against nested loops.

#include <bmmc/planning.hpp>
#include <random>

#include "support/array_oracle.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace bmmc;
using oracle::positions;

namespace {

#ifdef BMMC_TEST_FEWER
constexpr index_t most_elements = 60, most_in_routes = 20;
constexpr int random_cases = 60;
#else
constexpr index_t most_elements = 300, most_in_routes = 40;
constexpr int random_cases = 400;
#endif

positions all_of(auto const& map, index_t n) {
  positions y;
  for (index_t x = 0; x < n; ++x) y.push_back(map(x));
  return y;
}
digit_permutation of_axes(positions const& extents_, std::vector<unsigned> const& axes) {
  return axis_permutation(extents(extents_), axis_order(axes));
}
/// first, then second.
positions one_after_other(positions const& first, positions const& second) {
  positions both;
  for (const auto y : first) both.push_back(second[y]);
  return both;
}
bool is_unchanged(positions const& targets) {
  for (index_t x = 0; x < targets.size(); ++x)
    if (targets[x] != x) return false;
  return true;
}

/// What holds for every digit permutation. Empty, or what does not.
std::string fault(digit_permutation const& p, positions const& targets) {
  const index_t n = targets.size();
  if (p.size() != n) return "size";
  if (all_of(p, n) != targets) return "evaluation";
  const auto undo = inverse(p);
  for (index_t x = 0; x < n; ++x)
    if (undo(targets[x]) != x) return "inverse";
  if (is_identity(p) != is_unchanged(targets)) return "is_identity";
  const auto simple = simplified(p);
  if (all_of(simple, n) != targets) return "simplified is another map";
  for (const index_t extent : simple.source_extents())
    if (extent == 1) return "simplified has an axis of 1";
  for (unsigned k = 0; k + 1 < simple.order(); ++k)
    if (simple.stays_along(k) && simple.stays_along(k + 1) &&
        simple.target_stride(k) == simple.target_stride(k + 1) * simple.source_extents()[k + 1])
      return "simplified has neighbours that stay";
  if (!is_identity(compose(undo, p)) || !is_identity(compose(p, undo))) return "composition";
  if (const auto affine = as_affine(p); affine && all_of(*affine, n) != targets) return "as_affine";
  return "";
}

/// The pairs (x, targets[x]) of a route, in any order, with a pause; and that counts are right.
std::string route_fault(digit_permutation const& p, positions const& targets, index_t procs) {
  const layout::blocks layout(targets.size(), procs);
  for (index_t source = 0; source < procs; ++source)
    for (index_t target = 0; target < procs; ++target) {
      const digit_route sender(p, layout, source), receiver(p, layout, target);
      std::vector<std::pair<index_t, index_t>> expected, found;
      for (index_t x = layout.first(source); x < layout.first(source) + layout.count(source); ++x)
        if (targets[x] - layout.first(target) < layout.count(target))
          expected.emplace_back(x - layout.first(source), targets[x] - layout.first(target));
      if (sender.sent(target) != expected.size()) return "sent";
      if (receiver.received(source) != expected.size()) return "received";
      positions from, to;
      const index_t before = expected.size() / 3;
      auto out = sender.sending(target);
      for (const index_t count : {before, expected.size() - before})
        out.take(count, [&](index_t x) { from.push_back(x); });
      receiver.receiving(source).take(expected.size(), [&](index_t y) { to.push_back(y); });
      for (std::size_t i = 0; i < from.size(); ++i) found.emplace_back(from[i], to[i]);
      std::sort(found.begin(), found.end());
      if (found != expected) return "pairs";
      if (source != target) continue;
      found.clear();
      sender.each_kept([&](index_t x, index_t y) { found.emplace_back(x, y); });
      std::sort(found.begin(), found.end());
      if (found != expected) return "kept";
    }
  return "";
}

positions random_extents(std::mt19937_64& random, index_t most) {
  positions each;
  for (index_t left = most; left > 1 && each.size() < 6; left /= each.back())
    each.push_back(1 + random() % std::min<index_t>(left, 9));
  return each;
}
std::vector<unsigned> random_axes(std::mt19937_64& random, std::size_t order) {
  std::vector<unsigned> axes(order);
  std::iota(axes.begin(), axes.end(), 0U);
  std::shuffle(axes.begin(), axes.end(), random);
  return axes;
}

}  // namespace

TEST_CASE("axes of all arrays of up to 300 elements and 4 axes", "[digits]") {
  index_t cases = 0;
  const auto check_all = [&](unsigned order, index_t least, index_t most) {
    oracle::each_extents(order, least, most, [&](positions const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        const auto p = of_axes(each, axes);
        const auto targets = oracle::targets_of_axes(each, axes);
        // all that is in fault() for a part of them, or it takes minutes
        if (++cases % 32 == 0 || order < 3) {
          if (const auto what = fault(p, targets); what != "") FAIL(what << ", case " << cases);
        } else if (all_of(p, targets.size()) != targets) {
          FAIL("evaluation, case " << cases);
        }
      });
    });
  };
  for (unsigned order = 0; order <= 3; ++order) check_all(order, 1, most_elements);
  check_all(4, 2, most_elements);
  check_all(4, 1, most_elements / 5);
  CHECK(cases > 10 * most_elements);
}

TEST_CASE("positions along one axis: reversed, shifted, spread", "[digits]") {
  const positions each{3, 8, 5};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const index_t n = each[axis];
    for (index_t q = 1; q < 2 * n; ++q)
      for (index_t r = 0; r < 2 * n; ++r) {
        if (std::gcd(q, n) != 1) continue;
        positions moved;
        for (index_t x = 0; x < n; ++x) moved.push_back((q * x + r) % n);
        const auto targets = oracle::targets_of_positions(each, axis, moved);
        CHECK(fault(axis_stride(extents(each), axis, q, r), targets) == "");
        if (q == 1)
          CHECK(axis_shift(extents(each), axis, r) == axis_stride(extents(each), axis, 1, r));
        if (q == n - 1 && r == n - 1)
          CHECK(axis_reversal(extents(each), axis) == axis_stride(extents(each), axis, q, r));
      }
  }
  CHECK(is_identity(axis_reversal(extents{4, 1, 3}, 1)));
}

TEST_CASE("composition of maps that share extents, or parts of them", "[digits]") {
  std::mt19937_64 random(5);
  for (int turn = 0; turn < random_cases; ++turn) {
    const auto each = random_extents(random, 200);
    const auto axes = random_axes(random, each.size());
    auto p = of_axes(each, axes);
    auto targets = oracle::targets_of_axes(each, axes);
    for (int more = 0; more < 3; ++more) {
      const auto middle = p.target_extents();
      positions then(middle.begin(), middle.end());
      if (then.empty()) break;
      // neighbours become one axis, as in a reshape, unless positions along them move
      if (more == 1 && then.size() > 1 && p.keeps_positions()) {
        then[0] *= then[1];
        then.erase(then.begin() + 1);
      }
      const auto axis = static_cast<unsigned>(random() % then.size());
      digit_permutation next;
      positions steps;
      if (more < 2) {
        const auto order = random_axes(random, then.size());
        next = of_axes(then, order);
        steps = oracle::targets_of_axes(then, order);
      } else {
        const index_t n = then[axis], r = random() % 10;
        positions moved;
        for (index_t x = 0; x < n; ++x) moved.push_back((x * (n > 2 ? n - 1 : 1) + r) % n);
        next = axis_stride(extents(then), axis, n > 2 ? n - 1 : 1, r);
        steps = oracle::targets_of_positions(then, axis, moved);
      }
      p = compose(next, p);
      targets = one_after_other(targets, steps);
      INFO(turn << ", " << more);
      REQUIRE(fault(p, targets) == "");
    }
  }
  // 6 x 10, transposed, is 10 x 6; its middle reversed as 2 x 30; both cut into 2 x 5 x 6
  const auto p =
      compose(axis_reversal(extents{2, 30}, 1), axis_permutation(extents{6, 10}, {1, 0}));
  for (index_t x = 0; x < 60; ++x) {
    const index_t y = x % 10 * 6 + x / 10;
    CHECK(p(x) == y / 30 * 30 + (29 - y % 30));
  }
}

TEST_CASE("where extents are powers of two the map is affine", "[digits]") {
  const extents each{4, 1, 8, 2};
  oracle::each_order(4, [&](std::vector<unsigned> const& axes) {
    const auto p = axis_permutation(each, axis_order(axes));
    const auto affine = as_affine(p);
    REQUIRE(affine);
    CHECK(*affine == axis_permutation(lg_extents{2, 0, 3, 1}, axis_order(axes)));
    CHECK(all_of(*affine, 64) == all_of(p, 64));
  });
  for (auto const& p : {axis_reversal(each, 0), axis_reversal(each, 1), axis_reversal(each, 2),
                        axis_reversal(each, 3), axis_shift(each, 2, 4), axis_stride(each, 2, 7, 3),
                        compose(axis_permutation(each, {2, 3, 0, 1}), axis_shift(each, 0, 2))}) {
    const auto affine = as_affine(p);
    REQUIRE(affine);
    CHECK(all_of(*affine, 64) == all_of(p, 64));
  }
  CHECK_FALSE(as_affine(axis_shift(each, 2, 3)));
  CHECK_FALSE(as_affine(axis_permutation(extents{4, 6}, {1, 0})));
  CHECK(axis_permutation(extents(lg_extents{3, 2}), {1, 0}) ==
        axis_permutation(extents{8, 4}, {1, 0}));
}

TEST_CASE("routes of all small arrays, over 1 to 7 processes", "[digits]") {
  index_t cases = 0;
  for (unsigned order = 0; order <= 4; ++order)
    oracle::each_extents(order, 2, most_in_routes, [&](positions const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        const auto p = of_axes(each, axes);
        const auto targets = oracle::targets_of_axes(each, axes);
        for (const index_t procs : {1U, 2U, 3U, 5U, 6U, 7U}) {
          ++cases;
          if (const auto what = route_fault(p, targets, procs); what != "")
            FAIL(what << " with " << procs << " processes, case " << cases);
        }
      });
    });
  CHECK(cases > 20 * most_in_routes);
}

TEST_CASE("routes where positions change their order", "[digits]") {
  std::mt19937_64 random(8);
  for (int turn = 0; turn < random_cases; ++turn) {
    auto each = random_extents(random, 150);
    if (each.empty()) each = {5};
    const auto axis = static_cast<unsigned>(random() % each.size());
    const index_t n = each[axis];
    index_t q = 1 + random() % n;
    while (std::gcd(q, n) != 1) ++q;
    const auto axes = random_axes(random, each.size());
    const auto p = compose(of_axes(each, axes), axis_stride(extents(each), axis, q, random() % n));
    const auto targets = all_of(p, p.size());
    for (const index_t procs : {1U, 2U, 3U, 5U, 7U}) REQUIRE(route_fault(p, targets, procs) == "");
  }
}

TEST_CASE("sixteen axes, and sizes up to 2^63", "[digits]") {
  const positions each{2, 1, 3, 2, 1, 2, 2, 1, 1, 3, 2, 1, 2, 1, 2, 2};
  std::mt19937_64 random(3);
  const auto axes = random_axes(random, 16);
  CHECK(fault(of_axes(each, axes), oracle::targets_of_axes(each, axes)) == "");
  const index_t half = index_t{1} << 31, large = index_t{1} << 32;
  const auto p = axis_permutation(extents{half, large}, {1, 0});
  CHECK(p.size() == index_t{1} << 63);
  for (const index_t x : {index_t{0}, index_t{12345678901234567}, p.size() - 1}) {
    CHECK(p(x) == x % large * half + x / large);
    CHECK(inverse(p)(p(x)) == x);
  }
  // its route over a million processes
  const layout::blocks layout(p.size(), 1000003);
  const digit_route route(p, layout, 5);
  index_t sent = 0;
  for (index_t proc = 0; proc < 200; ++proc) sent += route.sent(proc);
  CHECK(sent > 0);
  STATIC_REQUIRE(axis_permutation(extents{100, 60, 48}, {2, 0, 1})(48 * 60 * 3 + 48 * 2 + 1) ==
                 6000 * 1 + 60 * 3 + 2);
}

TEST_CASE("errors of extents, axes and compositions name the figures", "[digits][errors]") {
  const index_t large = index_t{1} << 32;
  CHECK_COMPLAINS(bad_value, (extents{4, 0, 2}), "axis 1", "no elements");
  CHECK_COMPLAINS(bad_value, (extents{large, large}), "2^63");
  CHECK_COMPLAINS(bad_value, (extents{large, large / 2, 2}), "2^63");
  CHECK_COMPLAINS(bad_value, (lg_extents{60, 4}), "2^63", "2^60");
  CHECK_COMPLAINS(bad_value, (lg_extents{~0U}), "2^63");
  CHECK_COMPLAINS(bad_value, extents(positions(65, 1)), "64");
  CHECK_COMPLAINS(bad_value, axis_permutation(extents{2, 3}, {0}), "2 axes", "1");
  CHECK_COMPLAINS(bad_value, axis_permutation(extents{2, 3}, {0, 2}), "axis 2", "2");
  CHECK_COMPLAINS(bad_value, axis_permutation(extents{2, 3, 4}, {1, 0, 1}), "axis 1", "twice");
  CHECK_COMPLAINS(bad_value, axis_reversal(extents{2, 3}, 2), "axis 2", "2");
  CHECK_COMPLAINS(bad_value, axis_shift(extents{2, 3}, 7, 1), "axis 7");
  CHECK_COMPLAINS(bad_value, axis_stride(extents{2, 6}, 1, 3), "6", "3", "common factor");
  CHECK_COMPLAINS(bad_value, identity_permutation(extents{2, 6}).with(1, {5, 1}), "6", "5");
  const auto six = identity_permutation(extents{6, 10});
  CHECK_COMPLAINS(bad_value, compose(identity_permutation(extents{7, 9}), six), "63", "60");
  CHECK_COMPLAINS(bad_value, compose(identity_permutation(extents{4, 15}), six), "10", "15");
  CHECK_COMPLAINS(bad_value, compose(axis_shift(extents{2, 30}, 1, 3), six), "axis 1", "30", "cut");
}
