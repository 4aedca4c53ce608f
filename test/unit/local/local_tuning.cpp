// SPDX-License-Identifier: BSL-1.0
// What passes take of the machine: shapes of tiles, said, kept, measured, and what they ask of
// caches that this machine need not have.

#include <algorithm>
#include <array>
#include <bit>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/explain_in_place.hpp>
#include <bmmc/local/lines/cache_order.hpp>
#include <bmmc/local/lines/make_line_plan.hpp>
#include <bmmc/local/measured_shape.hpp>
#include <bmmc/local/permute.hpp>
#include <bmmc/local/tuning/shape_text.hpp>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

enum class form { fetched, second_level, one_length, one_size };

/// A second-level cache: sets are bits of the address of a line.
struct processor {
  char const* name;
  unsigned lg_sets;
  index_t ways;
  form tiles = form::fetched;
  [[nodiscard]] index_t bytes() const { return (ways << lg_sets) * local::line_bytes; }
  [[nodiscard]] local::tile_shape shape() const {
    return tiles == form::fetched      ? local::fetched_tiles(bytes())
           : tiles == form::one_size   ? local::one_size_tiles(bytes())
           : tiles == form::one_length ? local::one_length_tiles(bytes())
                                       : local::second_level_tiles(bytes());
  }
};
constexpr processor processors[] = {{"AMD Zen 2, 512 KiB", 10, 8, form::one_size},
                                    {"AMD Zen 4, 1 MiB", 11, 8, form::second_level},
                                    {"AMD Zen 5, 1 MiB", 10, 16, form::one_length},
                                    {"Intel Skylake server, 1 MiB", 10, 16},
                                    {"Intel Ice Lake server, 1.25 MiB", 10, 20},
                                    {"Intel Sapphire Rapids, 2 MiB", 11, 16},
                                    {"Arm Neoverse V2, 2 MiB", 12, 8}};

/// A physical page for each virtual one, at random.
index_t physical(index_t address) {
  std::uint64_t x = address >> local::page_bits;
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;  // splitmix64's mixing
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return (x ^ (x >> 31)) << local::page_bits | (address & low_bits(local::page_bits));
}

/// The first source lines of a plan, in the order in which they are read.
std::vector<index_t> lines_read(local::line_plan const& plan, index_t count) {
  std::vector<index_t> lines;
  for (index_t tile = 0; tile < bit(plan.lg_tiles); ++tile)
    for (index_t piece = 0; piece < bit(plan.gather.count); ++piece)
      for (index_t i = 0; i < bit(plan.lg_piece) && lines.size() < count; ++i)
        lines.push_back(plan.outer.at(tile).source ^ plan.gather.at(piece) ^ i * local::line_bytes);
  return lines;
}

/// How many of these find no way in their set of the cache.
index_t without_way(std::vector<index_t> const& lines, processor const& p) {
  std::map<index_t, index_t> in_set;
  for (const index_t line : lines)
    ++in_set[physical(line) >> local::line_bits & low_bits(p.lg_sets)];
  index_t lost = 0;
  for (auto const& [set, count] : in_set) lost += count > p.ways ? count - p.ways : 0;
  return lost;
}

/// Whether a map of elements of 2^e bytes goes by way of a buffer. No lambda: g++ would compute
/// what it yields as it compiles, for seconds.
bool is_buffered(unsigned e, permutation<> const& p, local::tile_shape const& shape) {
  return local::make_line_plan(local::on_bytes({p.matrix(), 0}, e).matrix, shape)->is_buffered;
}

}  // namespace

TEST_CASE("arrays that are not aligned have one line more fetched of each row", "[tuning]") {
  alignas(64) unsigned char const row[256] = {};
  CHECK(local::lines_touched(row, 2) == 2);
  CHECK(local::lines_touched(row + 64, 1) == 1);
  for (index_t shift = 1; shift < 64; ++shift) CHECK(local::lines_touched(row + shift, 3) == 4);

  auto const plan = local::make_line_plan(local::on_bytes({bit_reversal(16).matrix(), 0}, 2).matrix,
                                          local::fetched_tiles(index_t{1} << 20));
  REQUIRE(plan);
  local::fetch_list const aligned(*plan, row, 0, true), shifted(*plan, row + 16, 0, true);
  CHECK(aligned.touched == aligned.lines);
  CHECK(shifted.touched == shifted.lines + 1);
}

TEST_CASE("shapes of tiles: written as text and read again", "[local]") {
  local::tile_shape odd = local::fetched_tiles(index_t{1} << 20);
  odd.piece = 7;
  odd.shifted_piece = 10;
  odd.lines_far_ahead = 12;
  for (auto const& shape : {local::tile_shape{}, local::one_size_tiles(), local::fetched_tiles(),
                            local::second_level_tiles(), local::one_length_tiles(), odd})
    CHECK(local::parse_shape(local::to_text(shape)) == shape);
  CHECK(local::parse_shape(" \n").source_row == local::tile_shape{}.source_row);
  CHECK(local::parse_shape("tile=14\nbuffered=1").buffered);
  for (auto const* text : {"tiles=14", "tile=", "tile=14x", "tile 14", "buffered=2", "=3"})
    CHECK_COMPLAINS(bad_value, local::parse_shape(text), "is no setting");
  for (auto const* text :
       {"tile=21", "source_row=13", "target_row=5", "unit=15", "piece=5", "piece=11",
        "least_target=5", "interleaved=13", "shifted_piece=5", "shifted_piece=11", "rows_in_turn=5",
        "lines_ahead=4097", "tile=11", "growth=21", "grown_below=14", "alike=21", "uneven_tile=21",
        "run=11", "run=17"})
    CHECK_COMPLAINS(bad_value, local::parse_shape(text), "2^6 to 2^12");
}

TEST_CASE("shapes of tiles: a process takes what it is told, and says so", "[local]") {
  const auto before = local::default_shape();
  const auto text = [] {
    return explain(
        local::pass<float>(permutation<>(bit_reversal(22)), {.use = local::best_instructions()}));
  };
  local::set_default_shape(local::parse_shape("source_row=9 target_row=9 tile=16 buffered=1"));
  const auto buffered = text();
  local::set_default_shape(local::parse_shape("source_row=11 tile=16"));
  const auto fetched = text();
  auto too_large = before;
  too_large.tile = local::most_tile_bits + 1;
  CHECK_THROWS_AS(local::set_default_shape(too_large), bad_value);
  CHECK(local::default_shape() == local::parse_shape("source_row=11 tile=16"));
  local::set_default_shape(before);
  if (local::best_instructions() == local::instructions::portable) {
    CHECK(contains(buffered, "one element at a time"));
    return;
  }
  CHECK(contains(buffered, "128 source rows of 512 bytes, target rows of 512 bytes"));
  CHECK(contains(buffered, "copied to a buffer"));
  CHECK(contains(fetched, "2^8 tiles of 2^16 bytes: 32 source rows of 2048 bytes"));
  CHECK(contains(fetched, "register tiles of 16 lines"));
  CHECK(contains(fetched, "fetched one tile ahead"));
}

TEST_CASE("shapes of tiles: in place lines go into the caches where a shape wants that",
          "[local]") {
  local::tuning t;
  alignas(64) const unsigned char data[128]{};
  const auto stores = [&](bool caches, index_t bytes, unsigned offset) {
    t.shape.caches_in_place = caches;
    return t.stores_in_place(data + offset, bytes, 2);
  };
  const index_t large = t.stream_from;
  CHECK(stores(false, large, 0) == local::stores::past_cache);
  CHECK(stores(false, large, 16) == local::stores::shifted);
  CHECK(stores(true, large, 0) == local::stores::from_memory);
  CHECK(stores(true, large, 16) == local::stores::from_memory);
  CHECK(stores(true, large, 1) == local::stores::in_cache);
  CHECK(stores(true, large - 1, 0) == local::stores::in_cache);
}

TEST_CASE("shapes of tiles: in place and in the caches each does what was measured", "[local]") {
  for (auto const& shape : {local::fetched_tiles(), local::second_level_tiles()}) {
    CHECK(shape.caches_in_place);
    CHECK(shape.alternates_sets);
  }
  for (auto const& shape : {local::one_length_tiles(), local::one_size_tiles()}) {
    CHECK_FALSE(shape.caches_in_place);  // not measured there
    CHECK_FALSE(shape.alternates_sets);  // nor this
  }
}

TEST_CASE("shapes of tiles: which register tiles change places where they lie", "[local]") {
  const auto plan_of = [](unsigned e, permutation<> const& p, local::tile_shape const& shape,
                          local::instructions use = local::instructions::avx512) {
    local::tuning t{use, index_t{1} << 22};
    t.shape = shape;
    return *local::make_involution_tables(p, {bit(e), true}, t).pairs;
  };
  const auto is_direct = [&](unsigned e, permutation<> const& p, local::tile_shape const& shape) {
    const auto plan = plan_of(e, p, shape);
    CHECK_FALSE((plan.is_direct && plan.lines.collects));
    return plan.is_direct;
  };
  // Exchanges the bits of a place in a line with as many others: the first `near` of them with bits
  // of the place in a page, so that 2^near lines of a register tile lie at different places.
  const auto exchange = [](unsigned e, unsigned near) {
    auto f = identity_matrix(26 - e);
    for (unsigned j = 0; j < 6 - e; ++j) {
      const unsigned other = j < near ? 6 - e + j : 20 - e + j;
      f.column[j] = bit(other);
      f.column[other] = bit(j);
    }
    return permutation<>(f);
  };
  for (unsigned e = 0; e <= 4; ++e) {
    INFO(bit(e) << "-byte elements");
    const auto reversal = bit_reversal(26 - e);
    CHECK(is_direct(e, reversal, local::fetched_tiles()));
    CHECK(is_direct(e, swap_bits(26 - e, 0, 20), local::fetched_tiles()));  // two lines
    CHECK_FALSE(is_direct(e, flip(26 - e, 20), local::fetched_tiles()));    // one
    const auto shape = local::one_length_tiles();
    CHECK(is_direct(e, reversal, shape) == (e >= 2));  // no more than 16 of them share a set
    for (unsigned near = 0; near <= 6 - e; ++near) {
      CHECK(is_direct(e, exchange(e, near), shape) == (near + 4 >= 6 - e));
      const auto plan = plan_of(e, exchange(e, near), shape, local::instructions::avx2);
      CHECK_FALSE(plan.is_direct);
      CHECK(plan.lines.collects == (near + 4 < 6 - e));
    }
    CHECK_FALSE(is_direct(e, swap_bits(26 - e, 0, 20), shape));  // two lines
    for (auto const& other : {local::second_level_tiles(), local::one_size_tiles()}) {
      CHECK_FALSE(is_direct(e, reversal, other));               // not measured there,
      CHECK_FALSE(plan_of(e, reversal, other).lines.collects);  // nor this
    }
    CHECK_FALSE(plan_of(e, reversal, local::fetched_tiles()).lines.collects);
  }
}

TEST_CASE("shapes of tiles: in place, rows that lie at one place are written as a whole",
          "[local]") {
  local::tuning t;
  t.shape = local::one_length_tiles(index_t{1} << 20);
  const auto plan_of = [&](unsigned e, permutation<> const& p) {
    return local::make_involution_tables(p, {bit(e), true}, t).pairs->lines;
  };
  const auto bytes = plan_of(0, bit_reversal(26)), pairs = plan_of(1, bit_reversal(25));
  for (auto const& plan : {bytes, pairs}) {
    CHECK(plan.collects);
    CHECK(plan.lg_unit + local::line_bits == 14);
  }
  CHECK(plan_of(0, transpose(13, 13)).collects);  // at one place of their pages, 2^13 bytes apart
  CHECK(bytes.row_bits == 8);                     // 256 rows of 256 bytes
  CHECK(bytes.lg_row_lines + local::line_bits == 8);
  CHECK(pairs.row_bits == 9);
  CHECK(pairs.lg_row_lines + local::line_bits == 9);
  CHECK(bytes.lg_piece + local::line_bits == 8);  // and they are read as a whole, too
  CHECK(pairs.lg_piece + local::line_bits == 9);
}

TEST_CASE("shapes of tiles: pairs of lines are joined where that was measured", "[local]") {
  using local::instructions;
  const auto shifted = [](permutation<> const& p, unsigned lg_size, local::tile_shape const& shape,
                          instructions use = instructions::avx512) {
    local::tuning t{use};
    t.shape = shape;
    const local::element_shape element{bit(lg_size), true};
    return *local::make_pass_tables({p.matrix(), 0}, {identity_matrix(p.bits()), 0}, element, t)
                .shifted;
  };
  const auto shape = local::fetched_tiles(index_t{1} << 21);
  oracle::generator random(31);
  for (unsigned e = 0; e < 2; ++e)
    for (auto const& p : {bit_reversal(26 - e), to_library(random_affine(26 - e, random))}) {
      const auto plan = shifted(p, e, shape);
      INFO("2^" << e << " bytes, lines of a register tile: 2^" << plan.lg_lines);
      CHECK(plan.joins_pairs);
      CHECK(plan.lg_row_lines + plan.lg_run_rows() == 8);  // runs fill four pages
      // lines that wait, the tile that is moved and the next one have room in the second level
      const index_t tile = bit(plan.lg_tile + local::line_bits);
      CHECK(2 * tile + local::unit_bytes(plan, local::stores::shifted) <= (index_t{3} << 21) / 8);
      CHECK_FALSE(shifted(p, e, shape, instructions::avx2).joins_pairs);
      for (auto const& other : {local::second_level_tiles(), local::one_size_tiles()})
        CHECK_FALSE(shifted(p, e, other).joins_pairs);  // not measured there
    }
  const auto zen_5 = local::one_length_tiles(index_t{1} << 20);
  for (unsigned e = 0; e < 2; ++e) {
    CHECK(shifted(to_library(random_affine(26 - e, random)), e, zen_5).joins_pairs);
    // too many source rows are alike: a buffer costs less than short rows of the target
    const auto buffered = shifted(bit_reversal(26 - e), e, zen_5);
    CHECK_FALSE(buffered.joins_pairs);
    CHECK(buffered.is_buffered);
    CHECK(buffered.lg_row_lines > 1);
  }
  CHECK_FALSE(shifted(bit_reversal(24), 2, shape).joins_pairs);  // 16 lines: no gain
  CHECK(shifted(transpose(12, 13), 1, zen_5).joins_pairs);  // rows of 256 bytes where it is aligned
  // pieces are longer where units go to the target, and not where pairs are joined
  CHECK(shifted(to_library(random_affine(24, random)), 2, zen_5).lg_piece + local::line_bits == 9);
  CHECK(shifted(to_library(random_affine(25, random)), 1, zen_5).lg_piece + local::line_bits == 8);
  // a map to every other 128 bytes has no runs: all that is joined would be ends
  affine_map apart{bit_matrix<>{23, 22}, 0};
  for (unsigned j = 0; j < 22; ++j) apart.matrix.column[j] = bit(j < 15 ? 22 - j : 21 - j);
  local::tuning t{instructions::avx512};
  t.shape = shape;
  const auto tables =
      local::make_pass_tables(apart, {identity_matrix(22), 0}, local::element_shape{1, true}, t);
  CHECK_FALSE(tables.shifted->joins_pairs);
}

TEST_CASE("shapes of tiles: pairs are joined where runs are long, or as long without it",
          "[local]") {
  const auto shape = local::fetched_tiles(index_t{1} << 21);
  auto apart = shape;
  apart.joins_pairs = false;
  oracle::generator random(32);
  unsigned joined = 0, shorter = 0;
  for (int i = 0; i < 80; ++i) {
    affine_map map{to_library(random_affine(25, random)).matrix(), 0};
    if (i >= 40) {  // index bits in another order
      std::vector<unsigned> places(25);
      std::iota(places.begin(), places.end(), 0U);
      std::shuffle(places.begin(), places.end(), random);
      map.matrix = bit_permutation(std::span<unsigned const>(places)).matrix();
    }
    const auto plan = [&](local::tile_shape const& of) {
      local::tuning t{local::instructions::avx512};
      t.shape = of;
      return *local::make_pass_tables(map, {identity_matrix(25), 0}, local::element_shape{2, true},
                                      t)
                  .shifted;
    };
    const auto lg_run_lines = [](local::line_plan const& p) {
      return p.lg_row_lines + p.lg_run_rows();
    };
    const auto pairs = plan(shape), rows = plan(apart);
    INFO("matrix " << i);
    // units cost more than the ends of runs of 2 KiB
    CHECK(lg_run_lines(pairs) >= std::min(lg_run_lines(rows), 5U));
    CHECK_FALSE(rows.joins_pairs);
    joined += pairs.joins_pairs ? 1 : 0;
    shorter += lg_run_lines(pairs) < lg_run_lines(rows) ? 1 : 0;
  }
  CHECK(joined > 30);
  CHECK(shorter > 0);
}

TEST_CASE("shapes of tiles: a target that is not aligned is written in long runs", "[local]") {
  oracle::generator random(33);
  std::vector<local::tile_shape> shapes;
  for (auto const& each : processors) shapes.push_back(each.shape());
  for (auto const& shape : shapes)
    for (unsigned e = 0; e < 5; ++e) {
      const unsigned n = 28 - e;
      for (auto const& p :
           {bit_reversal(n), transpose(n / 2, n - n / 2), transpose(n / 4, n - n / 4), shuffle(n),
            morton_encode(n & ~1U), morton_decode(n & ~1U), gray_encode(n), block_to_cyclic(n, 16),
            to_library(random_affine(n, random))}) {
        local::tuning t{local::instructions::avx512};
        t.shape = shape;
        const auto tables = local::make_pass_tables({p.matrix(), 0}, {identity_matrix(p.bits()), 0},
                                                    local::element_shape{bit(e), true}, t);
        const unsigned run =
            tables.shifted->lg_row_lines + tables.shifted->lg_run_rows() + local::line_bits;
        INFO("2^" << e << " bytes, runs of 2^" << run << " of 2^" << shape.run);
        CHECK(run <= shape.run);
        CHECK(tables.lines->lg_row_lines + tables.lines->lg_run_rows() + local::line_bits <=
              local::page_bits);
        // threads share what fills 1 KiB, however long runs are
        CHECK(tables.shifted->lg_parts() + local::least_run_bits - local::line_bits - 1 >=
              tables.shifted->lg_tiles);
        CHECK(local::unit_bytes(*tables.shifted, local::stores::shifted) <= 650 * 1024);
        if (shape.run > local::page_bits && tables.shifted->lg_lines != 0) CHECK(run >= 13);
      }
    }
  // in a second level of 2 MiB or of 1 MiB tiles have at most 2^18 bytes
  CHECK(local::fetched_tiles(index_t{1} << 21).growth == 0);
  CHECK(local::fetched_tiles(index_t{1} << 20).growth == 1);
  CHECK(local::second_level_tiles(index_t{1} << 21).growth == 1);
  // what was not measured there stays as it was
  for (auto const& shape :
       {local::second_level_tiles(), local::one_length_tiles(), local::one_size_tiles()})
    CHECK(shape.run == local::page_bits);
}

TEST_CASE("shapes of tiles: runs are cut where not all of their tiles are moved", "[local]") {
  local::line_plan plan;
  plan.lg_tile = 11;
  plan.lg_tiles = 10;
  plan.lg_row_lines = 1;
  plan.lg_run_tiles = 7;
  CHECK(plan.lg_parts() == 7);
  CHECK(plan.lg_run_tiles_in(0, bit(10)) == 7);
  CHECK(plan.lg_run_tiles_in(0, 3 * bit(7)) == 7);
  CHECK(plan.lg_run_tiles_in(3 * bit(5), 4 * bit(5)) == 5);
  CHECK(plan.lg_run_tiles_in(bit(6), 3 * bit(6)) == 6);
  plan.lg_run_units = 3;  // 1 KiB in each tile
  CHECK(plan.lg_parts() == 10);
  plan.lg_run_units = 2;
  plan.lg_run_tiles = 1;
  CHECK(plan.lg_parts() == 9);
}

TEST_CASE("in the caches threads write parts of their own", "[local]") {
  std::mt19937_64 random(3);
  // Whether each 2^end bytes of the target are written by one of 2^lg shares of the tiles alone.
  const auto are_apart = [](local::line_plan const& plan, unsigned lg, unsigned end) {
    const unsigned size = plan.lg_tiles + plan.lg_tile + local::line_bits;
    std::vector<index_t> shares(bit(size - end));
    for (index_t tile = 0; tile < bit(plan.outer.count); ++tile)
      for (index_t group = 0; group < bit(plan.inner.count); ++group)
        for (index_t i = 0; i < bit(plan.lg_group); ++i) {
          const index_t y =
              plan.outer.at(tile).target ^ plan.inner.at(group).target ^ plan.target_line[i];
          shares[y >> end] |= bit(static_cast<unsigned>(tile >> (plan.outer.count - lg)));
        }
    return std::all_of(shares.begin(), shares.end(),
                       [](index_t set) { return std::popcount(set) == 1; });
  };
  for (auto const& machine : processors)
    for (unsigned e = 0; e <= 4; ++e) {
      INFO(machine.name << ", " << bit(e) << "-byte elements");
      local::tuning t{local::best_instructions(), index_t{1} << 22};
      t.shape = machine.shape();
      const auto check = [&](permutation<> const& p, unsigned most, unsigned end) {
        const local::pass<std::uint8_t> bytes(local::on_bytes({p.matrix(), 0}, e), t);
        local::line_plan const* const plan = bytes.lines();
        if (plan == nullptr) return index_t{0};      // portable code
        const index_t parts = bytes.parts(nullptr);  // a target that is aligned
        CHECK(parts == bit(plan->lg_tiles));
        CHECK(parts >= (bytes.elements() > bit(16) ? 2 : 1));
        auto uncut = t;  // threads share out the tiles of such a pass as they are
        uncut.keeps_target = true;
        const auto lg_bytes = [](local::line_plan const& of) {
          return of.lg_tile + local::line_bits;
        };
        const unsigned whole = lg_bytes(*local::pass<std::uint8_t>(bytes.map(), uncut).lines());
        CHECK(lg_bytes(*plan) >= std::min(local::detail::least_part_bits, whole));
        for (unsigned lg = 1; lg <= std::min(most, plan->outer.count); ++lg)
          CHECK(are_apart(*plan, lg, end));
        return parts;
      };
      for (const unsigned size : {16U, 17U, 18U, 20U}) {
        const unsigned n = size - e;
        for (auto const& p :
             {permutation<>(bit_reversal(n)), permutation<>(transpose(n / 2, n - n / 2)),
              permutation<>(gray_encode(n)), permutation<>(shuffle(n)),
              permutation<>(random_permutation(n, random)),
              permutation<>(random_permutation(n, random))})
          check(p, 1, size == 20 ? local::page_bits : local::least_run_bits);
        // lines of a register tile of 64 lie 2^(size - 6) apart, so that fewer parts have 1 KiB
        if (const index_t parts = check(bit_reversal(n), 1, local::least_run_bits);
            e == 0 && size > 16 && size < 20 && parts != 0)
          CHECK(parts == (size == 17 ? 2 : 4));
      }
      const unsigned n = 20 - e;
      auto swapped = identity_matrix(n);  // of bytes: bits 9 to 11 with 17 to 19, and 6 with 7
      for (auto const& [a, b] :
           {std::pair(9U, 17U), std::pair(10U, 18U), std::pair(11U, 19U), std::pair(6U, 7U)})
        std::swap(swapped.column[a - e], swapped.column[b - e]);
      check(permutation<>(swapped), 4, local::page_bits);
    }
}

TEST_CASE("explain: what a pass does", "[local]") {
  CHECK(contains(explain(local::pass<int>(permutation<>(bit_reversal(10)),
                                          {.use = local::instructions::portable})),
                 "2^10 elements of 4 bytes: one element at a time"));
  CHECK(contains(explain(local::pass<std::string>(permutation<>(bit_reversal(10)))),
                 "own something"));
  if (local::best_instructions() == local::instructions::portable) return;
  CHECK(contains(explain(local::pass<int>(permutation<>(bit_reversal(10)))), "small enough"));
  for (auto const& [shape, end] :
       {std::pair(local::fetched_tiles(), "past the caches, 8 in turn\n"),
        std::pair(local::second_level_tiles(), "past the caches\n")})
    CHECK(contains(
        explain(local::pass<int>(permutation<>(identity_permutation(24)), {.shape = shape})),
        std::string("rows of 4096 bytes are copied as they are, ") + end));
  CHECK(contains(explain(local::pass<int>(permutation<>(identity_permutation(12)))),
                 "rows of 4096 bytes are copied as they are\n"));
}

TEST_CASE("explain: what a permutation in place does", "[local]") {
  const auto text = [](permutation<> const& p, local::tile_shape const& shape,
                       local::instructions use = local::instructions::avx512) {
    local::tuning t{use};
    t.shape = shape;
    return explain(local::in_place_pass<std::uint8_t>(p, t));
  };
  CHECK(text(identity_permutation(24), {}) == "in place, 2^24 elements of 1 byte: nothing moves\n");
  CHECK(text(bit_reversal(24), {}, local::instructions::portable) ==
        "in place, 2^24 elements of 1 byte: 1 pass, by portable code\n"
        "  one element at a time\n");
  CHECK(text(bit_reversal(24), local::fetched_tiles()) ==
        "in place, 2^24 elements of 1 byte: 1 pass, by AVX-512\n"
        "  register tiles of 64 lines of 64 bytes change places where they lie\n");
  CHECK(contains(text(flip(24, 20), local::fetched_tiles()),
                 " bytes change places by way of buffers\n"));
  CHECK(text(flip(16, 9), local::fetched_tiles()) ==
        "in place, 2^16 elements of 1 byte: 1 pass, by AVX-512\n"
        "  register tiles of 1 line of 64 bytes change places where they lie, in groups of 8 "
        "lines\n");
  CHECK(contains(text(swap_bits(8, 0, 7), local::fetched_tiles()),  // four lines in all
                 "  register tiles of 2 lines of 64 bytes change places where they lie\n"));
  CHECK(contains(text(bit_reversal(24), local::one_length_tiles(index_t{1} << 20)),
                 "in rows of 256 bytes change places by way of buffers, both read before "
                 "either is written, row by row\n"));
  const auto two = text(shuffle(24), local::fetched_tiles());
  CHECK(contains(two, "2 passes, by AVX-512\n"));
  CHECK(std::count(two.begin(), two.end(), '\n') == 3);
}

TEST_CASE("explain: lines of a source that is not aligned", "[local]") {
  const auto joins = [](local::instructions use, local::tile_shape const& shape,
                        permutation<> const& p) {
    local::tuning t{use};
    t.shape = shape;
    return contains(explain(local::pass<int>(p, t)), "are joined from the machine's\n");
  };
  if (local::best_instructions() == local::instructions::portable) return;
  const bool can = local::best_instructions() == local::instructions::avx512;
  CHECK(joins(local::best_instructions(), local::second_level_tiles(), bit_reversal(24)) == can);
  CHECK_FALSE(joins(local::best_instructions(), local::one_length_tiles(), bit_reversal(24)));
  if (can)
    CHECK_FALSE(joins(local::instructions::avx2, local::second_level_tiles(), bit_reversal(24)));
}

TEST_CASE("explain: a target that is not aligned", "[local]") {
  if (local::best_instructions() == local::instructions::portable) return;
  const auto text = [](local::tile_shape const& shape, bool keeps_target = false) {
    local::pass<std::uint8_t> pass(permutation<>(bit_reversal(24)), {.shape = shape});
    pass.write_as(pass.settings().stream_from, keeps_target);
    return explain(pass);
  };
  auto shape = local::fetched_tiles(index_t{1} << 21);
  const bool can = local::best_instructions() == local::instructions::avx512;
  CHECK(contains(text(shape),
                 "aligned: rows of 128 bytes, whose lines are joined in registers, in "
                 "runs of 16384 bytes\n") == can);
  shape.joins_pairs = false;
  CHECK(contains(text(shape),
                 "aligned: rows of 256 bytes, by way of a buffer of 16384 bytes, in "
                 "runs of 16384 bytes\n"));
  CHECK_FALSE(contains(text(shape, true), "to a target that is not aligned"));
}

TEST_CASE("shapes of tiles: the fastest of those that are measured", "[local]") {
  const auto found = local::measured_shape(22);
  const auto cache = local::second_level_cache();
  const auto is_found = [&](local::tile_shape shape) {
    shape.caches_in_place = local::default_shape().caches_in_place;  // not measured,
    shape.direct_lines = local::default_shape().direct_lines;
    shape.direct_alike = local::default_shape().direct_alike;
    shape.alternates_sets = local::default_shape().alternates_sets;  // nor is this,
    shape.joins_pairs = local::default_shape().joins_pairs;          // nor this
    shape.run = local::default_shape().run;
    return found == shape;
  };
  const bool is_one_of_them =
      is_found(local::default_shape()) || is_found(local::one_size_tiles(cache)) ||
      is_found(local::fetched_tiles(cache)) || is_found(local::fetched_tiles(cache / 2)) ||
      is_found(local::fetched_tiles(cache * 2)) || is_found(local::second_level_tiles(cache)) ||
      is_found(local::one_length_tiles(cache));
  CHECK(is_one_of_them);
}

TEST_CASE("shapes of tiles: rows that share a set are copied to a buffer", "[local]") {
  // 64 KiB are 128 rows of 512 single bytes. Reversed, they are 2^19 bytes apart; transposed 2^13:
  // 64 of them have other places among 2^19 bytes.
  const auto shape = local::second_level_tiles(index_t{1} << 20);
  CHECK(is_buffered(0, bit_reversal(26), shape));
  CHECK_FALSE(is_buffered(0, transpose(13, 13), shape));
  CHECK_FALSE(is_buffered(2, bit_reversal(24), shape));  // 32 rows
  CHECK_FALSE(is_buffered(0, bit_reversal(26), local::fetched_tiles(index_t{1} << 20)));
  CHECK(is_buffered(0, transpose(13, 13), {.buffered = true}));
  // Rows of a target that is not aligned do not get shorter than 512 bytes for it.
  local::tuning unaligned;
  for (auto const& of : {shape, local::one_length_tiles(index_t{1} << 20)}) {
    unaligned.shape = of;
    const auto turned = *local::make_line_plan(
        local::on_bytes({transpose(6, 18).matrix(), 0}, 2).matrix, unaligned.shifted_shape());
    CHECK(turned.is_buffered);
    CHECK(turned.lg_row_lines >= 3);
  }
  if (local::best_instructions() == local::instructions::portable) return;

  for (const unsigned alike : {0U, 20U})
    for (const unsigned offset : {0U, 16U, 17U}) {
      local::tuning t;
      t.shape = shape;
      t.shape.alike = alike;
      const auto p = compose(bit_reversal(22), gray_encode(22));
      const local::pass<std::uint8_t> pass(p, t);
      CHECK(contains(explain(pass), alike == 0 ? "copied to a buffer" : "fetched one tile ahead"));
      std::vector<std::uint8_t> source(bit(22)), target(bit(22) + 128);
      for (index_t x = 0; x < bit(22); ++x)
        source[x] = static_cast<std::uint8_t>(x * 0x9e3779b97f4a7c15U >> 56);
      auto* const to = target.data() + (0 - local::address(target.data())) % 64 + offset;
      pass(source.data(), to);
      index_t wrong = 0;
      for (index_t x = 0; x < bit(22); ++x) wrong += to[p(x)] != source[x] ? 1 : 0;
      CHECK(wrong == 0);
    }
}

TEST_CASE("shapes of tiles: rows of both sides are equally long where a shape wants that",
          "[local]") {
  const auto rows = [](unsigned e, permutation<> const& p) {
    const auto plan = *local::make_line_plan(local::on_bytes({p.matrix(), 0}, e).matrix,
                                             local::second_level_tiles(index_t{1} << 20));
    CHECK(plan.lg_tile + local::line_bits == 16);
    return std::pair(bit(plan.row_bits), bit(plan.lg_row_lines + local::line_bits));
  };
  std::mt19937_64 random(5);
  const auto mixed = [&](unsigned n) { return random_permutation(n, random); };
  CHECK(rows(4, mixed(22)) == std::pair<index_t, index_t>(1024, 1024));
  CHECK(rows(3, mixed(23)) == std::pair<index_t, index_t>(512, 1024));
  CHECK(rows(0, mixed(26)) == std::pair<index_t, index_t>(512, 128));  // not 256 and 256
  // 64 KiB are 64 rows of 1024 bytes that lie at one place of a page, not 128 of 512.
  CHECK(rows(2, transpose(12, 12)) == std::pair<index_t, index_t>(1024, 256));
  // 32 rows of 2048 bytes are reversed that lie multiples of 2^19 bytes apart.
  CHECK(rows(2, bit_reversal(24)) == std::pair<index_t, index_t>(2048, 128));
  CHECK(rows(3, bit_reversal(23)) == std::pair<index_t, index_t>(2048, 256));
}

TEST_CASE("shapes of tiles: maps for which rows of one length are short have a form of their own",
          "[local]") {
  const auto shape = local::one_length_tiles(index_t{1} << 20);
  const auto plan = [&](unsigned e, permutation<> const& p, unsigned most_row_bits = 64) {
    return *local::make_line_plan(local::on_bytes({p.matrix(), 0}, e).matrix, shape, most_row_bits);
  };
  // Bytes of a tile, of its source rows, and of its target rows.
  using sizes = std::array<index_t, 3>;
  const auto sizes_of = [](local::line_plan const& p) {
    return sizes{bit(p.lg_tile + local::line_bits), bit(p.row_bits),
                 bit(p.lg_row_lines + local::line_bits)};
  };
  std::mt19937_64 random(5);
  for (int i = 0; i < 5; ++i) {
    CHECK(sizes_of(plan(4, random_permutation(22, random))) == sizes{1 << 16, 1024, 1024});
    CHECK(sizes_of(plan(3, random_permutation(23, random)))[0] == 1 << 16);  // 8 lines
    CHECK(sizes_of(plan(2, random_permutation(24, random)))[0] == 1 << 17);  // 16 lines
    CHECK(sizes_of(plan(0, random_permutation(26, random))) == sizes{1 << 17, 1024, 128});
  }
  CHECK(sizes_of(plan(3, bit_reversal(23))) == sizes{1 << 16, 2048, 256});
  CHECK(sizes_of(plan(1, transpose(19, 6))) == sizes{1 << 14, 4096, 256});  // 32 lines
  CHECK(plan(0, shuffle(26)).lg_row_lines > 1);                             // two lines
  // Register tiles of 16 lines, whose long rows would all be at one place of the target's pages.
  CHECK(sizes_of(plan(2, transpose(12, 12))) == sizes{1 << 16, 1024, 256});
  const auto two_places = compose(swap_bits(24, 5, 20), transpose(12, 12));
  CHECK(sizes_of(plan(2, two_places)) == sizes{1 << 17, 4096, 128});
  // 16 lines again, whose rows of one length would be two lines at one place: four lines, by way of
  // a buffer, since 64 source rows are alike.
  CHECK(sizes_of(plan(2, bit_reversal(24))) == sizes{1 << 17, 2048, 256});
  CHECK(plan(2, bit_reversal(24)).is_buffered);
  CHECK_FALSE(plan(2, transpose(12, 12)).is_buffered);
  CHECK_FALSE(plan(2, transpose(6, 18)).is_buffered);  // at two places and more
  for (unsigned e = 3; e <= 4; ++e) CHECK_FALSE(plan(e, bit_reversal(26 - e)).is_buffered);
  // 32 lines, 64 rows that are alike.
  CHECK(plan(1, bit_reversal(25)).is_buffered);
  CHECK_FALSE(plan(1, bit_reversal(23)).is_buffered);  // 32
  CHECK_FALSE(plan(1, transpose(12, 13)).is_buffered);
  // Tiles that would be copied to a buffer: rows of at most 512 bytes, 128 of them alike.
  CHECK_FALSE(plan(2, bit_reversal(24), 9).is_buffered);
  // Register tiles of 64 lines, twice as many of whose rows may be alike, 64, in rows as long.
  CHECK(plan(0, bit_reversal(26)).is_buffered);
  CHECK(sizes_of(plan(0, bit_reversal(26))) == sizes{1 << 17, 1024, 128});
  CHECK_FALSE(plan(0, bit_reversal(24)).is_buffered);  // 32
  CHECK(plan(0, transpose(7, 21)).is_buffered);
  CHECK_FALSE(plan(0, transpose(6, 20)).is_buffered);  // 64
  CHECK_FALSE(plan(0, transpose(13, 13)).is_buffered);
  auto buffered = shape;
  buffered.buffered = true;
  CHECK(local::make_line_plan(transpose(13, 13).matrix(), buffered)->is_buffered);
  // 32 lines, all target rows at one place of their pages: four lines, not of 128 rows alike.
  CHECK(sizes_of(plan(1, transpose(12, 13))) == sizes{1 << 17, 1024, 256});
  CHECK(sizes_of(plan(1, bit_reversal(23))) == sizes{1 << 17, 1024, 256});
  CHECK(sizes_of(plan(1, bit_reversal(25))) == sizes{1 << 17, 2048, 128});
  CHECK(sizes_of(plan(1, compose(swap_bits(25, 7, 20), transpose(12, 13)))) ==
        sizes{1 << 17, 2048, 128});
  CHECK(sizes_of(plan(0, transpose(13, 13))) == sizes{1 << 17, 1024, 128});  // 64 lines

  // 512 bytes and more that stay together are copied as rows, some in turn; not where a shape
  // copies one row after another, since that reads one page after another.
  auto one_by_one = shape;
  one_by_one.rows_in_turn = 0;
  for (unsigned kept = 9; kept < local::page_bits; ++kept) {
    auto reversed = identity_matrix(26);
    for (unsigned j = kept; j < 26; ++j) reversed.column[j] = bit(25 - j + kept);
    CHECK(plan(0, permutation<>(reversed)).moves_rows);
    CHECK(plan(0, permutation<>(reversed)).row_bits == kept);
    CHECK_FALSE(local::make_line_plan(reversed, one_by_one)->moves_rows);
  }

  local::tuning t;
  t.shape = shape;
  CHECK(t.in_place_shape().tile == 17);
  const auto pairs = local::on_bytes({random_permutation(25, random).matrix(), 0}, 1).matrix;
  CHECK(local::make_line_plan(pairs, t.shifted_shape())->lg_row_lines == 3);  // 512 bytes
  if (local::best_instructions() == local::instructions::portable) return;
  // In memory elements of 8 bytes have rows of one length; of smaller ones few maps do.
  const permutation<> many(random_permutation(22, random));
  CHECK(local::pass<double>(many, t).lines()->lg_row_lines > 1);
  CHECK(local::pass<float>(many, t).lines()->lg_row_lines == 1);
  // Arrays in the caches.
  const local::pass<double> mixed(permutation<>(random_permutation(15, random)), t);
  CHECK(mixed.lines()->row_bits == local::page_bits);
  const local::pass<std::uint16_t> reversal(permutation<>(bit_reversal(17)), t);
  CHECK(reversal.lines()->collects);
  CHECK(reversal.lines()->lg_row_lines == 3);
  const local::pass<float> of_16_lines(permutation<>(bit_reversal(16)), t);
  CHECK_FALSE(of_16_lines.lines()->collects);
  CHECK(of_16_lines.lines()->inner.at(1).target == local::line_bytes);  // page by page
}

TEST_CASE("shapes of tiles: on Zen 4 those for a target that is not aligned grow for short rows",
          "[local]") {
  local::tuning t;
  t.shape = local::second_level_tiles(bit(20));
  std::mt19937_64 random(7);
  const auto plan = [](unsigned e, permutation<> const& map, local::tile_shape const& shape) {
    return *local::make_line_plan(local::on_bytes({map.matrix(), 0}, e).matrix, shape);
  };
  for (int i = 0; i < 5; ++i)
    for (unsigned e = 0; e <= 4; ++e) {
      const auto map = random_permutation(26 - e, random);
      const auto shifted = plan(e, map, t.shifted_shape());
      CHECK(shifted.lg_tile + local::line_bits == (e < 2 ? 17 : 16));
      CHECK(shifted.lg_row_lines >= (e == 0 ? 2 : 3));
      CHECK(shifted.joins_lines == (e >= 2));
    }
  // Lines of a source that is not aligned: few of them, at one place of their pages.
  for (unsigned e = 0; e <= 4; ++e) {
    CHECK(plan(e, transpose(13, 13 - e), t.shape).joins_lines == (e == 2));
    CHECK_FALSE(plan(e, transpose(13, 13 - e), local::one_length_tiles()).joins_lines);
  }
}

TEST_CASE("an identity is right past the caches and in them, aligned or not", "[local]") {
  for (const index_t from : {index_t{0}, ~index_t{0}})
    for (const unsigned offset : {0U, 1U}) {
      local::tuning t;
      t.stream_from = from;
      std::vector<unsigned> source(bit(14) + 32), target(bit(14) + 32);
      for (unsigned i = 0; i < source.size(); ++i) source[i] = i + 1;
      auto* const to = target.data() + (0 - local::address(target.data())) % 64 / 4 + offset;
      local::pass<unsigned>(identity_permutation(14), t)(source.data(), to);
      CHECK(std::equal(to, to + bit(14), source.begin()));
      CHECK(to[bit(14)] == 0);
    }
}

TEST_CASE("shapes of tiles: what is under way finds room in seven second-level caches", "[local]") {
  std::mt19937_64 random(3);
  for (auto const& p : processors) {
    const auto shape = p.shape();
    for (unsigned e = 0; e <= 4; ++e) {
      const unsigned n = 26 - e;
      for (auto const& map : {bit_reversal(n), transpose(n / 2, n - n / 2), shuffle(n),
                              gray_encode(n), random_permutation(n, random)}) {
        const auto plan =
            *local::make_line_plan(local::on_bytes({map.matrix(), 0}, e).matrix, shape);
        // Fetched: the tile that is moved and the next. Buffered: what is fetched ahead.
        const index_t lines = plan.is_buffered ? std::max(shape.lines_ahead, shape.lines_far_ahead)
                                               : 2 * bit(plan.lg_tile);
        const index_t lost = without_way(lines_read(plan, lines), p);
        INFO(p.name << ", " << bit(e) << "-byte elements: " << lost << " of " << lines);
        CHECK(lines * local::line_bytes <= p.bytes() / 4);
        // Two tiles of single bytes have 256 rows at one place of a page, 512 KiB room for 128.
        const bool is_too_small = e == 0 && p.bytes() < index_t{1} << 20;
        CHECK(lost * (is_too_small ? 2 : e <= 1 ? 8 : 50) <= lines);
        // A target that is not aligned takes tiles of twice the size, unless they have one size.
        local::tuning t;
        t.shape = shape;
        const auto shifted =
            *local::make_line_plan(local::on_bytes({map.matrix(), 0}, e).matrix, t.shifted_shape());
        CHECK(bit(shifted.lg_tile + local::line_bits) <=
              p.bytes() / (p.tiles == form::one_size ? 8 : 4));
      }
    }
  }
}
