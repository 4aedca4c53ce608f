// SPDX-License-Identifier: BSL-1.0

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/lines/cache_order.hpp>
#include <bmmc/local/lines/make_line_plan.hpp>
#include <bmmc/local/permute.hpp>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;
using local::instructions;
using oracle::number;

namespace {

constexpr index_t always = 0, never = ~index_t{0};

std::vector<instructions> sets() {
  std::vector<instructions> list;
  for (const auto set :
       {instructions::portable, instructions::neon, instructions::avx2, instructions::avx512})
    if (local::available(set)) list.push_back(set);
  return list;
}

/// y[A x + c] = x, nothing else is written, and the source stays as it is.
template <class T>
void check_pass(local::pass<T> const& pass, std::vector<number> const& targets,
                unsigned target_bits, std::size_t source_offset = 0,
                std::size_t target_offset = 0) {
  oracle::generator random(targets.size());
  guarded_bytes source(targets.size() * sizeof(T), source_offset);
  guarded_bytes target(oracle::power(target_bits) * sizeof(T), target_offset);
  source.randomize(random);
  const std::vector<unsigned char> before(source.data(),
                                          source.data() + targets.size() * sizeof(T));
  std::vector<unsigned char> expected(oracle::power(target_bits) * sizeof(T), guarded_bytes::guard);
  for (number x = 0; x < targets.size(); ++x)
    std::memcpy(&expected[targets[x] * sizeof(T)], &before[x * sizeof(T)], sizeof(T));
  pass(const_cast<T const*>(source.as<T>()), target.as<T>());
  INFO(sizeof(T) << "-byte elements, " << targets.size() << " of them, at offsets " << source_offset
                 << " and " << target_offset);
  REQUIRE(std::memcmp(target.data(), expected.data(), expected.size()) == 0);
  REQUIRE(std::memcmp(source.data(), before.data(), before.size()) == 0);
  REQUIRE(target.intact());
}

std::vector<permutation<>> samples(unsigned n, oracle::generator& random) {
  std::vector<permutation<>> list{identity_permutation(n),
                                  bit_reversal(n),
                                  gray_encode(n),
                                  gray_decode(n),
                                  shuffle(n),
                                  vector_reversal(n),
                                  transpose(n / 3, n - n / 3)};
  for (int i = 0; i < 4; ++i) list.push_back(to_library(random_affine(n, random)));
  return list;
}

/// The line plan of 4-byte elements. A lambda would do, but g++ computes what lambdas yield as it
/// compiles where it can, which took 15 s here.
local::line_plan lines(permutation<> const& p) {
  return *local::make_line_plan(local::on_bytes({p.matrix(), 0}, 2).matrix);
}

}  // namespace

TEMPLATE_TEST_CASE("pass: every size and instruction set, in and past the caches", "[local]",
                   opaque<1>, opaque<2>, opaque<4>, opaque<8>, opaque<16>, opaque<3>, opaque<24>,
                   opaque<64>, opaque<256>) {
  oracle::generator random(1);
  for (unsigned n = 0; n <= 14; ++n) {
    if (sizeof(TestType) > 16 && n > 11) break;
    for (auto const& p : samples(n, random)) {
      const auto targets = all_targets(oracle::read_affine(p));
      for (const auto set : sets())
        for (const index_t from : {always, never})
          check_pass(local::pass<TestType>(p, {set, from}), targets, n);
    }
  }
}

TEMPLATE_TEST_CASE("pass: where it writes may change from call to call", "[local]", opaque<1>,
                   opaque<4>, opaque<16>, opaque<24>) {
  oracle::generator random(7);
  for (unsigned n : {0U, 3U, 6U, 9U, 12U})
    for (auto const& p : samples(n, random)) {
      const auto targets = all_targets(oracle::read_affine(p));
      for (const auto set : sets()) {
        const local::tuning usual{set};
        local::tuning buffered = usual;  // made for the caches
        buffered.shape = {.source_row = 9, .target_row = 9, .tile = 11, .buffered = true};
        for (auto const& first : {usual.from_memory(), buffered}) {
          local::pass<TestType> pass(p, first);
          for (auto const& t : {usual, usual.past_caches(), usual.from_memory(), usual}) {
            pass.write_as(t.stream_from, t.keeps_target);
            check_pass(pass, targets, n);
            if (sizeof(TestType) < 24)
              check_pass(pass, targets, n, sizeof(TestType), sizeof(TestType));
          }
        }
      }
    }
}

TEMPLATE_TEST_CASE("pass: larger than its buffers", "[local]", opaque<1>, opaque<4>, opaque<16>) {
  oracle::generator random(2);
  for (auto const& p : samples(18, random)) {
    std::vector<number> targets(bit(18));  // by the map itself: the oracle would take too long
    for (number x = 0; x < targets.size(); ++x) targets[x] = p(x);
    for (const auto set : sets()) check_pass(local::pass<TestType>(p, {set, always}), targets, 18);
  }
}

/// Of the lines of 2^steps register tiles one after another how many share a set of the first
/// level, as a power of two: when read or when stored, whichever are more.
unsigned lg_alike(local::line_plan const& plan, unsigned steps) {
  const auto alike = [&](auto const& lines, auto side) {
    subspace places;
    for (unsigned t = 0; t < plan.lg_lines; ++t)
      places.add(lines[bit(t)] & low_bits(local::page_bits));
    const unsigned inside = plan.inner.count;
    for (unsigned i = 0; i < steps; ++i)
      places.add(side(i < inside ? plan.inner.at(bit(i)) : plan.outer.at(bit(i - inside))) &
                 low_bits(local::page_bits));
    return plan.lg_lines + steps - places.dimension();
  };
  return std::max(alike(plan.source_line, [](auto const& step) { return step.source; }),
                  alike(plan.target_line, [](auto const& step) { return step.target; }));
}

/// Exchanges the lowest `count` bits with the highest, in reversed order.
permutation<> swap_ends(unsigned n, unsigned count) {
  permutation<> p(identity_permutation(n));
  for (unsigned j = 0; j < std::min(count, n / 2); ++j)
    p = permutation<>(compose(swap_bits(n, j, n - 1 - j), p));
  return p;
}

TEMPLATE_TEST_CASE("pass: arrays in the caches whose lines share sets of them", "[local]",
                   opaque<1>, opaque<2>, opaque<4>, opaque<8>, opaque<16>) {
  oracle::generator random(8);
  constexpr unsigned e = std::bit_width(sizeof(TestType)) - 1;
  for (unsigned n = 14 - e; n <= 17 - e; ++n)
    for (auto const& map : {bit_reversal(n), transpose(n / 2, n - n / 2),
                            transpose(n / 4, n - n / 4), transpose(n - n / 4, n / 4),
                            compose(gray_encode(n), bit_reversal(n)), swap_ends(n, 6 - e)}) {
      const permutation<> p(map.matrix(), random() % bit(n));
      const auto targets = all_targets(oracle::read_affine(p));
      for (const auto set : sets()) {
        for (auto const& shape :
             {local::fetched_tiles(), local::one_length_tiles(), local::second_level_tiles()}) {
          local::tuning t{set, never};
          t.shape = shape;
          const local::pass<TestType> pass(p, t);
          check_pass(pass, targets, n);
          check_pass(pass, targets, n, sizeof(TestType), 3 * sizeof(TestType));
          auto const* const plan = pass.lines();
          if (plan == nullptr) continue;
          if (shape.alternates_sets) {
            CHECK_FALSE(plan->collects);
            const auto before =
                *local::make_line_plan(local::on_bytes({p.matrix(), 0}, e).matrix, shape);
            const unsigned steps = std::min(3U, before.inner.count + before.outer.count);
            CHECK(lg_alike(*plan, steps) <= lg_alike(before, steps));
          } else {
            // Of 32 lines stored one after another at most 8 go to one set, or rows are; or the 16
            // of each of two register tiles.
            const bool one_set = plan->lg_lines == 4 && local::lg_lines_alike(*plan, 4) == 4;
            CHECK((plan->collects || local::lg_lines_alike(*plan, 5) <= (one_set ? 4 : 3)));
            if (plan->collects) CHECK(plan->lg_row_lines >= 2);
          }
        }
      }
    }
}

/// A tuning for arrays in the caches, with one of the shapes of tiles.
local::tuning in_caches(local::tile_shape const& shape) {
  local::tuning t{local::best_instructions(), never};
  t.shape = shape;
  return t;
}

TEST_CASE("pass: which arrays in the caches are stored in another order", "[local]") {
  if (local::best_instructions() == local::instructions::portable) return;
  const auto usual = in_caches(local::one_length_tiles());
  const auto collects = [&](auto element, permutation<> const& p) {
    const local::pass<decltype(element)> pass(p, usual);
    const char* const how = pass.lines()->collects ? "row by row" : "written into them\n";
    CHECK(explain(pass).find(how) != std::string::npos);
    return pass.lines()->collects;
  };
  CHECK(collects(std::uint8_t{}, bit_reversal(18)));
  CHECK(collects(std::uint16_t{}, bit_reversal(16)));        // 32 lines 2^12 bytes apart
  CHECK_FALSE(collects(std::uint16_t{}, bit_reversal(14)));  // 2^10: four sets
  CHECK_FALSE(collects(std::uint32_t{}, bit_reversal(16)));  // 16 lines
  CHECK_FALSE(collects(std::uint64_t{}, bit_reversal(16)));  // 8 lines
  CHECK_FALSE(collects(std::uint32_t{}, transpose(8, 8)));
  // 8 bytes: a target page is filled before the next; two register tiles are a step.
  const local::pass<std::uint64_t> reversal(permutation<>(bit_reversal(16)), usual);
  CHECK(reversal.lines()->inner.at(1).target == 2 * local::line_bytes);
  CHECK(reversal.lines()->inner.at(4).target == 8 * local::line_bytes);
  // A pass that may be told later to write to the caches is ready for it.
  const permutation<> large(bit_reversal(21)), small(bit_reversal(16));
  CHECK(local::pass<std::uint16_t>(small, usual.from_memory()).lines()->collects);
  CHECK_FALSE(local::pass<std::uint16_t>(small, usual.past_caches()).lines()->collects);
  CHECK_FALSE(local::pass<std::uint16_t>(large, usual.from_memory()).lines()->collects);
  const local::pass<std::uint64_t> gray(permutation<>(gray_encode(16)), usual);
  CHECK(gray.lines()->row_bits == usual.shape.source_row);
}

TEST_CASE("pass: lanes that stay are not looked up", "[local]") {
  oracle::generator random(4);
  using local::lookups;
  for (unsigned e = 0; e <= 4; ++e) {
    const unsigned n = 16 - e;
    const auto looked_up = [e](auto const& map) {
      const permutation<> p(map);
      const auto bytes = local::on_bytes({p.matrix(), p.complement()}, e);
      const auto plan = *local::make_line_plan(bytes.matrix);
      return plan.looked_up(plan.start(bytes.complement).lanes);
    };
    for (auto const& reversed : {bit_reversal(n), transpose(n / 2, n - n / 2)}) {
      CHECK(looked_up(reversed) == lookups::none);
      CHECK(looked_up(compose(flip(n, n - 1), reversed)) == lookups::none);
      CHECK(looked_up(compose(flip(n, 0), reversed)) == lookups::stored);
    }
    CHECK(looked_up(shuffle(n)) == lookups::stored);
    CHECK(looked_up(unshuffle(n)) == lookups::read);
    CHECK(looked_up(random_permutation(n, random)) == lookups::both);
    CHECK(looked_up(cnot(20 - e, 19 - e, 0)) == lookups::stored);  // from tile to tile
  }
}

TEST_CASE("pass: on Zen 4 arrays in the caches alternate their sets", "[local]") {
  if (local::best_instructions() == local::instructions::portable) return;
  const auto zen_4 = in_caches(local::second_level_tiles());
  // Register tiles of 32 lines and more are read while others are stored, if they share sets.
  const auto overlaps = [&](auto element, permutation<> const& p) {
    const local::pass<decltype(element)> pass(p, zen_4);
    const bool says_so = explain(pass).find("while the next one is read") != std::string::npos;
    CHECK(says_so == pass.lines()->overlaps);
    CHECK_FALSE(pass.lines()->collects);
    return pass.lines()->overlaps;
  };
  CHECK(overlaps(std::uint8_t{}, bit_reversal(18)));
  CHECK(overlaps(std::uint16_t{}, bit_reversal(17)));
  CHECK(overlaps(std::uint8_t{}, transpose(10, 11)));        // 16 of 64 share a set
  CHECK_FALSE(overlaps(std::uint32_t{}, bit_reversal(16)));  // 16 lines
  CHECK_FALSE(overlaps(std::uint8_t{}, transpose(9, 9)));    // 8 of 64 share a set
  CHECK_FALSE(overlaps(std::uint8_t{}, gray_encode(18)));
  // 4 bytes: 16 register tiles one after another lie at 16 places of a page on either side, where
  // 4 would in the order of the target or of the source.
  const permutation<> p(bit_reversal(16));
  const local::pass<std::uint32_t> reversal(p, zen_4);
  CHECK(lg_alike(*reversal.lines(), 0) == 4);
  CHECK(lg_alike(*reversal.lines(), 4) == 4);
  const auto before = *local::make_line_plan(local::on_bytes({p.matrix(), 0}, 2).matrix);
  CHECK(lg_alike(before, 4) >= 6);
  // Nothing is known of the order in which what may be in memory is fetched then: it stays.
  auto kept = zen_4;
  kept.keeps_target = true;
  const local::pass<std::uint32_t> fetched(p, kept);
  CHECK(lg_alike(*fetched.lines(), 4) >= 6);
  // Of register tiles of 8 lines it gains nothing: target pages are filled one by one, as
  // elsewhere.
  const local::pass<std::uint64_t> eight(permutation<>(bit_reversal(16)), zen_4);
  CHECK(eight.lines()->inner.at(1).target == 2 * local::line_bytes);
  CHECK(eight.lines()->inner.at(4).target == 8 * local::line_bytes);
  // 16 lines share a set when they are stored, not when they are read: the order of source rows.
  const local::pass<std::uint32_t> stored(permutation<>(transpose(12, 4)), zen_4);
  CHECK(local::lg_lines_alike(*stored.lines(), 4) == 4);
  CHECK(local::lg_tile_lines_alike(*stored.lines()) < 3);
  CHECK(stored.lines()->row_bits == local::page_bits);
}

TEMPLATE_TEST_CASE("pass: injective maps leave the other places alone", "[local]", opaque<1>,
                   opaque<4>, opaque<16>, opaque<12>) {
  oracle::generator random(4);
  for (unsigned n = 0; n <= 11; ++n)
    for (unsigned m = n; m <= n + 3; ++m) {
      const auto square = random_affine(m, random);
      // Any columns; a block of a larger array; a strided sub-array of runs of 2^k elements.
      std::vector<oracle::affine> maps{{oracle::part(square.a, 0, m, 0, n), square.c}};
      for (unsigned kept = 0; kept <= n; ++kept) {
        oracle::matrix a(m, n);
        for (unsigned j = 0; j < n; ++j) a.row[j < kept ? j : j + m - n][j] = 1;
        const auto mixed = oracle::random_nonsingular(n, random);
        maps.push_back({oracle::times(a, mixed), square.c});
      }
      for (auto const& map : maps)
        for (const auto set : sets())
          for (const index_t from : {always, never})
            check_pass(local::pass<TestType>(
                           affine_map{to_library(map.a), oracle::to_number(map.c)}, {set, from}),
                       all_targets(map), m);
    }
}

TEST_CASE("pass: another complement needs no other tables", "[local]") {
  oracle::generator random(5);
  auto map = random_affine(11, random);
  local::pass<std::uint16_t> pass(to_library(map), {local::best_instructions(), always});
  for (int i = 0; i < 20; ++i) {
    map.c = oracle::to_bits(random() % 2048, 11);
    pass.set_complement(oracle::to_number(map.c));
    check_pass(pass, all_targets(map), 11);
    CHECK(pass.map().complement == oracle::to_number(map.c));
  }
  local::pass<int> still(identity_permutation(3));
  CHECK(still.is_identity());
  still.set_complement(4);
  CHECK_FALSE(still.is_identity());
}

TEST_CASE("pass: its parts may be moved in any order", "[local]") {
  oracle::generator random(6);
  for (const auto set : sets())
    for (unsigned n : {3U, 10U, 17U}) {
      const auto p = to_library(random_affine(n, random));
      const local::pass<std::uint32_t> pass(p, {set, always});
      guarded_bytes source(4 * bit(n), 0), target(4 * bit(n), 0);
      auto* const from = source.as<std::uint32_t>();
      std::iota(from, from + bit(n), 0U);
      auto* const to = target.as<std::uint32_t>();
      for (index_t part = pass.parts(to); part-- > 0;) pass.run(from, to, part, part + 1);
      bool right = true;
      for (index_t x = 0; x < bit(n); ++x) right &= target.as<std::uint32_t>()[p(x)] == x;
      CHECK(right);
      CHECK(target.intact());
    }
}

TEST_CASE("permute: elements that own something are copied, or moved where they may be",
          "[local]") {
  oracle::generator random(8);
  const auto p = to_library(random_affine(7, random));
  std::vector<std::string> words(128), copied(128);
  for (index_t x = 0; x < 128; ++x)
    words[x] = "an element longer than a small string " + std::to_string(x);
  const auto before = words;
  local::permute(words, copied, p);
  CHECK(words == before);
  std::vector<std::unique_ptr<index_t>> owners(128), moved(128);
  for (index_t x = 0; x < 128; ++x) owners[x] = std::make_unique<index_t>(x);
  local::pass<std::unique_ptr<index_t>> pass(p);
  pass(owners.data(), moved.data());
  for (index_t x = 0; x < 128; ++x) {
    CHECK(copied[p(x)] == before[x]);
    CHECK(*moved[p(x)] == x);
    CHECK(owners[x] == nullptr);
  }
}

TEST_CASE("permute: what does not fit is refused before anything is written", "[local]") {
  const auto p = bit_reversal(4);
  std::vector<int> source(16), target(16, 7), longer(17);
  CHECK_COMPLAINS(bad_value, local::permute(source, longer, p), "16", "17");
  CHECK_COMPLAINS(bad_value, local::permute(longer, target, p), "16", "17");
  std::vector<int> one(24);
  CHECK_COMPLAINS(bad_value,
                  local::permute(std::span(one).first(16), std::span(one).subspan(8, 16), p),
                  "overlap");
  CHECK(target == std::vector<int>(16, 7));
  bit_matrix<> singular{2, {1, 1}};
  CHECK_COMPLAINS(bad_value, (local::pass<int>(affine_map{singular, 0})), "rank 1", "2 bits");
  CHECK_COMPLAINS(bad_value, (local::pass<int>(identity_permutation(62))), "62", "4 byte");
}

TEST_CASE("walk: its state is the sum of the vectors that the count chooses", "[local]") {
  local::walk<index_t> walk;
  for (index_t v : {3U, 5U, 6U, 24U}) walk.append(v);
  index_t state = 0;
  for (index_t t = 0; t < 16; ++t) {
    if (t > 0) walk.advance(state, t);
    const index_t sum =
        (t & 1U ? 3U : 0U) ^ (t & 2U ? 5U : 0U) ^ (t & 4U ? 6U : 0U) ^ (t & 8U ? 24U : 0U);
    CHECK(state == sum);
    CHECK(walk.at(t) == sum);
  }
}

TEST_CASE("line plan: tiles are as small and rows as long as they can be", "[local]") {
  // 16 elements in a line. Reversal sends each to another line; Gray code none.
  CHECK(lines(bit_reversal(24)).lg_lines == 4);
  CHECK(lines(bit_reversal(24)).row_bits == 12);
  CHECK(lines(bit_reversal(24)).lg_tile == 11);  // 32 rows of 64 lines
  CHECK(lines(gray_encode(24)).lg_lines == 0);
  CHECK(lines(gray_encode(24)).lg_tile == 9);  // eight rows, which are read in turn
  CHECK(lines(shuffle(24)).lg_lines == 1);
  CHECK(lines(identity_permutation(24)).moves_rows);
  STATIC_REQUIRE(sizeof(local::line_plan) < 9216);
  constexpr auto at_compile_time =
      local::make_line_plan(local::on_bytes({bit_reversal(10).matrix(), 0}, 2).matrix);
  STATIC_REQUIRE(at_compile_time->lg_lines == 4);
  // Targets without whole lines have no line plan.
  CHECK_FALSE(local::make_line_plan(local::on_bytes({{12, {4, 8, 16}}, 0}, 3).matrix).has_value());
  CHECK_FALSE(local::make_line_plan(identity_matrix(5)).has_value());
}

TEST_CASE("line plan: what the order of accesses promises, on any machine", "[local]") {
  std::mt19937_64 random(5);
  for (unsigned e = 0; e <= 4; ++e) {
    const unsigned n = 26 - e;
    for (auto const& p : {bit_reversal(n), transpose(n / 2, n - n / 2), shuffle(n), gray_encode(n),
                          morton_encode(n & ~1U), random_permutation(n, random)}) {
      const auto plan = *local::make_line_plan(local::on_bytes({p.matrix(), 0}, e).matrix,
                                               {.tile = 17});  // what an eighth of 1 to 2 MiB holds
      INFO(bit(e) << "-byte elements");
      // Reading: long rows, eight of them in turn, 256 bytes of each; every line of a tile once.
      CHECK(plan.row_bits >= 10);
      CHECK(plan.lg_tile + local::line_bits <= 17);
      CHECK(plan.lg_tile + local::line_bits >= plan.row_bits + 3);
      CHECK(plan.lg_piece == 2);
      for (index_t i = 1; i < 8; ++i) CHECK((plan.gather.at(i) >> plan.row_bits) != 0);
      CHECK(plan.gather.at(8) == 4 * local::line_bytes);
      std::set<index_t> pieces;
      for (index_t i = 0; i < bit(plan.gather.count); ++i) pieces.insert(plan.gather.at(i));
      CHECK(pieces.size() == bit(plan.lg_tile - plan.lg_piece));
      // Writing: both lines of 128 bytes within one unit, one after the other in its buffer.
      CHECK(plan.lg_row_lines >= 1);
      CHECK(plan.row_line[1] == local::line_bytes);
      // Where they come from two register tiles these follow each other.
      if (plan.is_paired) CHECK(plan.inner.prefix[0].target == local::line_bytes);
      // Target pages that a tile writes to.
      std::set<index_t> pages;
      for (index_t t = 0; t < bit(plan.inner.count); ++t)
        for (unsigned i = 0; i < bit(plan.lg_group); ++i)
          pages.insert((plan.inner.at(t).target ^ plan.target_line[i]) >> local::page_bits);
      CHECK(pages.size() <= 1024);
    }
  }
}
