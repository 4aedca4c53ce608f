// SPDX-License-Identifier: BSL-1.0

// Maps that make directions local, against a search through all sets of process bits.

#include <algorithm>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/plan/locality.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

/// Independent sums of the process bits of an address, among all 2^p of them, that vanish on all
/// directions: what any map that makes them local can keep.
unsigned kept_sums(bit_matrix<> const& directions, unsigned n, unsigned p) {
  index_t vanish = 0;
  for (index_t sum = 0; sum < bit(p); ++sum) {
    bool all = true;
    for (const index_t v : directions.column) {
      unsigned ones = 0;
      for (unsigned k = 0; k < p; ++k) ones += (sum >> k & 1) != 0 && (v >> (n - p + k) & 1) != 0;
      all = all && ones % 2 == 0;
    }
    vanish += all ? 1 : 0;
  }
  unsigned kept = 0;
  while (bit(kept) < vanish) ++kept;
  return kept;
}

}  // namespace

TEST_CASE("make_local: all directions, the least that must move, the most that stays", "[local]") {
  oracle::generator random(31);
  for (int k = 0; k < 3000; ++k) {
    const unsigned n = 1 + static_cast<unsigned>(random() % 12);
    const auto p = static_cast<unsigned>(random() % (n + 1));
    const auto count = static_cast<unsigned>(random() % (n - p + 1));
    bit_matrix<> directions(n, count);
    for (index_t& v : directions.column.item) v = 0;
    for (unsigned j = 0; j < count; ++j)
      directions.column[j] = random() % bit(n) & (random() % 3 != 0 ? ~index_t{0} : random());
    const auto moved = make_local(directions, n, p);
    bool right = true;
    for (const index_t v : directions.column) right = right && (moved.matrix() * v) >> (n - p) == 0;
    const plan made(moved, p);
    right = right && made.rank() == p - kept_sums(directions, n, p);
    right = right && made.stays() == bit(n - made.rank());
    if (made.rank() == 0) right = right && is_identity(moved);
    if (!right) FAIL(n << " bits, " << p << " process bits, " << count << " directions");
  }
}

TEST_CASE("upcoming_directions: permutations in between, until there is no room", "[local]") {
  oracle::generator random(32);
  for (int k = 0; k < 300; ++k) {
    const unsigned n = 2 + static_cast<unsigned>(random() % 8);
    const auto p = static_cast<unsigned>(random() % n);
    upcoming_directions next(n);
    auto since = identity_permutation(n);  // of all permutations until then
    std::vector<index_t> all;
    for (;;) {
      const auto gate = random_permutation(n, random);
      next.then(gate);
      since = compose(gate, since);
      const index_t v = 1 + random() % (bit(n) - 1);
      auto grown = all;
      for (index_t x = 0;; ++x)  // the direction now, by search
        if ((since(x) ^ since(0)) == v) {
          grown.push_back(x);
          break;
        }
      const bit_matrix<> space(n, [&] {
        short_list<index_t> columns;
        for (const index_t x : grown) columns.push_back(x);
        return columns;
      }());
      const bool fits = matrix_rank(space) + p <= n;
      REQUIRE(next.add(v, p) == fits);
      if (!fits) break;
      all = grown;
      for (const index_t x : all) REQUIRE(column_space(next.basis()).contains(x));
      REQUIRE(matrix_rank(next.basis()) == matrix_rank(space));
      if (all.size() > 20) break;
    }
  }
  CHECK_COMPLAINS(bad_value, upcoming_directions(4).add(16, 1), "direction 16 is not below 2^4");
  const bit_matrix<> all = identity_matrix(4);
  CHECK_COMPLAINS(bad_value, make_local(all, 4, 1), "4", "2^1");
  CHECK(is_identity(make_local(bit_matrix<>(4, 0), 4, 4)));
  STATIC_REQUIRE(make_local(bit_matrix<>(4, {8}), 4, 1) == swap_bits(4, 3, 2));
}
