// SPDX-License-Identifier: BSL-1.0

#include <string>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/pass.hpp>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"

using namespace bmmc;
using local::instructions;
using oracle::number;

namespace {

constexpr index_t always = 0, never = ~index_t{0};

/// Tiles that are fetched, into the second-level cache alone, too, and tiles in buffers; so small
/// that there are many of them, too. (Rows that are alike need larger arrays: see local_tuning.)
std::vector<local::tile_shape> shapes() {
  local::tile_shape fetched{}, small{},
      buffered{.source_row = 9, .target_row = 9, .buffered = true};
  small.source_row = 8;
  small.tile = 10;
  small.unit = 9;
  small.piece = 7;
  small.interleaved = 1;
  buffered.tile = 11;
  buffered.lines_far_ahead = 16;
  local::tile_shape second_level = small;
  second_level.second_level = true;
  second_level.growth = 2;
  second_level.run = 13;
  fetched.direct_lines = second_level.direct_lines = 4;
  return {fetched, small, buffered, second_level};
}

/// Without optimization or with sanitizers 2^14 elements would take many minutes.
#if defined(__OPTIMIZE__) && !defined(BMMC_TEST_FEWER)
constexpr unsigned largest_n = 14;
#else
constexpr unsigned largest_n = 10;
#endif

/// One of the shapes for each n, for some the one before, too: all of them for all n would take
/// minutes.
std::vector<local::tuning> tunings(unsigned n) {
  const auto all = shapes();
  const auto shape = all[n % all.size()], other = all[(n + all.size() - 1) % all.size()];
  std::vector<local::tuning> list;
  for (const auto set :
       {instructions::portable, instructions::neon, instructions::avx2, instructions::avx512})
    if (local::available(set)) {
      list.push_back({set, never});
      list.push_back({set, always, shape});
      if (n == 9 || n == 10) list.push_back({set, always, other});
      if (n % 3 == 0) list.push_back({set, always, shape, true});
    }
  return list;
}

std::vector<unsigned char> random_bytes(std::size_t count, oracle::generator& random) {
  guarded_bytes bytes(count, 0);
  bytes.randomize(random);
  return {bytes.data(), bytes.data() + count};
}

/// What must come out: y[A x + c] = x.
template <class T>
std::vector<unsigned char> permuted(std::vector<unsigned char> const& source,
                                    std::vector<number> const& targets) {
  std::vector<unsigned char> result(source.size());
  for (number x = 0; x < targets.size(); ++x)
    std::memcpy(&result[targets[x] * sizeof(T)], &source[x * sizeof(T)], sizeof(T));
  return result;
}

bool holds(guarded_bytes& bytes, std::vector<unsigned char> const& expected) {
  return std::memcmp(bytes.data(), expected.data(), expected.size()) == 0 && bytes.intact();
}

/// The first pair of offsets at which a pass goes wrong, or nothing.
template <class T>
std::string first_wrong(local::pass<T> const& pass, guarded_bytes& source, guarded_bytes& target,
                        std::vector<unsigned char> const& before,
                        std::vector<unsigned char> const& expected) {
  for (std::size_t i = 0; i < 64; i += alignof(T)) {
    source.place(i);
    std::memcpy(source.data(), before.data(), before.size());
    for (std::size_t j = 0; j < 64; j += alignof(T)) {
      target.place(j);
      pass(const_cast<T const*>(source.as<T>()), target.as<T>());
      if (!holds(target, expected))
        return "offsets " + std::to_string(i) + " and " + std::to_string(j);
    }
    if (!holds(source, before)) return "source at offset " + std::to_string(i);
  }
  return {};
}

/// Moves up to `most` parts at a time, in order or the last ones first; before that all of other
/// bytes, so that no line of this source waits in the workspace.
template <class T>
bool moves_parts(local::pass<T> const& pass, guarded_bytes& source, guarded_bytes& target,
                 std::vector<unsigned char> const& before,
                 std::vector<unsigned char> const& expected, index_t most) {
  const auto run = [&](index_t first, index_t last) {
    pass.run(const_cast<T const*>(source.as<T>()), target.as<T>(), first, last);
  };
  const index_t parts = pass.parts(target.as<T>());
  bool right = true;
  for (const bool last_first : {false, true}) {
    std::memset(source.data(), 0, before.size());
    run(0, parts);
    std::memcpy(source.data(), before.data(), before.size());
    std::memset(target.data(), 0, before.size());
    const index_t ranges = (parts + most - 1) / most;
    for (index_t i = 0; i < ranges; ++i) {
      const index_t first = (last_first ? ranges - 1 - i : i) * most;
      run(first, std::min(first + most, parts));
    }
    right &= holds(target, expected);
  }
  return right;
}

}  // namespace

TEMPLATE_TEST_CASE("pass: every n to 14 at every two offsets that the type allows", "[local]",
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, opaque<3>, opaque<4>,
                   opaque<16>) {
  oracle::generator random(1);
  for (unsigned n = 0; n <= largest_n; ++n)
    for (auto const& p : {to_library(random_affine(n, random)), shuffle(n)}) {
      const auto before = random_bytes(bit(n) * sizeof(TestType), random);
      const auto expected = permuted<TestType>(before, all_targets(oracle::read_affine(p)));
      guarded_bytes source(before.size(), 0), target(before.size(), 0);
      for (auto const& t : tunings(n)) {
        INFO(sizeof(TestType) << "-byte elements, n = " << n << ", set " << static_cast<int>(t.use)
                              << (t.stream_from == always ? ", past" : ", in") << " the caches");
        const local::pass<TestType> pass(p, t);
        CHECK(first_wrong(pass, source, target, before, expected) == "");
      }
    }
}

TEMPLATE_TEST_CASE("pass: pairs of lines joined in registers, at every two offsets", "[local]",
                   std::uint8_t, std::uint16_t) {
  oracle::generator random(3);
  const auto lg_size = static_cast<unsigned>(std::countr_zero(sizeof(TestType)));
  std::vector<local::tile_shape> shapes(4);  // runs inside of one tile; across tiles; in buffers,
  shapes[1].source_row = 8;                  // where no pairs are joined; and beyond a page
  shapes[1].tile = 13;
  shapes[2] = shapes[3] = shapes[1];
  shapes[2].buffered = true;
  shapes[3].run = 16;
  unsigned joined = 0;
  const unsigned lg_least = largest_n < 14 ? 16 : 14, lg_most = largest_n < 14 ? 16 : 18;
  for (unsigned n = lg_least - lg_size; n <= lg_most - lg_size; n += 2)
    for (auto const& p : {to_library(random_affine(n, random)), bit_reversal(n)}) {
      const auto before = random_bytes(bit(n) * sizeof(TestType), random);
      const auto expected = permuted<TestType>(before, all_targets(oracle::read_affine(p)));
      guarded_bytes source(before.size(), 0), target(before.size(), 0);
      for (auto shape : shapes) {
        shape.joins_pairs = true;
        const local::tuning t{local::best_instructions(), always, shape};
        const affine_map map{p.matrix(), p.complement()};
        const auto tables =
            local::make_pass_tables(map, {identity_matrix(n), 0}, local::shape_of<TestType>, t);
        joined += tables.shifted && tables.shifted->joins_pairs ? 1 : 0;
        INFO(sizeof(TestType) << "-byte elements, n = " << n << ", tiles of 2^" << shape.tile);
        const local::pass<TestType> pass(p, t);
        CHECK(first_wrong(pass, source, target, before, expected) == "");
        for (const index_t most : {1U, 3U})
          CHECK(moves_parts(pass, source, target, before, expected, most));
      }
    }
  CHECK((joined >= 2) == (local::best_instructions() == instructions::avx512));
}

TEMPLATE_TEST_CASE("pass: runs beyond a page, whole and cut, at every two offsets", "[local]",
                   std::uint8_t, std::uint32_t, opaque<16>) {
  oracle::generator random(4);
  const auto lg_size = static_cast<unsigned>(std::countr_zero(sizeof(TestType)));
  const unsigned n = (largest_n < 14 ? 16 : 18) - lg_size;
  local::tile_shape shape{};
  shape.source_row = 8;
  shape.tile = 13;
  shape.run = 16;
  const std::vector<permutation<>> maps{to_library(random_affine(n, random)), bit_reversal(n),
                                        transpose(n / 4, n - n / 4), block_to_cyclic(n, 16)};
  for (auto const& p : maps)
    for (const auto set : {instructions::neon, instructions::avx2, instructions::avx512}) {
      if (!local::available(set)) continue;
      const auto before = random_bytes(bit(n) * sizeof(TestType), random);
      const auto expected = permuted<TestType>(before, all_targets(oracle::read_affine(p)));
      guarded_bytes source(before.size(), 0), target(before.size(), 0);
      const local::pass<TestType> pass(p, {set, always, shape});
      INFO(sizeof(TestType) << "-byte elements, set " << static_cast<int>(set));
      CHECK(first_wrong(pass, source, target, before, expected) == "");
      for (const index_t most : {1U, 2U, 3U})
        CHECK(moves_parts(pass, source, target, before, expected, most));
    }
}

TEMPLATE_TEST_CASE("pass: rows that stay as they are, in runs and flipped, at every two offsets",
                   "[local]", std::uint8_t, opaque<16>) {
  oracle::generator random(5);
  const auto lg_size = static_cast<unsigned>(std::countr_zero(sizeof(TestType)));
  const unsigned bits = largest_n < 14 ? 14 : 16, n = bits - lg_size;
  // A row after the other; eight in turn; short ones, line by line; as on Zen 5.
  std::vector<local::tile_shape> shapes(3);
  shapes.push_back(local::one_length_tiles());
  shapes[1].rows_in_turn = 3;
  shapes[1].shifted_piece = 9;
  shapes[2].rows_in_turn = 2;
  shapes[2].source_row = 9;
  shapes[2].piece = shapes[2].shifted_piece = local::line_bits;
  for (const unsigned kept : {9U, 13U, bits}) {
    bit_matrix<> a = identity_matrix(n);  // the other bits are reversed
    for (unsigned j = kept - lg_size; j < n; ++j) a.column[j] = bit(n - 1 - j + kept - lg_size);
    for (const index_t c : {index_t{0}, bit(13 - lg_size)}) {
      const permutation<> p(a, c);
      const auto before = random_bytes(bit(n) * sizeof(TestType), random);
      const auto expected = permuted<TestType>(before, all_targets(oracle::read_affine(p)));
      guarded_bytes source(before.size(), 0), target(before.size(), 0);
      for (auto const& shape : shapes)
        for (const auto set : {instructions::neon, instructions::avx2, instructions::avx512}) {
          if (!local::available(set)) continue;
          const local::pass<TestType> pass(p, {set, always, shape});
          INFO(sizeof(TestType) << "-byte elements, 2^" << kept << " bytes stay together");
          CHECK(pass.lines()->moves_rows);
          CHECK(first_wrong(pass, source, target, before, expected) == "");
          for (const index_t most : {1U, 3U, 11U})
            CHECK(moves_parts(pass, source, target, before, expected, most));
        }
    }
  }
}

TEST_CASE("pass: rows that stay together in the target, and not in the source", "[local]") {
  // every second 2^13 bytes of an array, one after the other
  bit_matrix<> from{17, 16};
  for (unsigned j = 0; j < 16; ++j) from.column[j] = bit(j < 13 ? j : j + 1);
  local::tuning t{local::best_instructions(), always};
  t.shape.rows_in_turn = 3;
  const local::pass<std::uint8_t> pass({identity_matrix(16), 0}, {from, bit(13)}, t);
  oracle::generator random(6);
  const auto before = random_bytes(bit(17), random);
  std::vector<unsigned char> expected;
  for (index_t block = 1; block < 16; block += 2)
    expected.insert(expected.end(), &before[block << 13], &before[block << 13] + bit(13));
  guarded_bytes source(before.size(), 0), target(expected.size(), 0);
  CHECK(first_wrong(pass, source, target, before, expected) == "");
}

TEST_CASE("pass: a range of parts of rows that stay writes no others", "[local]") {
  const index_t bytes = bit(16);
  const local::pass<std::uint8_t> pass(identity_permutation(16),
                                       {local::best_instructions(), always});
  oracle::generator random(7);
  const auto before = random_bytes(bytes, random);
  guarded_bytes source(bytes, 0), target(bytes, 0);
  source.place(3);
  target.place(16);
  std::memcpy(source.data(), before.data(), bytes);
  const index_t parts = pass.parts(target.data()), part = bytes / parts;
  for (index_t first = 0; first < parts; ++first)
    for (index_t last = first + 1; last <= parts; ++last) {
      std::vector<unsigned char> expected(bytes, 0);
      std::copy(&before[first * part], before.data() + last * part, &expected[first * part]);
      std::memset(target.data(), 0, bytes);
      pass.run(static_cast<std::uint8_t const*>(source.data()), target.data(), first, last);
      CHECK(holds(target, expected));
    }
}

TEMPLATE_TEST_CASE("permute_in_place: every n to 14 at every offset that the type allows",
                   "[local]", std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, opaque<3>,
                   opaque<16>) {
  oracle::generator random(2);
  for (unsigned n = 0; n <= largest_n; ++n)
    for (auto const& p : {to_library(random_affine(n, random)), bit_reversal(n)}) {
      const auto before = random_bytes(bit(n) * sizeof(TestType), random);
      const auto expected = permuted<TestType>(before, all_targets(oracle::read_affine(p)));
      guarded_bytes data(before.size(), 0);
      for (auto const& t : tunings(n)) {
        const local::in_place_pass<TestType> pass(p, t);
        std::string wrong;
        for (std::size_t i = 0; i < 64; i += alignof(TestType)) {
          data.place(i);
          std::memcpy(data.data(), before.data(), before.size());
          pass(data.as<TestType>());
          if (!holds(data, expected)) wrong += std::to_string(i) + " ";
        }
        INFO(sizeof(TestType) << "-byte elements, n = " << n << ", set "
                              << static_cast<int>(t.use));
        CHECK(wrong == "");
      }
    }
}
