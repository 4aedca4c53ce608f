// SPDX-License-Identifier: BSL-1.0

#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>

#include <bmmc/local/axes_pass.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/permute.hpp>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"

using namespace bmmc;

namespace {

/// One thread, which takes part after part and counts them.
struct counting {
  index_t* parts;
  template <class Work>
  void operator()(index_t count, Work work) const {
    *parts = count;
    for (index_t i = count; i-- > 0;) work(i, i + 1);
  }
};

std::atomic<bool> no_pages{false};  // whether aligned memory, of which buffers are, is refused

}  // namespace

void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     std::nothrow_t const&) noexcept {
  if (no_pages) return nullptr;
  try {
    return ::operator new[](bytes, alignment);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

TEST_CASE("pass: threads do what one does", "[local]") {
  oracle::generator random(7);
  for (const int threads : {0, 1, 3, 8})
    for (unsigned n : {0U, 2U, 9U, 16U}) {
      const auto p = to_library(random_affine(n, random));
      std::vector<std::uint64_t> source(bit(n)), target(bit(n));
      std::iota(source.begin(), source.end(), 0U);
      local::permute(source, target, p, local::parallel{threads});
      bool right = true;
      for (index_t x = 0; x < bit(n); ++x) right &= target[p(x)] == x;
      CHECK(right);
    }
}

TEST_CASE("pass: threads share out tiles, and runs where a target is not aligned", "[local]") {
  constexpr unsigned n = 22;
  const permutation<> p(bit_reversal(n));
  const local::pass<std::uint8_t> pass(p);
  if (pass.lines() == nullptr) return;  // portable code
  std::vector<std::uint8_t> source(bit(n)), target(bit(n) + 2 * local::line_bytes);
  for (index_t x = 0; x < bit(n); ++x) source[x] = static_cast<std::uint8_t>(x * 5 >> 3);
  for (const index_t offset : {0U, 16U}) {
    std::uint8_t* const begin = target.data() + local::line_bytes -
                                local::address(target.data()) % local::line_bytes + offset;
    index_t parts = 0;
    pass(source.data(), begin, counting{&parts});
    CHECK(parts == pass.parts(begin));
    CHECK(parts == bit(offset == 0 ? pass.lines()->lg_tiles : pass.shifted_lines()->lg_parts()));
    CHECK(parts >= 2);
    bool right = true;
    for (index_t x = 0; x < bit(n); ++x) right &= begin[p(x)] == source[x];
    CHECK(right);
  }
}

TEMPLATE_TEST_CASE("pass: a thread without memory for its buffers moves all there is", "[local]",
                   std::uint8_t, std::uint32_t) {
  oracle::generator random(9);
  const auto p = to_library(random_affine(18, random));
  guarded_bytes source(bit(18) * sizeof(TestType), 0), target(bit(18) * sizeof(TestType), 0);
  source.randomize(random);
  local::tile_shape joined{}, buffered{.buffered = true};  // and units are put together in buffers
  joined.joins_pairs = true;
  for (auto const& shape : {joined, buffered, local::tile_shape{}})
    for (const index_t stream_from : {index_t{0}, ~index_t{0}}) {
      const local::pass<TestType> pass(p, {.stream_from = stream_from, .shape = shape});
      for (const std::size_t offset : {std::size_t{0}, std::size_t{16}}) {
        target.place(offset);
        std::memset(target.data(), 0, bit(18) * sizeof(TestType));
        no_pages = true;
        std::thread([&] {
          pass(const_cast<TestType const*>(source.as<TestType>()), target.as<TestType>());
        }).join();
        no_pages = false;
        bool right = target.intact();
        for (index_t x = 0; x < bit(18); ++x)
          right &= target.as<TestType>()[p(x)] == source.as<TestType>()[x];
        CHECK(right);
      }
    }
}

TEST_CASE("in place: threads do what one does", "[local]") {
  oracle::generator random(8);
  for (const int threads : {0, 1, 3, 8})
    for (unsigned n : {0U, 2U, 9U, 16U}) {
      const auto p = to_library(random_affine(n, random));
      std::vector<std::uint32_t> data(bit(n));
      std::iota(data.begin(), data.end(), 0U);
      const local::in_place_pass<std::uint32_t> pass(p);
      pass(data.data(), local::parallel{threads});
      bool right = true;
      for (index_t x = 0; x < bit(n); ++x) right &= data[p(x)] == x;
      CHECK(right);
    }
}

TEST_CASE("executions: every part once, shares at most one apart", "[local]") {
  for (const index_t parts : {1U, 2U, 5U, 64U, 1000U})
    for (const int threads : {1, 2, 3, 7}) {
      std::vector<std::atomic<int>> visits(parts);
      std::atomic<index_t> most{0}, calls{0};
      const auto work = [&](index_t first, index_t last) {
        for (index_t i = first; i < last; ++i) ++visits[i];
        ++calls;
        for (index_t seen = most;
             seen < last - first && !most.compare_exchange_weak(seen, last - first);) {
        }
      };
      local::parallel{threads}(parts, work);
      for (auto const& count : visits) CHECK(count == 1);
      CHECK(most <= (parts + calls - 1) / calls);
    }
}

TEST_CASE("axes: threads do what one does", "[local]") {
  const extents each{170, 3, 200, 21};
  std::vector<std::uint32_t> source(each.elements());
  std::iota(source.begin(), source.end(), 0U);
  const auto p = axis_permutation(each, {3, 0, 2, 1});
  for (const int threads : {0, 1, 3, 8}) {
    std::vector<std::uint32_t> target(source.size());
    local::permute_axes(source, target, each, {3, 0, 2, 1}, local::parallel{threads});
    bool right = true;
    for (index_t x = 0; x < source.size(); ++x) right &= target[p(x)] == x;
    CHECK(right);
  }
}
