// SPDX-License-Identifier: BSL-1.0

// Permutations on cosets: every set of conditions and every permutation that keeps them, against a
// loop over all indices that tests the conditions one by one.

#include <algorithm>
#include <array>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/local/coset_pass.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

/// Counts writes to it, so that a write to an element outside of the coset is seen.
struct counted_element {
  index_t value = 0;
  int writes = 0;
  counted_element() = default;
  explicit counted_element(index_t v) : value(v) {}
  counted_element(counted_element const& other) : value(other.value), writes(1) {}
  counted_element(counted_element&& other) noexcept : value(other.value), writes(1) {
    other.value = ~index_t{0};
  }
  counted_element& operator=(counted_element const& other) {
    value = other.value;
    ++writes;
    return *this;
  }
  counted_element& operator=(counted_element&& other) noexcept {
    value = std::exchange(other.value, ~index_t{0});
    ++writes, ++other.writes;
    return *this;
  }
  ~counted_element() = default;
};

/// Moves all elements by a call and compares each; elements outside must not be written.
bool moves_in_place(every_coset::sample const& s, coset_permutation const& c) {
  const index_t count = bit(c.bits());
  std::vector<counted_element> data;
  data.reserve(count);
  for (index_t x = 0; x < count; ++x) data.emplace_back(x);
  local::permute_in_place(std::span(data), c);
  for (index_t x = 0; x < count; ++x) {
    if (data[s.target(x)].value != x) return false;
    if (!s.meets(x) && data[x].writes != 0) return false;
  }
  return true;
}
template <class T>
bool moves_between(every_coset::sample const& s, coset_permutation const& c) {
  std::vector<T> source(bit(c.bits())), target(source.size());
  for (index_t x = 0; x < source.size(); ++x) source[x] = static_cast<T>(x);
  const auto before = source;
  local::permute(source, target, c);
  if (source != before) return false;
  for (index_t x = 0; x < source.size(); ++x)
    if (target[s.target(x)] != static_cast<T>(x)) return false;
  local::permute_in_place(std::span(source), c);
  return source == target;
}

}  // namespace

TEST_CASE("every coset of up to 3 bits and every permutation that keeps it", "[coset]") {
  index_t cases = 0;
  for (unsigned n = 0; n <= 3; ++n)
    every_coset::for_each(n, [&](every_coset::sample const& s) {
      ++cases;
      const auto c = s.on_coset();
      bool right = true;
      for (index_t x = 0; x < bit(n); ++x) {
        right = right && c(x) == s.target(x) && c.where().contains(x) == s.meets(x);
        right = right && inverse(c)(s.target(x)) == x;
      }
      const auto moved = moved_part(c);
      index_t size = 0, stay = 0;
      for (index_t x = 0; x < bit(n); ++x) {
        right = right && moved(x) == c(x);
        if (moved.where().contains(x)) ++size, stay += c(x) == x;
      }
      right = right && 2 * stay != size;  // else half of them would have been left out
      right = right && moves_in_place(s, c) && moves_between<index_t>(s, c);
      if (!right) FAIL(s.describe());
    });
  // all affine permutations keep one coset of each dimension, on average over the cosets
  CHECK(cases == 1 + 2 * 2 + 3 * 24 + 4 * 1344);
}

namespace {

/// All cosets of 4 bits: as conditions, and as a set of 16 indices.
struct small_coset {
  std::vector<bit_condition> conditions;
  unsigned indices = 0;
};
std::vector<small_coset> all_of_4_bits() {
  std::vector<small_coset> all;
  every_coset::for_each_condition(4, [&](std::vector<bit_condition> const& rows) {
    const every_coset::sample s{4, rows, {}};
    small_coset c{rows, 0};
    for (index_t x = 0; x < 16; ++x)
      if (s.meets(x)) c.indices |= 1U << x;
    all.push_back(c);
  });
  return all;
}

}  // namespace

TEST_CASE("elements of any size change places, and no byte beside them", "[coset]") {
  oracle::generator random(30);
  const auto is_right = []<class Word, std::size_t K>(every_coset::sample const& s,
                                                      std::array<Word, K> element) {
    std::vector<std::array<Word, K>> data(bit(s.n) + 8);  // 8 behind the array
    for (index_t x = 0; x < data.size(); ++x) data[x].fill(static_cast<Word>(x));
    local::permute_in_place(std::span(data).first(bit(s.n)), s.on_coset());
    for (index_t x = 0; x < data.size(); ++x) {
      element.fill(static_cast<Word>(x));
      if (data[x < bit(s.n) ? s.target(x) : x] != element) return false;
    }
    return true;
  };
  for (int k = 0; k < 300; ++k) {
    const auto s = every_coset::random_flip(1 + static_cast<unsigned>(random() % 10), random);
    INFO(s.describe());
    CHECK(is_right(s, std::array<index_t, 3>{}));
    CHECK(is_right(s, std::array<index_t, 12>{}));
    CHECK(is_right(s, std::array<char, 20>{}));
    CHECK(is_right(s, std::array<char, 3>{}));
  }
}

TEST_CASE("every coset of 4 bits and every permutation that keeps it", "[coset]") {
  const auto cosets = all_of_4_bits();
  REQUIRE(cosets.size() == 16 + 120 + 140 + 30 + 1);  // points, lines, planes, spaces, all
  index_t cases = 0, wrong = 0;
  const auto try_all = [&](std::array<index_t, 4> const& columns, index_t added) {
    std::array<unsigned, 16> target{};
    for (unsigned x = 0; x < 16; ++x) {
      index_t y = added;
      for (unsigned j = 0; j < 4; ++j)
        if ((x >> j & 1) != 0) y ^= columns[j];
      target[x] = static_cast<unsigned>(y);
    }
    const permutation<> p(bit_matrix<>(4, {columns[0], columns[1], columns[2], columns[3]}), added);
    for (auto const& w : cosets) {
      unsigned image = 0;
      for (unsigned x = 0; x < 16; ++x) image |= (w.indices >> x & 1) << target[x];
      if (image != w.indices) continue;
      const auto c = on_coset(p, std::span<bit_condition const>(w.conditions));
      const auto moved = moved_part(c);
      std::array<unsigned char, 16> data{};
      for (unsigned x = 0; x < 16; ++x) {
        const index_t y = (w.indices >> x & 1) != 0 ? target[x] : x;
        if (c(x) != y || moved(x) != y) ++wrong;
        data[x] = static_cast<unsigned char>(x);
      }
      if (++cases % 64 == 0) {
        local::permute_in_place(std::span<unsigned char>(data), c);
        for (unsigned x = 0; x < 16; ++x)
          if (data[c(x)] != x) ++wrong;
      }
    }
  };
#ifdef BMMC_TEST_FEWER
  constexpr index_t step = 16;
#else
  constexpr index_t step = 1;
#endif
  index_t matrices = 0;
  for (index_t code = 0; code < bit(16); ++code) {
    const std::array<index_t, 4> columns{code & 15, code >> 4 & 15, code >> 8 & 15, code >> 12};
    subspace space(4);
    for (const index_t v : columns) space.add(v);
    if (space.dimension() < 4 || matrices++ % step != 0) continue;
    for (index_t added = 0; added < 16; ++added) try_all(columns, added);
  }
  CHECK(wrong == 0);
  CHECK(matrices == 20160);
  if (step == 1) CHECK(cases == 5 * 16 * 20160);  // one of each dimension, on average
}

TEST_CASE("random cosets of up to 14 bits", "[coset]") {
  oracle::generator random(19);
  for (int k = 0; k < 300; ++k) {
    const auto s = every_coset::random(1 + static_cast<unsigned>(random() % 14), random);
    const auto c = s.on_coset();
    bool right = true;
    for (index_t x = 0; x < bit(c.bits()); ++x) right = right && c(x) == s.target(x);
    right = right && moves_in_place(s, c) && moves_between<index_t>(s, c) &&
            moves_between<unsigned char>(s, c) && moves_between<std::uint32_t>(s, c);
    if (!right) FAIL(s.describe());
  }
}

TEST_CASE("what composes with what on a coset", "[coset]") {
  oracle::generator random(20);
  for (int k = 0; k < 300; ++k) {
    const auto s = every_coset::random(1 + static_cast<unsigned>(random() % 7), random);
    const auto c = s.on_coset();
    const auto q = random_permutation(c.bits(), random);
    const auto moved = conjugate(q, c);
    const auto twice = compose(c, c);
    const auto other = image(q, c.where());
    bool disjoint = true, right = true;
    for (index_t x = 0; x < bit(c.bits()); ++x) {
      right = right && q(c(x)) == moved(q(x)) && twice(x) == c(c(x));
      right = right && other.contains(q(x)) == c.where().contains(x);
      disjoint = disjoint && !(other.contains(x) && c.where().contains(x));
    }
    CHECK(right);
    CHECK(disjoint == are_disjoint(other, c.where()));
    CHECK(conjugate(inverse(q), moved) == c);
    CHECK((compose(c, inverse(c)) == on_coset(identity_permutation(c.bits()), c.where())));
  }
}

TEST_CASE("a controlled SWAP moves a quarter, a Toffoli another", "[coset]") {
  const auto fredkin = controlled(swap_bits(5, 1, 4), bit(2));
  CHECK(moved_part(fredkin).where() == coset(5, {{bit(2), true}, {bit(1) | bit(4), true}}));
  const auto toffoli = controlled(flip(5, 0), bit(2) | bit(3));
  CHECK(moved_part(toffoli) == toffoli);
  CHECK(moved_part(controlled(cnot(5, 2, 0), bit(3))) == toffoli);
  CHECK(controlled(cnot(5, 2, 0), bit(3)) != toffoli);
  CHECK(moved_part(controlled(cnot(5, 2, 0), bit(3))).where() == toffoli.where());
  CHECK_FALSE(is_identity(toffoli));
  CHECK(is_identity(on_coset(cnot(5, 2, 0), {{bit(2), false}})));
}

TEST_CASE("a coset is its indices, not its conditions", "[coset]") {
  CHECK(
      (coset(4, {{0b0011, true}, {0b0110, false}}) == coset(4, {{0b0101, true}, {0b0110, false}})));
  CHECK((coset(4, {{0b0011, true}}) != coset(4, {{0b0011, false}})));
  CHECK(coset(4, {{0, false}}).size() == 0);
  STATIC_REQUIRE((coset(63, {{bit(62), true}, {bit(0), false}}).dimension() == 61));
  CHECK(coset(63, {{bit(62) | 1, true}}).contains(bit(62)));
  CHECK_FALSE(coset(63, {{bit(62) | 1, true}}).contains(bit(62) | 1));
}

TEST_CASE("conditions that cannot be met, permutations that do not keep them", "[coset]") {
  CHECK_COMPLAINS(bad_value, (coset(4, {{0, true}})), "no index");
  CHECK_COMPLAINS(bad_value, (coset(4, {{3, true}, {5, true}, {6, true}})), "no index");
  CHECK_COMPLAINS(bad_value, (coset(4, {{16, true}})), "on bit 4", "4 bits");
  CHECK_COMPLAINS(bad_value, (coset(64, {})), "63", "64");
  CHECK_COMPLAINS(bad_value, (on_coset(flip(4, 1), {{bit(1), true}})), "keep the coset");
  CHECK_COMPLAINS(bad_value, (on_coset(cnot(4, 2, 1), {{bit(1), true}})), "keep the coset");
  CHECK_COMPLAINS(bad_value, (on_coset(flip(4, 1), coset(5, {}))), "4", "5");
  CHECK_COMPLAINS(bad_value,
                  (compose(controlled(flip(4, 1), bit(2)), controlled(flip(4, 1), bit(3)))),
                  "different cosets");
  std::vector<int> few(8);
  CHECK_COMPLAINS(bad_value, local::permute_in_place(std::span(few), controlled(flip(4, 1), 4)),
                  "16", "8");
}
