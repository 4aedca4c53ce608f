// SPDX-License-Identifier: BSL-1.0

// Several permutations on cosets in one pass, against one after the other on every index.

#include <array>
#include <complex>
#include <string>
#include <vector>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/coset_sequence.hpp>

#include "support/catch.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

template <class T>
T element(index_t x) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::to_string(x) + " of an array";
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return static_cast<double>(x);
  else if constexpr (std::is_class_v<T>)  // std::array<index_t, k>
    return []<std::size_t K>(std::array<index_t, K> words, index_t first) {
      for (index_t& word : words) word = first++;
      return words;
    }(T{}, 100 * x);
  else
    return static_cast<T>(x);
}

/// What samples do to an array, one after the other, in cosets of `least_bytes` or more.
template <class T>
bool is_right(unsigned n, std::vector<every_coset::sample> const& samples, index_t least_bytes) {
  std::vector<coset_permutation> steps;
  for (auto const& s : samples) steps.push_back(s.on_coset());
  local::coset_sequence<T> pass(n, std::span<coset_permutation const>(steps), least_bytes);
  constexpr index_t more = 8;  // behind the array
  std::vector<T> data(bit(n) + more), scratch(pass.scratch_elements());
  for (index_t x = 0; x < data.size(); ++x) data[x] = element<T>(x);
  pass(data.data(), scratch.data());
  for (index_t x = 0; x < bit(n); ++x) {
    index_t y = x;
    for (auto const& s : samples) y = s.target(y);
    if (data[y] != element<T>(x)) return false;
  }
  for (index_t x = bit(n); x < data.size(); ++x)
    if (data[x] != element<T>(x)) return false;
  return true;
}

}  // namespace

TEST_CASE("random permutations on cosets in one pass", "[coset]") {
  oracle::generator random(27);
  for (int k = 0; k < 400; ++k) {
    const unsigned n = 1 + static_cast<unsigned>(random() % 12);
    std::vector<every_coset::sample> samples;
    for (index_t i = random() % 6; i > 0; --i)
      samples.push_back(random() % 3 == 0 ? every_coset::random(n, random)
                                          : every_coset::random_flip(n, random));
    const index_t least = bit(static_cast<unsigned>(random() % 12));
    std::string text = "least bytes " + std::to_string(least);
    for (auto const& s : samples) text += "\n" + s.describe();
    INFO(text);
    CHECK(is_right<index_t>(n, samples, least));
    CHECK(is_right<std::complex<double>>(n, samples, least));
    CHECK(is_right<std::uint16_t>(n, samples, least));
    CHECK(is_right<std::string>(n, samples, least));
  }
}

TEST_CASE("elements of any size on cosets", "[coset]") {
  oracle::generator random(29);
  for (int k = 0; k < 200; ++k) {
    const unsigned n = 3 + static_cast<unsigned>(random() % 8);
    std::vector<every_coset::sample> samples;
    for (index_t i = 1 + random() % 4; i > 0; --i)
      samples.push_back(every_coset::random_flip(n, random));
    const index_t least = bit(static_cast<unsigned>(random() % 12));
    CHECK(is_right<std::array<index_t, 3>>(n, samples, least));
    CHECK(is_right<std::array<index_t, 5>>(n, samples, least));
    CHECK(is_right<std::array<index_t, 12>>(n, samples, least));
    CHECK(is_right<std::array<index_t, 17>>(n, samples, least));
  }
}

TEST_CASE("every permutation on a coset of up to 2 bits, after every other", "[coset]") {
  std::vector<every_coset::sample> all;
  every_coset::for_each(2, [&](every_coset::sample const& s) { all.push_back(s); });
  bool right = true;
  for (auto const& first : all)
    for (auto const& second : all) right = right && is_right<index_t>(2, {first, second}, 1);
  CHECK(right);
}

TEST_CASE("a pass of nothing, and what a pass refuses", "[coset]") {
  const std::vector<coset_permutation> none, still{controlled(identity_permutation(4), 1)};
  CHECK(local::coset_sequence<int>(4, none).scratch_elements() == 0);
  local::coset_sequence<int> pass(4, still);
  CHECK(pass.scratch_elements() == 0);
  std::vector<int> data(16, 3);
  pass(data.data(), nullptr);
  CHECK(data == std::vector<int>(16, 3));
  CHECK_COMPLAINS(bad_value, (local::coset_sequence<int>(5, still)), "4", "5");
}

TEST_CASE("what a permutation on a coset adds to indices", "[coset]") {
  CHECK(directions(controlled(flip(6, 2), bit(0) | bit(5))).vectors.column[0] == bit(2));
  CHECK(directions(controlled(flip(6, 2), bit(0) | bit(5))).dimension() == 1);
  CHECK(directions(controlled(swap_bits(6, 1, 4), 1)).vectors.column[0] == (bit(1) | bit(4)));
  CHECK(directions(controlled(identity_permutation(6), 1)).dimension() == 0);
  oracle::generator random(28);
  for (int k = 0; k < 100; ++k) {
    const auto s = every_coset::random(1 + static_cast<unsigned>(random() % 8), random);
    const auto space = directions(s.on_coset());
    subspace added(s.n);
    for (index_t x = 0; x < bit(s.n); ++x)
      if (s.meets(x)) added.add(x ^ s.target(x));
    CHECK(added == space);
  }
}
