// SPDX-License-Identifier: BSL-1.0

// Plans for files: that factors are products of the map, that passes are as many as the theorem
// says and no product of fewer exists, and that tiles are whole blocks on both sides.

#include <bmmc/file/explain.hpp>
#include <bmmc/index/catalogue.hpp>
#include <map>
#include <set>
#include <vector>

#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

#ifdef BMMC_TEST_FEWER
constexpr int random_cases = 10;
constexpr std::size_t matrices_between = 199;  // of all matrices of 4 bits, one in so many
constexpr oracle::number most_complements = 2;
#else
constexpr int random_cases = 150;
constexpr std::size_t matrices_between = 1;
constexpr oracle::number most_complements = 8;
#endif

/// The rank of the corner that takes bits below b to bits from b on.
unsigned corner_rank(oracle::matrix const& a, unsigned b) {
  return oracle::rank(oracle::part(a, b, a.rows - b, 0, b));
}
unsigned expected_passes(unsigned rank, unsigned rho) {
  unsigned passes = 1;
  while (passes * rho < rank) ++passes;
  return passes;
}

/// All nonsingular matrices on n bits, by their columns as one number.
std::vector<oracle::matrix> all_nonsingular(unsigned n) {
  std::vector<oracle::matrix> list;
  for (oracle::number word = 0; word < oracle::power(n * n); ++word) {
    oracle::matrix a(n, n);
    for (unsigned k = 0; k < n * n; ++k) a.row[k % n][k / n] = static_cast<char>(word >> k & 1);
    if (oracle::rank(a) == n) list.push_back(a);
  }
  return list;
}

/// A product of the factors, the first one carried out first, is p; each has spread rho at most.
void check_factors(std::vector<permutation<>> const& factors, oracle::affine const& p, unsigned b,
                   unsigned rho) {
  auto product = oracle::unit(p.a.cols);
  oracle::number zero = 0;
  for (auto const& f : factors) {
    const auto map = oracle::read_affine(f);
    product = oracle::times(map.a, product);
    zero = map(zero);
    REQUIRE(corner_rank(map.a, b) <= rho);
    REQUIRE(file::spread_of(f.matrix(), b) == corner_rank(map.a, b));
  }
  REQUIRE(product == p.a);
  REQUIRE(zero == oracle::to_number(p.c));
}

void check_in_place_factors(oracle::affine const& p, unsigned b, unsigned rho) {
  const auto involutions = local::involutions(to_library(p));
  const auto factors = file::split_in_place(to_library(p), involutions, b, rho);
  check_factors(factors, p, b, rho);
  unsigned expected = 0;
  for (auto const& f : involutions)
    expected += expected_passes(corner_rank(oracle::read(f.matrix()), b), rho);
  REQUIRE(factors.size() <= expected);
  // Elements come into their blocks in as few passes as there are, and stay in them then.
  const unsigned rank = corner_rank(p.a, b), within = 4 + 3 + 1;
  REQUIRE(factors.size() <= (rank + rho - 1) / rho + within);
  if (!factors.empty()) REQUIRE(factors.size() >= expected_passes(rank, rho));
  for (auto const& f : factors) REQUIRE(is_identity(compose(f, f)));
}

/// Every index stands once in the tiles, and once in their images; both consist of whole blocks and
/// of runs as long as promised; positions are mapped as indices are.
void check_tiling(file::tiling const& t, unsigned b, unsigned m) {
  const auto target_of = all_targets(oracle::read_affine(t.map()));
  REQUIRE(t.tile_bits() <= m);
  std::vector<char> seen(target_of.size()), filled(target_of.size());
  for (index_t tile = 0; tile < t.tiles(); ++tile) {
    const auto inside = t.inside(tile);
    std::set<index_t> source_blocks, target_blocks;
    for (index_t at = 0; at < t.tile_elements(); ++at) {
      const index_t x = t.source_index(tile, at), y = t.target_index(tile, inside(at));
      REQUIRE((x < seen.size() && y == target_of[x]));
      REQUIRE((!seen[x] && !filled[y]));
      seen[x] = filled[y] = 1;
      source_blocks.insert(x >> b);
      target_blocks.insert(y >> b);
      if (at == 0) continue;
      REQUIRE(x > t.source_index(tile, at - 1));  // as they stand in the file
      REQUIRE(t.target_index(tile, at) > t.target_index(tile, at - 1));
      if (at % bit(t.source_run_bits()) != 0) REQUIRE(x == t.source_index(tile, at - 1) + 1);
      if (at % bit(t.target_run_bits()) != 0)
        REQUIRE(t.target_index(tile, at) == t.target_index(tile, at - 1) + 1);
    }
    REQUIRE(source_blocks.size() << b == t.tile_elements());
    REQUIRE(target_blocks.size() << b == t.tile_elements());
  }
}

/// The bytes that pairs of tiles take in place, counted tile by tile.
file::traffic count_in_place(file::tiling const& t, index_t element_bytes) {
  file::traffic sum;
  const index_t bytes = element_bytes * t.tile_elements();
  for (index_t tile = 0; tile < t.tiles(); ++tile) {
    const index_t other = t.image(tile);
    REQUIRE(t.image(other) == tile);
    const auto inside = t.inside(tile);
    bool stays = other == tile;
    for (index_t at = 0; at < t.tile_elements(); ++at) {
      REQUIRE(t.target_index(tile, at) == t.source_index(other, at));
      stays = stays && inside(at) == at;
    }
    if (stays) continue;
    sum.read += bytes;
    sum.written += bytes;
    if (tile <= other) sum.journal += bytes;
    if (tile <= other) sum.flushes += tile == other ? 2 : 3;
  }
  sum.flushes += 1;
  return sum;
}

void check_plan(oracle::affine const& p, unsigned b, unsigned m, bool in_place) {
  const unsigned n = p.a.cols;
  // Memory for exactly as many tiles as there are at least.
  const file::resources given{
      .memory = bit(m) * (in_place ? 3 : 2), .block = bit(b), .in_place = in_place};
  const auto plan = file::make_plan(to_library(p), 1, given);
  REQUIRE(plan.tile_bits() <= m);
  REQUIRE(plan.tile_bits() + 1 >= m);  // where three tiles are as good as two
  REQUIRE(plan.block_bits() == b);
  REQUIRE(plan.memory() <= given.memory);
  for (auto const& t : plan.passes()) {
    check_tiling(t, b, plan.tile_bits());
    const auto moved = plan.moves(t);
    if (in_place) {
      const auto counted = count_in_place(t, 1);
      REQUIRE((moved.read == counted.read && moved.written == counted.written &&
               moved.journal == counted.journal && moved.flushes == counted.flushes));
    } else {
      REQUIRE((moved.read == bit(n) && moved.written == bit(n) && moved.journal == 0));
    }
  }
  if (!in_place) {
    const unsigned rank = corner_rank(p.a, b);
    REQUIRE(plan.passes().size() == expected_passes(rank, plan.tile_bits() - b));
    REQUIRE(plan.lower_bound() == plan.passes().size());
    REQUIRE(plan.temporary_bytes() == (plan.passes().size() > 1 ? bit(n) : 0));
  }
}

}  // namespace

TEST_CASE("passes: max(1, ceil(r / rho)) for every matrix, and no product of fewer", "[file]") {
  for (unsigned n = 1; n <= 3; ++n) {
    const auto group = all_nonsingular(n);
    for (unsigned b = 0; b <= n; ++b)
      for (unsigned rho = 1; b + rho <= n; ++rho) {
        // Products of one, two, ... matrices that a pass can carry out, found one after another.
        std::map<std::vector<oracle::bits>, unsigned> fewest;
        std::vector<oracle::matrix> pass;
        for (auto const& a : group)
          if (corner_rank(a, b) <= rho) pass.push_back(a);
        std::vector<oracle::matrix> last{oracle::unit(n)};
        for (unsigned factors = 1; !last.empty(); ++factors) {
          std::vector<oracle::matrix> next;
          for (auto const& a : last)
            for (auto const& f : pass)
              if (const auto c = oracle::times(f, a); fewest.emplace(c.row, factors).second)
                next.push_back(c);
          last = next;
        }
        REQUIRE(fewest.size() == group.size());
        for (auto const& a : group) {
          const auto found = file::split(to_library({a, oracle::bits(n, 0)}), b, rho);
          REQUIRE(found.size() == fewest.at(a.row));
        }
      }
  }
}

TEST_CASE("in place: beside the fewest involutions that there are", "[file]") {
  // Of the 168 matrices of 3 bits, how many take so many passes more than the fewest.
  for (const unsigned b : {1U, 2U}) {
    const auto group = all_nonsingular(3);
    std::vector<oracle::matrix> pass;
    for (auto const& a : group)
      if (oracle::times(a, a) == oracle::unit(3) && a != oracle::unit(3)) pass.push_back(a);
    std::map<std::vector<oracle::bits>, std::size_t> fewest{{oracle::unit(3).row, 0}};
    std::vector<oracle::matrix> last{oracle::unit(3)};
    for (std::size_t factors = 1; !last.empty(); ++factors) {
      std::vector<oracle::matrix> next;
      for (auto const& a : last)
        for (auto const& f : pass)
          if (const auto c = oracle::times(f, a); fewest.emplace(c.row, factors).second)
            next.push_back(c);
      last = next;
    }
    std::map<std::size_t, unsigned> more;
    for (auto const& a : group) {
      const auto p = to_library({a, oracle::bits(3, 0)});
      ++more[file::split_in_place(p, local::involutions(p), b, 1).size() - fewest.at(a.row)];
    }
    CHECK(more[0] == 150);
    CHECK(more[1] == 18);
  }
  // Little memory: one factor for each rank that a tile can hold, and a few.
  oracle::generator random(41);
  const auto p = to_library(random_affine(36, random));
  const auto few = file::split_in_place(p, local::involutions(p), 16, 1);
  const unsigned rank = file::spread_of(p.matrix(), 16);
  CHECK(few.size() >= rank);
  CHECK(few.size() <= rank + 5);
  CHECK(file::split_in_place(p, local::involutions(p), 16, 16).size() == 3);
}

TEST_CASE("factors: every matrix of up to 4 bits, every block and tile", "[file]") {
  for (unsigned n = 0; n <= 4; ++n) {
    const auto group = all_nonsingular(n);
    for (std::size_t k = 0; k < group.size(); k += n == 4 ? matrices_between : 1) {
      auto const& a = group[k];
      const oracle::affine p{a, oracle::to_bits(5 % oracle::power(n), n)};
      for (unsigned b = 0; b <= n; ++b)
        for (unsigned rho = 1; rho <= std::max(1U, n - b); ++rho) {
          const auto factors = file::split(to_library(p), b, rho);
          check_factors(factors, p, b, rho);
          REQUIRE(factors.size() == expected_passes(corner_rank(a, b), rho));
          if (n < 4 || k % 7 == 0) check_in_place_factors(p, b, rho);
        }
    }
  }
}

TEST_CASE("factors: random maps of up to 40 bits", "[file]") {
  oracle::generator random(18);
  for (int turn = 0; turn < random_cases; ++turn) {
    const auto n = static_cast<unsigned>(2 + random() % 39);
    const auto b = static_cast<unsigned>(1 + random() % (n - 1));
    const auto rank = static_cast<unsigned>(random() % (std::min(b, n - b) + 1));
    const oracle::affine p{oracle::random_of_rank(n, n - b, rank, random),
                           oracle::to_bits(random() % oracle::power(n), n)};
    REQUIRE(corner_rank(p.a, b) == rank);
    for (const unsigned rho : {1U, 2U, 3U, 7U}) {
      const auto factors = file::split(to_library(p), b, rho);
      check_factors(factors, p, b, rho);
      REQUIRE(factors.size() == expected_passes(rank, rho));
      check_in_place_factors(p, b, rho);
    }
  }
}

TEST_CASE("plans: tiles of every matrix of up to 3 bits, and of random ones", "[file]") {
  for (unsigned n = 1; n <= 3; ++n)
    for (auto const& a : all_nonsingular(n))
      for (unsigned b = 0; b < n; ++b)
        for (unsigned m = b + 1; m <= n; ++m)
          for (oracle::number c = 0; c < std::min(oracle::power(n), most_complements); ++c)
            for (const bool in_place : {false, true})
              check_plan({a, oracle::to_bits(c, n)}, b, m, in_place);
  oracle::generator random(4);
  for (int turn = 0; turn < 2 * random_cases; ++turn) {
    const auto n = static_cast<unsigned>(2 + random() % 9);
    const auto b = static_cast<unsigned>(random() % n);
    const auto m = static_cast<unsigned>(b + 1 + random() % (n - b));
    check_plan(random_affine(n, random), b, m, turn % 2 == 0);
    check_plan(oracle::read_affine(bit_reversal(n)), b, m, turn % 2 == 0);
    check_plan(oracle::read_affine(flip(n, n - 1)), b, m, true);
    check_plan(oracle::read_affine(cnot(n, n - 1, 0)), b, m, true);
    check_plan(oracle::read_affine(cnot(n, 0, n - 1)), b, m, true);
  }
}

TEST_CASE("plans: the block is chosen by what requests cost", "[file]") {
  const auto p = bit_reversal(37);  // 1 TiB of doubles
  const index_t gib = index_t{1} << 30;
  const auto one = file::make_plan(p, 8, {.memory = gib});
  CHECK(one.passes().size() == 1);
  CHECK(one.buffers() == 4);
  CHECK(one.block_bytes() == 32768);
  // 256 MiB allow blocks of 16 KiB in one pass with four tiles, of 32 KiB with two.
  CHECK(file::make_plan(p, 8, {.memory = gib / 4}).block_bytes() == 32768);
  CHECK(file::make_plan(p, 8, {.memory = gib / 4}).passes().size() == 1);
  // On a disk that hates small requests more passes with large blocks are better.
  const auto more =
      file::make_plan(p, 8, {.memory = gib / 4, .costs = {.request = index_t{1} << 20}});
  CHECK(more.passes().size() > 1);
  CHECK(more.block_bytes() >= 1 << 20);
  CHECK(more.temporary_bytes() == more.bytes());
  // What fits into memory is one tile, read and written from end to end.
  const auto small = file::make_plan(bit_reversal(20), 8, {.memory = gib});
  CHECK(small.passes().size() == 1);
  CHECK(small.passes()[0].tiles() == 1);
  CHECK(small.moves().requests == 2);
  // Elements of three bytes have blocks that are pages as well.
  CHECK(file::make_plan(bit_reversal(30), 24, {.memory = gib}).block_bytes() % 4096 == 0);
  CHECK(file::make_plan(bit_reversal(30), 3, {.memory = gib}).block_bytes() % 4096 == 0);
  // In place
  const file::resources in_place{.memory = gib, .in_place = true};
  CHECK(file::make_plan(p, 8, in_place).passes().size() == 1);
  CHECK(file::make_plan(identity_permutation(30), 8, in_place).passes().empty());
  CHECK(file::make_plan(shuffle(37), 8, in_place).passes().size() == 2);
}

TEST_CASE("plans: in place waiting for the disk counts", "[file]") {
  // With little memory tiles are small, and a plan waits for the disk again and again.
  file::resources given{.memory = index_t{1} << 22, .in_place = true};
  const auto p = bit_reversal(25);
  const auto usual = file::make_plan(p, 8, given);
  given.costs.flush = 0;
  const auto free = file::make_plan(p, 8, given);
  CHECK(usual.moves().flushes > 300);
  CHECK(usual.cost() >= free.cost() + static_cast<double>(free.moves().flushes) * (1 << 20));
  // Where it takes long, fewer tiles in memory are larger ones, and waits fewer.
  given.costs.flush = index_t{1} << 24;
  const auto slow = file::make_plan(p, 8, given);
  CHECK(slow.moves().flushes <= usual.moves().flushes);
  CHECK(slow.moves().flushes < free.moves().flushes);
  given.in_place = false;
  CHECK(file::make_plan(p, 8, given).moves().flushes == 0);
}

TEST_CASE("plans: several processes on one disk are not slower than one", "[file]") {
  const index_t gib = index_t{1} << 30;
  const auto alone = file::make_plan(bit_reversal(37), 8, {.memory = gib});
  // With a quarter of the memory blocks would be half as long: one process works for all.
  const auto one = file::make_plan(bit_reversal(37), 8, {.memory = gib, .processes = 4});
  CHECK(one.processes() == 1);
  CHECK(one.block_bytes() == alone.block_bytes());
  CHECK(file::explain(one).find("by 1 of 4 processes") != std::string::npos);
  // A disk for each is worth more than long blocks.
  const auto all =
      file::make_plan(bit_reversal(37), 8, {.memory = gib, .processes = 4, .disks = 4});
  CHECK(all.processes() == 4);
  CHECK(all.memory() <= gib);
  CHECK(all.tile_bytes() <= gib / 8);
  // Where it costs nothing all work.
  CHECK(file::make_plan(flip(37, 36), 8, {.memory = gib, .processes = 4}).processes() == 4);

  oracle::generator random(31);
  for (int turn = 0; turn < random_cases / 10; ++turn) {
    const auto n = static_cast<unsigned>(16 + random() % 8);
    const auto p = turn % 3 == 0 ? bit_reversal(n) : to_library(random_affine(n, random));
    file::resources given{.memory = bit(18) * (1 + random() % 100), .in_place = turn % 2 == 0};
    const auto plan_for = [&](unsigned processes, unsigned disks) {
      given.processes = processes;
      given.disks = disks;
      return file::make_plan(p, 8, given);
    };
    const double cost = plan_for(1, 1).cost();
    for (const unsigned processes : {2U, 4U, 16U}) {
      const auto plan = plan_for(processes, 1);
      REQUIRE(plan.cost() <= cost * 1.04);
      REQUIRE(plan.memory() <= given.memory);
      for (auto const& t : plan.passes()) REQUIRE(t.tiles() >= plan.processes());
      REQUIRE(plan_for(processes, processes).cost() <= plan.cost() * 1.04);
    }
  }
}

TEST_CASE("plans: what cannot be, and how it is explained", "[file]") {
  const auto p = bit_reversal(20);
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 8, {.memory = 8192}), "8192 bytes of memory",
                  "2 tiles");
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 8, {.memory = 8192, .in_place = true}), "3 tiles");
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 8, {.block = 24}), "24 bytes", "2^k elements");
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 0, {}), "0 bytes");
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 8, {.processes = 3}), "power of two, not 3");
  CHECK_COMPLAINS(bad_value, file::make_plan(p, 8, {.disks = 0}), "0 disks");
  CHECK_COMPLAINS(bad_value, file::make_plan(bit_reversal(62), 8, {}), "2^62");
  CHECK(file::make_plan(p, 8, {.memory = 16384}).passes().size() > 1);

  const auto text = file::explain(file::make_plan(bit_reversal(30), 8));
  for (auto const* part :
       {"1073741824 elements (2^30) of 8 bytes, 8 GiB, to another file",
        "memory 1 GiB: 4 tiles of at most 256 MiB", "pass 1: 32 tiles of 256 MiB",
        "8 GiB read, 8 GiB written", "0 bytes of temporary space", "has less than 1 pass"}) {
    INFO(text << "\n" << part);
    CHECK(text.find(part) != std::string::npos);
  }
  const file::resources in_place{.in_place = true};
  CHECK(file::explain(file::make_plan(identity_permutation(9), 8, in_place)).find("nothing") !=
        std::string::npos);
  CHECK(file::explain(file::make_plan(bit_reversal(30), 8, in_place)).find("into the journal") !=
        std::string::npos);
  CHECK(file::bytes_text(0) == "0 bytes");
  CHECK(file::bytes_text(134217728) == "128 MiB");
  CHECK(file::bytes_text(1600) == "1.56 KiB");
}
