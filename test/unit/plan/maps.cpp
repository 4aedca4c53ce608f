// SPDX-License-Identifier: BSL-1.0

// Maps that need not be onto or one to one: echelon bases, plans and their traffic, local loops.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/maps.hpp>
#include <bmmc/local/fold.hpp>
#include <bmmc/local/spread.hpp>
#include <bmmc/plan/map_plan.hpp>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/singular.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

#ifdef BMMC_TEST_FEWER
constexpr unsigned random_cases = 200;
#else
constexpr unsigned random_cases = 2000;
#endif

/// Which image addresses each domain process needs of each image process, element by element.
using needs = std::map<std::pair<index_t, index_t>, std::set<index_t>>;

needs count_needs(oracle::affine const& map, unsigned p, oracle::layout const& domain,
                  oracle::layout const& image) {
  needs found;
  for (index_t y = 0; y < oracle::power(map.a.cols); ++y) {
    const auto home = image(map.a.rows, p, map(y));
    found[{domain(map.a.cols, p, y).proc, home.proc}].insert(home.offset);
  }
  return found;
}

traffic counted(needs const& found, index_t proc, bool of_domain) {
  traffic t;
  for (auto const& [pair, offsets] : found) {
    if ((of_domain ? pair.first : pair.second) != proc || pair.first == pair.second) continue;
    ++t.messages;
    t.elements += offsets.size();
  }
  return t;
}

/// What the domain's partners say against what is needed: each block is exactly what one image
/// process has, partners ascend by exclusive or, and both sides name the same pairs.
void check_blocks(map_plan const& p, needs const& found) {
  std::set<std::pair<index_t, index_t>> of_domain, of_image;
  for (index_t d = 0; d < p.procs(); ++d) {
    const auto owners = p.of_domain(d);
    const auto list = p.list(d);
    std::vector<index_t> places(p.list_elements(), ~index_t{0});  // address by place in the list
    for (index_t o = 0; o < p.domain_elements(); ++o)
      places.at(list(o)) = p.physical()(d * p.domain_elements() + o);
    REQUIRE(std::is_sorted(places.begin(), places.end()));
    REQUIRE(places.back() != ~index_t{0});
    for (index_t s = 0; s < owners.count; ++s) {
      const index_t c = owners.procs(s);
      REQUIRE((s == 0 || (c ^ d) > (owners.procs(s - 1) ^ d)));
      of_domain.insert({d, c});
      std::set<index_t> offsets;
      for (index_t j = 0; j < p.block_elements(); ++j) {
        const index_t address = places.at(owners.positions(s) + j);
        REQUIRE(address / p.image_elements() == c);
        offsets.insert(address % p.image_elements());
      }
      REQUIRE(offsets == found.at({d, c}));
    }
  }
  for (index_t c = 0; c < p.procs(); ++c) {
    const auto users = p.of_image(c);
    std::set<index_t> seen, all;
    for (index_t t = 0; t < users.count; ++t) {
      const index_t d = users.procs(t), z = users.positions(t);
      REQUIRE((t == 0 || (c ^ d) > (users.procs(t - 1) ^ c)));
      of_image.insert({d, c});
      REQUIRE(p.is_first(t) == seen.insert(z).second);
      const auto region = p.region(users);
      const index_t place = p.place_in_region(z);
      std::vector<index_t> offsets;
      for (index_t j = 0; j < p.block_elements(); ++j) {
        offsets.push_back(z ^ p.block() * j);
        REQUIRE(region(place + j) == offsets.back());
      }
      REQUIRE(std::is_sorted(offsets.begin(), offsets.end()));
      all.insert(offsets.begin(), offsets.end());
      REQUIRE(std::set(offsets.begin(), offsets.end()) == found.at({d, c}));
    }
    if (users.count != 0) REQUIRE(all.size() == p.region_elements());
  }
  REQUIRE(of_domain == of_image);
  REQUIRE(of_domain.size() == found.size());
}

/// All figures of both plans of a map, domain and image in the given layouts.
void check_map(oracle::affine const& map, unsigned p, int domain_kind, int image_kind,
               bool with_blocks) {
  const unsigned m = map.a.cols, n = map.a.rows;
  const auto domain = singular::named_layout(domain_kind, m, p),
             image = singular::named_layout(image_kind, n, p);
  const affine_map ours{to_library(map.a), oracle::to_number(map.c)};
  const auto gather = make_gather_plan(ours, layout::between{image.policy, domain.policy}, bit(p));
  const auto reduce = make_reduce_plan(ours, layout::between{domain.policy, image.policy}, bit(p));
  REQUIRE(static_cast<map_plan const&>(gather) == static_cast<map_plan const&>(reduce));
  const auto found = count_needs(map, p, domain.expected, image.expected);
  bool local = true;
  for (index_t k = 0; k < bit(p); ++k) {
    REQUIRE(gather.received(k) == counted(found, k, true));
    REQUIRE(gather.sent(k) == counted(found, k, false));
    REQUIRE(reduce.received(k) == gather.sent(k));
    REQUIRE(reduce.sent(k) == gather.received(k));
    local = local && gather.received(k).messages == 0;
  }
  REQUIRE(gather.is_local() == local);
  REQUIRE(gather.source_elements() == bit(n - p));
  REQUIRE(gather.target_elements() == bit(m - p));
  REQUIRE(reduce.source_elements() == bit(m - p));
  REQUIRE(reduce.target_elements() == bit(n - p));
  if (with_blocks) check_blocks(gather, found);
}

}  // namespace

TEST_CASE("echelon bases and kernels, against all vectors", "[echelon]") {
  oracle::generator random(1);
  for (unsigned turn = 0; turn < 300; ++turn) {
    const auto a = singular::random_matrix(1 + turn % 7, (turn / 7) % 8, random);
    const auto ours = to_library(a);
    const auto space = column_space(ours);
    std::set<index_t> spanned, solutions;
    for (index_t x = 0; x < oracle::power(a.cols); ++x) {
      const index_t y = oracle::to_number(oracle::times(a, oracle::to_bits(x, a.cols)));
      spanned.insert(y);
      if (y == 0) solutions.insert(x);
    }
    std::vector<index_t> listed, zeros;
    for (index_t t = 0; t < bit(space.dimension()); ++t) {
      listed.push_back(space.vectors * t);
      CHECK(space.coordinates(listed.back()) == t);
    }
    CHECK(listed == std::vector<index_t>(spanned.begin(), spanned.end()));  // in ascending order
    const auto null = kernel(ours);
    for (index_t t = 0; t < bit(null.dimension()); ++t) zeros.push_back(null.vectors * t);
    CHECK(zeros == std::vector<index_t>(solutions.begin(), solutions.end()));
    for (index_t x = 0; x < bit(a.rows); ++x) {
      index_t least = x;
      for (const index_t v : spanned) least = std::min(least, x ^ v);
      CHECK(space.least(x) == least);
    }
  }
  CHECK(extract_bits(0b10110100, 0b11100110) == 0b10110);
  CHECK(extract_bits(~index_t{0}, bit(63) | 1) == 3);
}

TEST_CASE("maps that drop bits or axes", "[maps]") {
  const auto drop = drop_bits(5, 1, 2);
  CHECK(drop.matrix.rows() == 3);
  for (index_t x = 0; x < 32; ++x) CHECK(drop(x) == x / 8 * 2 + x % 2);
  CHECK(drop_bits(5, 0, 5).matrix == bit_matrix<>(0, 5));
  CHECK(drop_bits(5, 5, 0) == as_map(identity_permutation(5)));
  // an array of 2 x 8 x 4: the index of (i, j, k) is 32 i + 4 j + k
  const auto middle = drop_axes({1, 3, 2}, {1}), outer = drop_axes({1, 3, 2}, {2, 0});
  for (index_t x = 0; x < 64; ++x) {
    CHECK(middle(x) == x / 32 * 4 + x % 4);
    CHECK(outer(x) == x / 4 % 8);
  }
  CHECK(outer.matrix.rows() == 3);
  CHECK_COMPLAINS(bad_value, drop_bits(5, 4, 2), "bits 4 .. 4 + 2 - 1", "5 bits");
  CHECK_COMPLAINS(bad_value, drop_bits(64, 0, 1), "64 bits");
  CHECK_COMPLAINS(bad_value, drop_axes({2, 2}, {2}), "no axis 2 among 2");
  CHECK_COMPLAINS(bad_value, drop_axes({40, 24}, {0}), "more than 2^63");
}

TEST_CASE("traffic of all maps of 3 bits to 3 bits is the least there is", "[map_plan]") {
  oracle::generator random(3);
  for (index_t word = 0; word < 512; ++word) {
    oracle::affine map{oracle::matrix(3, 3), {}};
    for (unsigned i = 0; i < 9; ++i) map.a.row[i / 3][i % 3] = static_cast<char>(word >> i & 1);
    for (index_t c = 0; c < 8; ++c) {
      map.c = oracle::to_bits(c, 3);
      for (unsigned p = 0; p <= 3; ++p) {
        check_map(map, p, 0, 0, true);
        check_map(map, p, static_cast<int>(random() % 6), static_cast<int>(random() % 6), false);
      }
    }
  }
}

TEST_CASE("traffic of random maps of any size and rank is the least there is", "[map_plan]") {
  oracle::generator random(4);
  for (unsigned turn = 0; turn < random_cases; ++turn) {
    const auto n = static_cast<unsigned>(random() % 10), m = static_cast<unsigned>(random() % 10);
    const auto p = static_cast<unsigned>(random() % (std::min(n, m) + 1));
    check_map(singular::random_map(n, m, random), p, static_cast<int>(random() % 6),
              static_cast<int>(random() % 6), true);
  }
}

TEST_CASE("plans of maps are constant expressions, to 63 bits", "[map_plan]") {
  constexpr layout::processor_major major;
  // sums over the middle axis of 2^20 x 2^10 x 2^12 elements, the first axis split over 2^10
  constexpr auto sums = make_reduce_plan(drop_axes({20, 10, 12}, {1}), major, 1024);
  CHECK(sums.is_local());
  // over the first axis: each process has something to add on every process
  constexpr auto far = make_reduce_plan(drop_axes({20, 10, 12}, {0}), major, 1024);
  CHECK(far.received(5) == traffic{1023, 1023 * bit(22 - 10)});
  CHECK(far.sent(5) == far.received(5));
  const auto most = make_gather_plan(drop_bits(63, 0, 62), major, 2);
  CHECK(most.received(0) == traffic{0, 0});
  CHECK(most.is_local());
}

TEST_CASE("plans of maps that are none", "[map_plan]") {
  const layout::processor_major major;
  CHECK_COMPLAINS(bad_value, make_gather_plan(drop_bits(4, 0, 2), major, 8),
                  "2^2 elements cannot be spread over 2^3");
  CHECK_COMPLAINS(bad_value, make_reduce_plan({bit_matrix<>(5, 2), 0}, major, 8), "2^2 elements");
  CHECK_COMPLAINS(bad_value, make_reduce_plan(drop_bits(4, 0, 1), major, 3), "power of two, not 3");
  CHECK_COMPLAINS(bad_value, make_gather_plan({bit_matrix<>(2, 3), 4}, major, 1), "complement 4",
                  "2 bits");
  CHECK_COMPLAINS(bad_value, make_gather_plan({bit_matrix<>(2, {1, 5}), 0}, major, 1), "column 1");
  CHECK_COMPLAINS(bad_value, make_gather_plan({bit_matrix<>(2, 64), 0}, major, 1), "63 bits");
  CHECK_COMPLAINS(bad_value, make_gather_plan(drop_bits(6, 0, 2), layout::banded(3), 4),
                  "do not fit into 4 bits");
}

TEST_CASE("run walks go through any part of a map, run by run", "[runs]") {
  oracle::generator random(5);
  for (unsigned turn = 0; turn < 500; ++turn) {
    auto map = singular::random_map(6, 5, random);
    const auto kept = static_cast<unsigned>(random() % 6);
    for (unsigned i = 0; i < kept; ++i)  // the low bits stay, and nothing is added to them
      for (unsigned j = 0; j < 5; ++j) map.a.row[i][j] = i == j, map.c[i] = 0;
    for (unsigned i = kept; i < 6; ++i)
      for (unsigned j = 0; j < kept; ++j) map.a.row[i][j] = 0;
    const local::run_walk walk({to_library(map.a), oracle::to_number(map.c)});
    CHECK(walk.q >= kept);
    const index_t first = random() % 32, count = 1 + random() % (32 - first);
    index_t next = first;
    walk.for_each(first, count, [&](index_t x, index_t y, index_t length) {
      CHECK(x == next);
      CHECK(length <= bit(walk.q));
      for (index_t i = 0; i < length; ++i) CHECK(map(x + i) == y + i);
      next += length;
    });
    CHECK(next == first + count);
  }
}

TEMPLATE_TEST_CASE("spreads of whole lines: parts of a source, and elements wanted again",
                   "[spread]", std::uint8_t, double) {
  oracle::generator random(16);
  const auto element = [](index_t x) { return static_cast<TestType>(x * 2654435761U >> 11); };
  const unsigned line = local::line_bits - local::shape_of<TestType>.lg_size, n = 14;
  for (unsigned again = 0; again < 3; ++again)
    for (unsigned more = 0; more < 3; ++more) {
      // x -> E S x: S invertible, then its highest `again` bits left out, then a space with lines
      const auto first = to_library(oracle::random_nonsingular(n, random));
      bit_matrix<> rest(n - again, n), part(n - again + more, n - again);
      for (unsigned j = 0; j < n; ++j) rest.column[j] = first.column[j] & low_bits(n - again);
      for (unsigned j = 0; j < n - again; ++j)
        part.column[j] =
            bit(j < line ? j : j + more) ^ (j < line ? 0 : bit(line + more) - bit(line));
      const affine_map map{part * rest, random() % bit(n - again + more)};
      const auto source = std::make_unique<TestType[]>(bit(map.matrix.rows())),
                 target = std::make_unique<TestType[]>(bit(n));
      for (index_t x = 0; x < bit(map.matrix.rows()); ++x) source[x] = element(x);
      local::spread<TestType> spread(map);
      for (unsigned turn = 0; turn < 2; ++turn) {
        spread(source.get(), target.get());
        bool right = true;
        for (index_t x = 0; x < bit(n); ++x) right = right && target[x] == element(map(x));
        CHECK(right);
        std::fill_n(target.get(), bit(n), TestType{});
      }
      if (local::tuning{}.use != local::instructions::portable) CHECK(spread.has_lines());
    }
}

TEMPLATE_TEST_CASE("spreads and folds of maps that tear lines apart go by pieces", "[spread][fold]",
                   std::uint8_t, double, bool) {
  oracle::generator random(23);
  const auto element = [](index_t x) {
    return static_cast<TestType>(x * 2654435761U >> 11 & 0x7f);
  };
  auto op = [](TestType a, TestType b) {  // neither associative nor commutative
    return static_cast<TestType>(std::is_same_v<TestType, bool> ? !a || b : a / 2 + b);
  };
  const unsigned n = 14;
  local::tuning t;
  t.shape.tile = 11;  // bytes of a piece, as a power of two
  for (unsigned turn = 0; turn < 12; ++turn) {
    // x -> F S x: S invertible, its highest bits left out, F to some places in a larger array
    const unsigned rank = n - turn % 3, rows = rank + turn % 4;
    const auto first = to_library(oracle::random_nonsingular(n, random)),
               second = to_library(oracle::random_nonsingular(rows, random));
    affine_map map{{rows, n}, random() % bit(rows)};
    for (unsigned j = 0; j < n; ++j)
      map.matrix.column[j] = second * (first.column[j] & low_bits(rank));
    const auto image = std::make_unique<TestType[]>(bit(rows)),
               domain = std::make_unique<TestType[]>(bit(n));
    for (index_t y = 0; y < bit(rows); ++y) image[y] = element(y);
    local::spread<TestType> spread(map, t);
    for (unsigned call = 0; call < 2; ++call) {
      std::fill_n(domain.get(), bit(n), TestType{});
      spread(image.get(), domain.get());
      bool right = true;
      for (index_t x = 0; x < bit(n); ++x) right = right && domain[x] == element(map(x));
      CHECK(right);
    }
    if (t.use != local::instructions::portable) CHECK(spread.has_lines());

    for (index_t x = 0; x < bit(n); ++x) domain[x] = element(x + turn);
    const auto sums = std::make_unique<TestType[]>(bit(rows));
    const auto is_reached = std::make_unique<bool[]>(bit(rows));
    for (index_t x = 0; x < bit(n); ++x) {
      TestType& sum = sums[map(x)];
      sum = std::exchange(is_reached[map(x)], true) ? op(sum, domain[x]) : domain[x];
    }
    local::fold<TestType> fold(map, t);
    for (unsigned call = 0; call < 2; ++call) {
      for (index_t y = 0; y < bit(rows); ++y) image[y] = element(y);
      fold(domain.get(), image.get(), op);
      bool right = true;
      for (index_t y = 0; y < bit(rows); ++y)
        right = right && image[y] == (is_reached[y] ? sums[y] : element(y));
      CHECK(right);
    }
  }
}

TEMPLATE_TEST_CASE("local spreads and folds of random maps", "[spread][fold]", std::uint8_t, double,
                   std::string, bool) {
  oracle::generator random(6);
  const auto element = [](index_t x) {
    if constexpr (std::is_same_v<TestType, std::string>)
      return std::to_string(x) + ' ';
    else if constexpr (std::is_same_v<TestType, bool>)
      return x * 0x9e3779b97f4a7c15U >> 63 != 0;
    else
      return static_cast<TestType>(static_cast<double>(x % 100) / 3);
  };
  const auto op = [](TestType const& a, TestType const& b) {  // neither associative nor commutative
    if constexpr (std::is_same_v<TestType, std::string>)
      return a + b;
    else if constexpr (std::is_same_v<TestType, bool>)
      return !a || b;
    else
      return static_cast<TestType>(a / 2 + b);
  };
  for (unsigned turn = 0; turn < random_cases / 2; ++turn) {
    const auto m = static_cast<unsigned>(random() % 12);
    const auto map = turn % 2 == 0
                         ? singular::random_map(static_cast<unsigned>(random() % 12), m, random)
                         : singular::random_axes(m, random);
    const unsigned n = map.a.rows;
    const affine_map ours{to_library(map.a), oracle::to_number(map.c)};
    const auto image = std::make_unique<TestType[]>(bit(n)),
               domain = std::make_unique<TestType[]>(bit(m));
    for (index_t x = 0; x < bit(n); ++x) image[x] = element(x);
    local::spread<TestType> spread(ours), often(ours, local::tuning{}.from_memory());
    spread(image.get(), domain.get());
    bool right = true;
    for (index_t y = 0; y < bit(m); ++y) right = right && domain[y] == element(map(y));
    CHECK(right);
    for (auto const& t : {local::tuning{}.past_caches(), local::tuning{}}) {
      std::fill_n(domain.get(), bit(m), TestType{});
      often.write_as(t.stream_from, t.keeps_target);
      often(image.get(), domain.get());
      right = true;
      for (index_t y = 0; y < bit(m); ++y) right = right && domain[y] == element(map(y));
      CHECK(right);
    }

    for (index_t x = 0; x < bit(m); ++x) domain[x] = element(x);
    std::map<index_t, TestType> sums;
    for (index_t x = 0; x < bit(m); ++x) {
      const index_t y = map(x);
      if (const auto at = sums.find(y); at != sums.end())
        at->second = op(at->second, element(x));
      else
        sums[y] = element(x);
    }
    local::fold<TestType> fold(ours);
    auto combine = op;
    fold(domain.get(), image.get(), combine);
    right = true;
    for (index_t y = 0; y < bit(n); ++y)
      right = right && image[y] == (sums.contains(y) ? sums[y] : element(y));
    CHECK(right);
    local::fold<TestType> folds_often(ours, local::tuning{}.from_memory());
    for (auto const& t : {local::tuning{}.past_caches(), local::tuning{}}) {
      for (index_t y = 0; y < bit(n); ++y) image[y] = element(y);
      folds_often.write_as(t.stream_from, t.keeps_target);
      folds_often(domain.get(), image.get(), combine);
      right = true;
      for (index_t y = 0; y < bit(n); ++y)
        right = right && image[y] == (sums.contains(y) ? sums[y] : element(y));
      CHECK(right);
    }
  }
}
