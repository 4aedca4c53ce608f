// SPDX-License-Identifier: BSL-1.0

#include <memory>
#include <numeric>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/local/reference.hpp>
#include <bmmc/memory.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

std::vector<index_t> counting(index_t count) {
  std::vector<index_t> v(count);
  std::iota(v.begin(), v.end(), index_t{0});
  return v;
}

/// A text too long for the string object itself.
std::string text_of(index_t x) { return "the element that started at index " + std::to_string(x); }

}  // namespace

TEST_CASE("local::permute moves index x to A x + c", "[local]") {
  oracle::generator random(1);
  for (unsigned n = 0; n <= 10; ++n)
    for (int trial = 0; trial < 5; ++trial) {
      const auto map = random_affine(n, random);
      const auto source = counting(bit(n));
      std::vector<index_t> target(bit(n), ~index_t{0});
      local::permute(source, target, to_library(map));
      for (index_t x = 0; x < bit(n); ++x) REQUIRE(target[map(x)] == x);
      REQUIRE(source == counting(bit(n)));
    }
}

TEST_CASE("local::permute takes any element type, and leaves the source alone", "[local]") {
  oracle::generator random(2);
  const auto map = random_affine(6, random);
  std::vector<std::string> source, target(64);
  for (index_t x = 0; x < 64; ++x) source.push_back(text_of(x));
  const auto before = source;
  local::permute(source, target, to_library(map));
  for (index_t x = 0; x < 64; ++x) REQUIRE(target[map(x)] == text_of(x));
  CHECK(source == before);
}

TEST_CASE("local::permute takes spans, arrays and static permutations", "[local]") {
  const std::array<char, 8> source{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
  std::array<char, 8> target{};
  local::permute(source, target, shuffle<3>());
  CHECK(std::string(target.begin(), target.end()) == "aebfcgdh");
  local::permute(std::span(source), std::span(target), shuffle(3));
  CHECK(std::string(target.begin(), target.end()) == "aebfcgdh");
  std::vector<int> halves{1, 2, 3, 4};
  local::permute(std::span(halves).first(2), std::span(halves).last(2), vector_reversal<1>());
  CHECK(halves == std::vector<int>{1, 2, 2, 1});
}

TEST_CASE("local::permute refuses wrong lengths and overlap, and writes nothing",
          "[local][errors]") {
  auto data = counting(24);
  const auto before = data;
  const std::span<index_t> all(data);
  const auto p = shuffle(3);
  CHECK_COMPLAINS(bad_value, local::permute(all.first(7), all.subspan(8, 8), p), "8", "7 and 8");
  CHECK_COMPLAINS(bad_value, local::permute(all.first(8), all.subspan(8, 9), p), "8", "8 and 9");
  CHECK_COMPLAINS(bad_value, local::permute(all.first(0), all.first(0), p), "8", "0 and 0");
  CHECK_COMPLAINS(bad_value, local::permute(all.first(8), all.first(8), p), "overlap");
  CHECK_COMPLAINS(bad_value, local::permute(all.first(8), all.subspan(7, 8), p), "overlap");
  CHECK_COMPLAINS(bad_value, local::permute(all.subspan(7, 8), all.first(8), p), "overlap");
  CHECK_COMPLAINS(bad_value, local::permute(all.first(1), all.first(1), permutation<>{}),
                  "overlap");
  CHECK(data == before);
  CHECK_NOTHROW(local::permute(all.first(8), all.subspan(8, 8), p));
  CHECK_NOTHROW(local::permute(all.subspan(8, 8), all.first(8), p));
}

TEST_CASE("overlap is sharing at least one element", "[local]") {
  const auto data = counting(8);
  const std::span<index_t const> all(data);
  CHECK(local::overlap(all.first(4), all.subspan(3, 2)));
  CHECK(local::overlap(all, all.subspan(3, 1)));
  CHECK_FALSE(local::overlap(all.first(4), all.last(4)));
  CHECK_FALSE(local::overlap(all.first(0), all));
  CHECK_FALSE(local::overlap(all.subspan(4, 0), all));  // an empty one, in the middle
}

TEST_CASE("gray_code_loop moves out of a source that is not const", "[local]") {
  std::vector<std::unique_ptr<int>> source(8), target(8);
  for (int x = 0; x < 8; ++x) source[static_cast<std::size_t>(x)] = std::make_unique<int>(x);
  local::gray_code_loop(source.data(), target.data(), bit_reversal(3));
  CHECK(*target[0b001] == 0b100);
  CHECK(*target[0b110] == 0b011);
  for (auto const& left : source) CHECK(left == nullptr);
}

TEST_CASE("a pass is prepared once and run often", "[local]") {
  oracle::generator random(3);
  const auto identity = oracle::affine{oracle::unit(5), oracle::to_bits(0, 5)};
  for (auto const& map : {random_affine(5, random), identity}) {
    const local::pass<std::string> texts(to_library(map));
    const local::pass<index_t> numbers(to_library(map));
    CHECK(texts.elements() == 32);
    CHECK(texts.is_identity() == (map.a == identity.a));
    for (int run = 0; run < 2; ++run) {
      std::vector<std::string> source, copied(32), moved(32);
      for (index_t x = 0; x < 32; ++x) source.push_back(text_of(x));
      texts(std::as_const(source).data(), copied.data());
      for (index_t x = 0; x < 32; ++x) REQUIRE(source[x] == text_of(x));
      texts(source.data(), moved.data());
      std::vector<index_t> counted(32);
      numbers(counting(32).data(), counted.data());
      for (index_t x = 0; x < 32; ++x) {
        REQUIRE(copied[map(x)] == text_of(x));
        REQUIRE(moved[map(x)] == text_of(x));
        REQUIRE(counted[map(x)] == x);
      }
    }
  }
}

TEST_CASE("aligned_vector: lines, huge pages from 4 MiB on, any element", "[local]") {
  const auto begins_with = [](auto const& v, index_t bytes) {
    return local::address(v.data()) % bytes == 0;
  };
  for (const std::size_t count : {1U, 3U, 1000U, (1U << 22) - 1})
    CHECK(begins_with(aligned_vector<std::uint8_t>(count), 64));
  CHECK(begins_with(aligned_vector<std::uint8_t>(std::size_t{1} << 22), std::size_t{1} << 21));
  CHECK(begins_with(aligned_vector<double>(std::size_t{1} << 20), std::size_t{1} << 21));
  struct alignas(256) wide {
    int value = 7;
  };
  CHECK(begins_with(aligned_vector<wide>(3), 256));
  CHECK(aligned_allocator<int>(aligned_allocator<double>()) == aligned_allocator<float>());
  CHECK_THROWS_AS(static_cast<void>(aligned_allocator<double>().allocate(~std::size_t{0} / 8)),
                  std::bad_alloc);

  // what was in it stays when it grows, and passes take it
  aligned_vector<std::uint32_t> source, target(std::size_t{1} << 20);
  for (std::uint32_t i = 0; i < target.size(); ++i) source.push_back(i);
  const auto p = bit_reversal(20);
  local::permute(source, target, p);
  index_t wrong = 0;
  for (index_t x = 0; x < source.size(); ++x) wrong += target[p(x)] != x;
  CHECK(wrong == 0);
}
