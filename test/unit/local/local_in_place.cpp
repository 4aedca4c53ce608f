// SPDX-License-Identifier: BSL-1.0

#include <algorithm>
#include <array>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/lines/cache_order.hpp>
#include <bmmc/local/lines/make_pair_plan.hpp>
#include <bmmc/local/lines/pair_walk.hpp>
#include <memory>
#include <string>
#include <tuple>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;
using local::instructions;

namespace {

/// The factors are involutions, and one after another they are p.
unsigned check_factors(permutation<> const& p) {
  const auto list = local::involutions(p);
  oracle::matrix product = oracle::unit(p.bits());
  for (auto const& f : list) {
    const auto map = oracle::read_affine(f);
    REQUIRE(oracle::times(map.a, map.a) == oracle::unit(p.bits()));
    REQUIRE(map(map(0)) == 0);
    REQUIRE_FALSE(is_identity(f));
    product = oracle::times(map.a, product);
  }
  REQUIRE(product == oracle::read(p.matrix()));
  oracle::number zero = 0;
  for (auto const& f : list) zero = oracle::read_affine(f)(zero);
  REQUIRE(zero == p.complement());
  return list.size();
}

template <class T>
void check_in_place(permutation<> const& p, local::tuning const& t, std::size_t offset) {
  oracle::generator random(p.bits());
  guarded_bytes data(bit(p.bits()) * sizeof(T), offset);
  data.randomize(random);
  const std::vector<unsigned char> before(data.data(), data.data() + bit(p.bits()) * sizeof(T));
  const auto targets = all_targets(oracle::read_affine(p));
  local::in_place_pass<T>(p, t)(data.as<T>());
  bool right = true;
  for (index_t x = 0; x < bit(p.bits()); ++x)
    right &=
        std::memcmp(data.data() + targets[x] * sizeof(T), &before[x * sizeof(T)], sizeof(T)) == 0;
  INFO(sizeof(T) << "-byte elements, n = " << p.bits() << ", offset " << offset);
  REQUIRE(right);
  REQUIRE(data.intact());
}

std::vector<permutation<>> samples(unsigned n, oracle::generator& random) {
  std::vector<permutation<>> list{identity_permutation(n), bit_reversal(n), gray_decode(n),
                                  shuffle(n), vector_reversal(n)};
  for (int i = 0; i < 5; ++i) list.push_back(to_library(random_affine(n, random)));
  return list;
}

}  // namespace

TEST_CASE("involutions: as many as promised", "[local]") {
  oracle::generator random(1);
  unsigned three = 0;
  for (unsigned n = 0; n <= 24; ++n) {
    for (auto const& p : {bit_reversal(n), gray_encode(n), gray_decode(n), vector_reversal(n)})
      CHECK(check_factors(p) <= 3);
    for (unsigned k = 0; k <= n; k += 5) CHECK(check_factors(rotate_bits(n, k)) <= 2);
    for (int i = 0; i < 8; ++i) {
      const unsigned passes = check_factors(to_library(random_affine(n, random)));
      CHECK(passes <= 6);
      three += passes <= 3;
    }
  }
  CHECK(three > 25 * 8 * 2 / 3);
  CHECK(check_factors(identity_permutation(9)) == 0);
  CHECK(check_factors(bit_reversal(9)) == 1);
  // Many short chains: a unipotent matrix of rank n/2 - 1 more than 1, and its like
  bit_matrix<> a = identity_matrix(16);
  for (unsigned j = 4; j < 16; ++j) a.column[j] ^= bit(j - 4);
  CHECK(check_factors(permutation<>(a, 0x1357)) <= 6);
}

TEMPLATE_TEST_CASE("permute_in_place: every size, set and matrix", "[local]", opaque<1>, opaque<2>,
                   opaque<4>, opaque<8>, opaque<16>, opaque<5>, opaque<128>) {
  oracle::generator random(2);
  for (const auto set :
       {instructions::portable, instructions::neon, instructions::avx2, instructions::avx512}) {
    if (!local::available(set)) continue;
    for (unsigned n = 0; n <= 12; ++n)
      for (const auto& [from, caches, direct, alike] :
           {std::tuple(index_t{0}, false, false, 6U), std::tuple(index_t{0}, true, false, 6U),
            std::tuple(index_t{0}, true, true, 6U), std::tuple(index_t{0}, false, false, 0U),
            std::tuple(~index_t{0}, false, false, 6U)}) {
        local::tuning t{set, from};
        t.shape.caches_in_place = caches;
        t.shape.direct_lines = direct ? 4 : 7;
        t.shape.direct_alike = alike;
        const std::size_t offset = sizeof(TestType) * n % 64;
        for (auto const& p : samples(n, random)) {
          check_in_place<TestType>(p, t, offset);
          check_in_place<TestType>(p, t, 0);  // aligned: past the caches
        }
      }
  }
}

TEST_CASE("in place: where register tiles change places where they lie", "[local]") {
  const auto tables = [](unsigned e, permutation<> const& p, local::instructions use, bool direct,
                         index_t stream_from) {
    local::tuning t{use, stream_from};
    t.shape.direct_lines = direct ? 4 : 7;
    t.shape.direct_alike = 6;
    return local::make_involution_tables(p, {bit(e), true}, t);
  };
  constexpr index_t large = index_t{1} << 22;
  for (const auto set : {instructions::neon, instructions::avx2, instructions::avx512})
    for (unsigned e = 0; e <= 4; ++e)
      for (const bool direct : {false, true}) {
        INFO("set " << static_cast<int>(set) << ", elements of 2^" << e << " bytes");
        const auto is_direct = [&](permutation<> const& p, index_t from) {
          const auto pairs = tables(e, p, set, direct, from).pairs;
          CHECK((exchange_bytes(*pairs, local::stores::shifted) == 0) == pairs->is_direct);
          return pairs->is_direct;
        };
        const bool in_memory = direct && set == instructions::avx512;
        CHECK(is_direct(bit_reversal(20 - e), large));
        CHECK(is_direct(vector_reversal(20 - e), large));
        CHECK(is_direct(bit_reversal(22 - e), large) == (in_memory && e <= 2));  // 16 lines
        CHECK_FALSE(is_direct(vector_reversal(22 - e), large));                  // one line
      }
}

TEST_CASE("in place: in the caches small register tiles change places in groups", "[local]") {
  using local::lg_least_group;
  oracle::generator random(11);
  for (unsigned n = 6; n <= 16; ++n) {
    std::vector<permutation<>> maps{permutation<>(flip(n, n - 1)), permutation<>(cnot(n, n - 1, 0)),
                                    permutation<>(swap_bits(n, 0, n - 1))};
    for (int i = 0; i < 4; ++i)
      for (auto const& f : local::involutions(to_library(random_affine(n, random))))
        maps.push_back(f);
    for (auto const& f : maps) {
      const auto plan = *local::make_direct_plan(f.matrix(), lg_least_group);
      local::line_plan const& lines = plan.lines;
      INFO("2^" << n << " bytes, 2^" << lines.lg_lines << " lines");
      const bool in_groups = n >= local::line_bits + lg_least_group;
      CHECK(lines.lg_group == std::max(lines.lg_lines, in_groups ? lg_least_group : 0U));
      CHECK(plan.tiles.count == n - local::line_bits - lines.lg_group);
      CHECK(lines.lg_tiles == plan.tiles.count);
      subspace group;
      for (unsigned j = 0; j < local::line_bits; ++j) group.add(bit(j));
      for (unsigned i = 0; i < lines.lg_group; ++i) CHECK(group.add(lines.source_line[bit(i)]));
      for (index_t v : group.added()) CHECK(group.contains(f.matrix() * v));
    }
  }
}

TEST_CASE("in place: register tiles that lie near to each other are moved one after another",
          "[local]") {
  oracle::generator random(5);
  for (unsigned n = 12; n <= 20; n += 4)
    for (int i = 0; i < 6; ++i) {
      const auto factors = local::involutions(to_library(random_affine(n, random)));
      const auto f = i == 0 ? permutation<>(bit_reversal(n)) : factors[i % factors.size()];
      const auto plan = *local::make_direct_plan(f.matrix());
      const local::register_lines lines(f.matrix());
      CHECK(lines.lg_count == plan.lines.lg_lines);
      CHECK(lines.lg_alike == local::lg_tile_lines_alike(plan.lines));
      subspace covered;
      for (unsigned j = 0; j < local::line_bits; ++j) covered.add(bit(j));
      for (unsigned t = 0; t < plan.lines.lg_lines; ++t)
        covered.add(plan.lines.source_line[bit(t)]);
      unsigned step = 0;
      for (unsigned k = local::line_bits + 1; k <= n; ++k) {  // S(k, k)
        subspace level;
        for (unsigned j = 0; j < k; ++j) level.add(bit(j)), level.add(f.matrix().column[j]);
        while (covered.dimension() < level.dimension())
          REQUIRE(covered.add(plan.lines.outer.at(bit(step++)).source));
        for (index_t v : level.added()) CHECK(covered.contains(v));
      }
      CHECK(step == plan.tiles.count);
    }
}

TEMPLATE_TEST_CASE("in place: many register tiles in memory, at two offsets, by threads", "[local]",
                   opaque<1>, opaque<2>, opaque<4>) {
  oracle::generator random(8);
  const auto e = static_cast<unsigned>(std::countr_zero(sizeof(TestType)));
  for (unsigned n = 14 - e; n <= 17 - e; ++n)
    for (auto const& p : {permutation<>(bit_reversal(n)), to_library(random_affine(n, random))})
      for (const bool direct : {true, false}) {  // else by rows of small tiles
        local::tuning t;
        t.stream_from = 0;
        t.shape.direct_lines = direct ? 1 : 7;
        t.shape.direct_alike = direct ? 6 : 0;
        t.shape.caches_in_place = direct;
        if (!direct) t.shape.tile = 13;
        t.shape.uneven_tile = 0;
        const local::in_place_pass<TestType> pass(p, t);
        const auto targets = all_targets(oracle::read_affine(p));
        for (const std::size_t offset : {std::size_t{0}, std::size_t{16}, sizeof(TestType)})
          for (const int threads : {1, 3}) {
            guarded_bytes data(bit(n) * sizeof(TestType), offset);
            data.randomize(random);
            const std::vector<TestType> before(data.as<TestType>(), data.as<TestType>() + bit(n));
            pass(data.as<TestType>(), local::parallel{threads});
            bool right = data.intact();
            for (index_t x = 0; x < bit(n); ++x)
              right &=
                  std::memcmp(data.as<TestType>() + targets[x], &before[x], sizeof(TestType)) == 0;
            CHECK(right);
          }
      }
}

namespace {

/// Lines in the order in which they are fetched, by number.
struct record_line {
  static inline unsigned char const* array = nullptr;
  static inline std::vector<index_t> lines;
  void operator()(unsigned char const* line) const {
    lines.push_back(static_cast<index_t>(line - array) / local::line_bytes);
  }
};

/// How many lines of all are fetched too late, and how many fetched lines a line waits at most.
struct lead {
  index_t late = 0, longest = 0;
};
template <unsigned R = 0>
lead lead_of(local::pair_plan const& plan, index_t complement, index_t lines) {
  if constexpr (R < local::line_bits)
    if (plan.lines.lg_lines != R) return lead_of<R + 1>(plan, complement, lines);
  record_line::lines.clear();
  local::direct_pair at(plan, plan.lines.start(complement), 0, bit(plan.tiles.count));
  local::pair_fetch<R, record_line> ahead(plan, record_line::array, at, true);
  lead found;
  std::vector<index_t> fetched(lines);  // when, from 1 on
  index_t seen = 0;
  for (index_t done = 0;; ++done) {
    ahead.go_on(done);
    for (; seen < record_line::lines.size(); ++seen) fetched[record_line::lines[seen]] = seen + 1;
    for (unsigned i = 0; i < bit(R); ++i)
      for (const index_t tile : {at.source, at.other_source}) {
        const index_t line = (tile ^ plan.lines.source_line[i]) / local::line_bytes;
        found.late += fetched[line] == 0;
        if (fetched[line] != 0) found.longest = std::max(found.longest, seen + 1 - fetched[line]);
      }
    ahead.fetch(2U << R);
    if (!at.next()) return found;
  }
}

}  // namespace

TEST_CASE("in place: lines are fetched before they are exchanged, but not long before", "[local]") {
  oracle::generator random(9);
  const auto array = local::detail::allocate_pages(bit(22));
  record_line::array = array.get();
  for (unsigned e = 0; e <= 3; ++e) {
    const unsigned n = 22 - e;
    std::vector<permutation<>> maps{bit_reversal(n),
                                    permutation<>(bit_reversal(n).matrix(), bit(0) | bit(n - 1))};
    for (int i = 0; i < 6; ++i)
      for (auto const& f : local::involutions(to_library(random_affine(n, random))))
        maps.push_back(f);
    for (auto const& f : maps) {
      const auto of_bytes = local::on_bytes({f.matrix(), f.complement()}, e);
      const auto plan = *local::make_direct_plan(of_bytes.matrix);
      const index_t lines = bit(22 - local::line_bits);
      const auto found = lead_of(plan, of_bytes.complement, lines);
      INFO("element of 2^" << e << " bytes, 2^" << plan.lines.lg_lines
                           << " lines, late: " << found.late << ", longest: " << found.longest);
      CHECK(found.late <= lines / 16);  // of register tiles whose partners are near
      CHECK(found.longest <= 1280);     // eight pairs of 64 lines, and two that are being fetched
    }
  }
}

TEST_CASE("in place: both lines of 128 bytes are fetched, once, of all pairs but a few",
          "[local]") {
  oracle::generator random(7);
  std::vector<permutation<>> maps{bit_reversal(22), transpose(11, 11)};
  for (int i = 0; i < 3; ++i)
    for (auto const& f : local::involutions(to_library(random_affine(22, random))))
      maps.push_back(f);
  unsigned rows = 0, squares = 0;
  for (auto const& f : maps) {
    const auto plan = *local::make_direct_plan(f.matrix());
    if (!plan.has_rows) continue;
    ++rows;
    if (plan.second_row != 0) ++squares;
    const auto start = plan.start(plan.lines.start(f.complement()));
    std::vector<unsigned> fetched(bit(22) / local::line_bytes);
    for (index_t t = 0; t < bit(plan.tiles.count); t += 2) {
      auto at = plan.tiles.at(t);
      at ^= start;
      if (plan.comes_second(t, at.partner_count, plan.lg_share)) continue;
      const index_t other =
          plan.fetched_partner(at.partner.source, t, at.partner_count, plan.second_row);
      for (unsigned i = 0; i < bit(plan.lines.lg_lines); ++i)
        for (const index_t half : {index_t{0}, local::line_bytes}) {
          const index_t line = plan.lines.source_line[i] ^ half;
          ++fetched[(at.tile.source ^ line) / local::line_bytes];
          if (at.partner_count != t || plan.second_row != 0)
            ++fetched[(other ^ line) / local::line_bytes];
        }
    }
    const auto once = std::count(fetched.begin(), fetched.end(), 1U);
    CHECK(once > 9 * std::ssize(fetched) / 10);  // but for register tiles whose partners are near
  }
  CHECK(rows > 5);
  CHECK(squares > 2);
  // Both lines belong to one register tile.
  CHECK_FALSE(local::make_direct_plan(swap_bits(22, 0, 6).matrix())->has_rows);
}

TEST_CASE("in place: each quarter of the tiles moves a half to three halves of an equal share",
          "[local]") {
  oracle::generator random(6);
  for (unsigned n = 16; n <= 22; n += 3) {
    std::vector<permutation<>> maps{bit_reversal(n)};
    for (unsigned j : {3U, n / 2, n - 1}) {  // x + e_j where bit i is set
      bit_matrix<> a = identity_matrix(n);
      a.column[(j + 5) % n] ^= bit(j);
      maps.emplace_back(a, 0);
    }
    for (int i = 0; i < 4; ++i)
      for (auto const& f : local::involutions(to_library(random_affine(n, random))))
        maps.push_back(f);
    for (auto const& f : maps) {
      const auto plan = *local::make_direct_plan(f.matrix());
      const auto start = plan.start(plan.lines.start(f.complement()));
      const index_t tiles = bit(plan.tiles.count);
      std::array<index_t, 4> moved{};
      index_t all = 0;
      for (index_t t = 0; t < tiles; ++t) {
        auto at = plan.tiles.at(t);
        at ^= start;
        const bool is_second = plan.comes_second(t, at.partner_count, plan.lg_share);
        CHECK((t == at.partner_count ||
               is_second != plan.comes_second(at.partner_count, t, plan.lg_share)));
        const index_t count = is_second ? 0 : t == at.partner_count ? 1 : 2;
        moved[4 * t / tiles] += count;
        all += count;
      }
      CHECK(all == tiles);
      if (tiles >= 16)
        for (const index_t count : moved) CHECK((8 * count >= tiles && 8 * count <= 3 * tiles));
    }
  }
}

TEST_CASE("permute_in_place: spans, workspaces, threads, owners, errors", "[local]") {
  oracle::generator random(3);
  const auto p = to_library(random_affine(12, random));
  for (int variant = 0; variant < 3; ++variant) {
    std::vector<index_t> data(bit(12));
    for (index_t x = 0; x < data.size(); ++x) data[x] = x;
    std::vector<index_t> workspace(bit(8));
    if (variant == 0) local::permute_in_place(std::span(data), p);
    if (variant == 1) local::permute_in_place(std::span(data), p, std::span(workspace));
    if (variant == 2)
      local::permute_in_place(std::span(data), p, std::span<index_t>{}, local::parallel{3});
    bool right = true;
    for (index_t x = 0; x < data.size(); ++x) right &= data[p(x)] == x;
    CHECK(right);
  }
  std::vector<std::unique_ptr<index_t>> owners(bit(12));
  for (index_t x = 0; x < owners.size(); ++x) owners[x] = std::make_unique<index_t>(x);
  local::permute_in_place(std::span(owners), p);
  bool right = true;
  for (index_t x = 0; x < owners.size(); ++x) right &= *owners[p(x)] == x;
  CHECK(right);
  std::vector<int> data(15);
  CHECK_COMPLAINS(bad_value, local::permute_in_place(std::span(data), bit_reversal(4)), "16", "15");
}
