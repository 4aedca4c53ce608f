// SPDX-License-Identifier: BSL-1.0

// Axes of arrays of any extents permuted in one process, against nested loops.

#include <memory>
#include <optional>
#include <random>
#include <string>

#include <bmmc/local/axes/axes_widths.hpp>
#include <bmmc/local/axes/box_memory.hpp>
#include <bmmc/local/axes_in_place.hpp>
#include <bmmc/local/axes_pass.hpp>

#include "support/array_oracle.hpp"
#include "support/arrays.hpp"
#include "support/catch.hpp"
#include "support/some_of.hpp"
#include "support/throws.hpp"

using namespace bmmc;
using local::axes_pass;
using local::axes_tuning;
using local::instructions;
using oracle::positions;

namespace {

constexpr index_t always = 0, never = ~index_t{0};
#ifdef BMMC_TEST_FEWER
constexpr unsigned random_cases = 100;
constexpr index_t most_elements = 100;
constexpr unsigned large_arrays = 4;  // one in so many
#else
constexpr unsigned random_cases = 400;
constexpr index_t most_elements = 300;
constexpr unsigned large_arrays = 1;
#endif

/// Shapes of boxes: that of the machine, and small ones, for which a small array has many boxes.
std::vector<local::box_shape> const shapes{
    {}, {64, 64, 64, 1024, 1280, 0}, {128, 192, 0, 4096, 1280, 512}, {16, 64, 256, 700}};

struct case_of_axes {
  positions extents_;
  std::vector<unsigned> axes;
  positions source_strides, target_strides;  // of either array, in its own order
};
positions dense(positions const& extents_) {
  positions strides(extents_.size());
  std::uint64_t step = 1;
  for (std::size_t k = extents_.size(); k-- > 0; step *= extents_[k]) strides[k] = step;
  return strides;
}
positions permuted(positions const& of, std::vector<unsigned> const& axes) {
  positions result;
  for (const unsigned axis : axes) result.push_back(of[axis]);
  return result;
}
case_of_axes dense_case(positions const& each, std::vector<unsigned> const& axes) {
  return {each, axes, dense(each), dense(permuted(each, axes))};
}
std::uint64_t span_of(positions const& each, positions const& strides) {
  std::uint64_t last = 0;
  for (std::size_t k = 0; k < each.size(); ++k) last += (each[k] - 1) * strides[k];
  return last + 1;
}

local::axes_plan plan_of(case_of_axes const& c, index_t bytes, local::box_shape const& shape) {
  short_list<local::strided_axis> loops;
  for (unsigned k = 0; k < c.axes.size(); ++k)
    loops.push_back(
        {c.extents_[c.axes[k]], c.source_strides[c.axes[k]] * bytes, c.target_strides[k] * bytes});
  return local::make_axes_plan(loops, bytes, shape);
}

/// Every element at its place, nothing else written, the source as it was. Parts in turn, with
/// seed 1 some at a time in another order, with 2 each alone, the last one first.
template <class T>
std::string fault(case_of_axes const& c, axes_tuning const& t, std::size_t source_offset,
                  std::size_t target_offset, unsigned seed = 0) {
  const axes_pass<T> pass(extents(c.extents_), axis_order(c.axes), c.source_strides,
                          c.target_strides, t);
  const auto target_extents = permuted(c.extents_, c.axes);
  const auto from = span_of(c.extents_, c.source_strides),
             to = span_of(target_extents, c.target_strides);
  if (pass.elements() != oracle::product(c.extents_)) return "elements";
  if (pass.source_elements() != from || pass.target_elements() != to) return "spans";
  guarded_bytes source(from * sizeof(T), source_offset), target(to * sizeof(T), target_offset);
  oracle::generator random(from + seed);
  source.randomize(random);
  const std::vector<unsigned char> before(source.data(), source.data() + from * sizeof(T));
  std::vector<unsigned char> expected(to * sizeof(T), guarded_bytes::guard);
  oracle::each_element(c.extents_, [&](positions const& at) {
    std::uint64_t x = 0, y = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      x += at[k] * c.source_strides[k];
      y += at[c.axes[k]] * c.target_strides[k];
    }
    std::memcpy(&expected[y * sizeof(T)], &before[x * sizeof(T)], sizeof(T));
  });
  T const* const s = source.template as<T>();
  T* const d = target.template as<T>();
  if (seed == 0) {
    pass(s, d);
  } else if (seed == 2) {
    for (index_t part = pass.parts(d); part-- > 0;) pass.run(s, d, part, part + 1);
  } else {  // the later half first, then one part, then the others
    const index_t all = pass.parts(d), half = all / 2;
    pass.run(s, d, half, all);
    if (half > 0) pass.run(s, d, 0, 1);
    if (half > 1) pass.run(s, d, 1, half);
  }
  if (std::memcmp(target.data(), expected.data(), expected.size()) != 0) return "target";
  if (std::memcmp(source.data(), before.data(), before.size()) != 0) return "source";
  return target.intact() ? "" : "beyond the target";
}

std::vector<instructions> sets() {
  std::vector<instructions> list;
  for (const auto set :
       {instructions::portable, instructions::neon, instructions::avx2, instructions::avx512})
    if (local::available(set)) list.push_back(set);
  return list;
}
axes_tuning tuning_of(unsigned turn, index_t stream_from) {
  axes_tuning t;
  const auto all = sets();
  t.machine.use = all[turn % all.size()];
  t.machine.stream_from = stream_from;
  t.machine.shape.caches_in_place = turn / 3 % 2 == 0;
  t.shape = shapes[turn / 3 % shapes.size()];
  t.shape.block = turn % 2 == 0 ? 960 : 128;
  t.shape.tables_from = turn % 5 == 0 ? 1000 : 0;
  return t;
}

positions random_extents(std::mt19937_64& random, unsigned order, std::uint64_t most) {
  positions each;
  for (unsigned k = 0; k < order; ++k) {
    const auto room = most / oracle::product(each);
    each.push_back(1 + random() % std::max<std::uint64_t>(1, std::min<std::uint64_t>(room, 70)));
  }
  std::shuffle(each.begin(), each.end(), random);
  return each;
}
std::vector<unsigned> random_axes(std::mt19937_64& random, unsigned order) {
  std::vector<unsigned> axes(order);
  std::iota(axes.begin(), axes.end(), 0U);
  std::shuffle(axes.begin(), axes.end(), random);
  return axes;
}
/// Strides of an array with gaps, its axes in any order in memory.
positions strides_with_gaps(std::mt19937_64& random, positions const& each) {
  positions strides(each.size());
  std::uint64_t step = 1 + random() % 2 * (random() % 3);
  const bool in_order = random() % 2 == 0;
  auto order = random_axes(random, static_cast<unsigned>(each.size()));
  if (in_order) {
    std::sort(order.begin(), order.end());
    std::reverse(order.begin(), order.end());
  }
  for (const unsigned k : order) {
    strides[k] = step;
    step = step * each[k] + (random() % 3 == 0 ? random() % 9 : 0);
  }
  return strides;
}

}  // namespace

TEMPLATE_TEST_CASE("all arrays of up to 300 elements and 4 axes", "[axes]", opaque<1>, opaque<2>,
                   opaque<4>, opaque<8>, opaque<16>, opaque<3>, opaque<12>, opaque<40>) {
  // Of three and four axes one in 64 for each size; BMMC_TEST_EVERY=1 takes all of them, with
  // extents of 1, too.
  some_of larger(64);
  unsigned turn = static_cast<unsigned>(sizeof(TestType));
  for (unsigned order = 0; order <= 4; ++order)
    oracle::each_extents(order, 1, most_elements, [&](positions const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        ++turn;
        if (order > 2 && !larger()) return;
        const auto what = fault<TestType>(dense_case(each, axes),
                                          tuning_of(turn / 8, turn % 3 == 0 ? never : always),
                                          turn % 5 * 8, turn % 7 * 4);
        if (what != "") FAIL(what << ", turn " << turn);
      });
    });
}

TEMPLATE_TEST_CASE("random arrays: many boxes, any address, parts in any order", "[axes]",
                   opaque<1>, opaque<2>, opaque<4>, opaque<8>, opaque<16>, opaque<3>, opaque<12>,
                   opaque<24>, opaque<96>) {
  std::mt19937_64 random(sizeof(TestType));
  for (unsigned turn = 0; turn < random_cases; ++turn) {
    const auto order = static_cast<unsigned>(1 + random() % 6);
    const auto each = random_extents(random, order, 40000 / sizeof(TestType));
    const auto axes = random_axes(random, order);
    auto c = dense_case(each, axes);
    if (turn % 2 == 0) c.source_strides = strides_with_gaps(random, each);
    if (turn % 4 < 2 && turn % 3 == 0)
      c.target_strides = strides_with_gaps(random, permuted(each, axes));
    const auto what = fault<TestType>(c, tuning_of(turn, turn % 7 == 0 ? never : always),
                                      random() % 64, random() % 64, turn % 2);
    if (what != "") FAIL(what << ", turn " << turn);
  }
}

TEMPLATE_TEST_CASE("rows that are whole lines, and others that hardly are", "[axes]", opaque<1>,
                   opaque<2>, opaque<4>, opaque<8>, opaque<16>) {
  std::mt19937_64 random(64 + sizeof(TestType));
  constexpr std::uint64_t line = 64 / sizeof(TestType);
  for (unsigned turn = 0; turn < random_cases; ++turn) {
    const auto order = static_cast<unsigned>(2 + random() % 3);
    auto each = random_extents(random, order, 60000 / sizeof(TestType) / line);
    auto axes = random_axes(random, order);
    const auto last = axes.back();  // the fastest of the target
    each[last] *= turn % 4 == 3 ? line / 2 + 1 : line;
    auto c = dense_case(each, axes);
    if (random() % 2 == 0) {  // rows further apart: by a line, by a few elements, or up to a line
      const auto row = c.target_strides[order - 2];
      const auto more =
          std::array{line, 1 + random() % 3, (line - row % line) % line}[random() % 3];
      for (std::size_t k = 0; k + 1 < order; ++k)
        c.target_strides[k] += c.target_strides[k] / row * more;
    }
    const auto what = fault<TestType>(c, tuning_of(turn, always), random() % 64,
                                      turn % 5 == 4 ? 1 + random() % 63 : 0, turn % 2);
    if (what != "") FAIL(what << ", turn " << turn);
  }
}

TEMPLATE_TEST_CASE("short axes: elements in turn, taken apart and put together", "[axes]",
                   opaque<1>, opaque<2>, opaque<4>, opaque<8>, opaque<3>) {
  std::mt19937_64 random(11 + sizeof(TestType));
  unsigned turn = 0;
  for (std::uint64_t few = 2; few <= 18; ++few)
    for (const std::uint64_t many : {7ULL, 64ULL, 129ULL, 1000ULL + few})
      for (auto const& [each, axes] : std::vector<std::pair<positions, std::vector<unsigned>>>{
               {{many, few}, {1, 0}},
               {{few, many}, {1, 0}},
               {{3, many, few}, {0, 2, 1}},
               {{3, few, many}, {0, 2, 1}},
               {{5, many, few}, {2, 0, 1}},
               {{few, 5, many}, {1, 2, 0}},
               {{many, 2, few}, {1, 2, 0}},
               {{2, few, 5, many}, {3, 0, 2, 1}}}) {
        ++turn;
        auto c = dense_case(each, axes);
        if (random() % 3 == 0) c.source_strides = strides_with_gaps(random, each);
        if (random() % 5 == 0) c.target_strides = strides_with_gaps(random, permuted(each, axes));
        auto t = tuning_of(turn, random() % 2 == 0 ? never : always);
        if (random() % 2 == 0) t.shape = {};
        const auto what = fault<TestType>(c, t, random() % 64, random() % 64, turn % 4 == 0);
        if (what != "") FAIL(what << ", turn " << turn);
      }
}

TEMPLATE_TEST_CASE("few rows whose columns lie apart are gathered", "[axes]", opaque<1>, opaque<2>,
                   opaque<4>, opaque<3>) {
  std::mt19937_64 random(17 + sizeof(TestType));
  unsigned turn = 0;
  for (std::uint64_t rows = 2; rows * sizeof(TestType) <= 18; ++rows)
    for (auto const& [each, axes] : std::vector<std::pair<positions, std::vector<unsigned>>>{
             {{4, 3, 7, 26, rows}, {1, 2, 4, 3, 0}},
             {{13, 3, 11, 5, rows}, {2, 1, 4, 0, 3}},
             {{13, 3, 11, 5, rows}, {4, 2, 1, 0, 3}},
             {{8, 2, 9, 40, 4, rows}, {2, 1, 5, 3, 0, 4}},
             {{17, 11, 29, rows}, {3, 0, 2, 1}},
             {{3, 145, 2, 5, rows}, {4, 0, 2, 1, 3}}}) {
      ++turn;
      auto c = dense_case(each, axes);
      if (random() % 3 == 0) c.source_strides = strides_with_gaps(random, each);
      auto t = tuning_of(turn, always);
      if (turn % 4 != 0) t.shape = {};
      const auto what = fault<TestType>(c, t, random() % 64, random() % 64, turn % 4 == 0);
      if (what != "") FAIL(what << ", turn " << turn);
    }
}

TEST_CASE("boxes of short runs are large, and what is due is fetched", "[axes]") {
  const auto plan = [](short_list<local::strided_axis> const& loops) {
    return local::make_axes_plan(loops, 1, {});
  };
  // 2^20 pixels of three bytes, channels first: 4 KiB of the source are one box.
  const auto apart = plan({{3, 1, 1 << 20}, {1 << 20, 3, 1}});
  CHECK(apart.rows_of_run * apart.row_runs == 3);
  CHECK(apart.cols >= 1300);
  CHECK(plan({{3, 1, 1 << 20}, {1 << 20, 4, 1}}).cols >= 4000);  // of pixels of four
  // and back: three rows of 32 KiB, of which a few are put together at a time
  const auto together = plan({{1 << 20, 1, 3}, {3, 1 << 20, 1}});
  CHECK(together.cols == 3);
  CHECK(together.fastest_of_source() == 0);
  CHECK(together.axes[0].width == 1 << 15);
  CHECK(together.rows_of_run * together.cols <= 1 << 14);
  CHECK(together.piece_bytes() <= (1 << 14) + 256);
  // Records of 20 bytes, moved one by one, are some hundred in a box.
  const auto records = plan({{1 << 10, 20, 20 << 10}, {1 << 10, 20 << 10, 20}, {20, 1, 1}});
  CHECK(records.runs * records.cols * 20 >= 4000);
  // The next box has been asked for when this one has been moved, by calls of few bytes; if this is
  // the last one of its row, and smaller, too.
  const auto rows = plan({{18, 806 * 92, 806}, {92, 806, 18 * 806}, {806, 1, 1}});
  const std::vector<unsigned char> memory(18 * 92 * 806);
  const local::detail::box next(rows, 0);
  for (const index_t all : {next.bytes(rows), next.bytes(rows) / 2, next.bytes(rows) / 7}) {
    local::detail::fetch_ahead ahead(rows, next, all, memory.data(), true);
    for (index_t i = 0; i < all; i += 100) {
      CHECK_FALSE(ahead.is_done());
      ahead.take(std::min<index_t>(100, all - i));
    }
    CHECK(ahead.is_done());
  }
}

TEMPLATE_TEST_CASE("rows that go on within lines, in one box or in several", "[axes]", opaque<4>,
                   opaque<8>, opaque<16>, opaque<2>) {
  std::mt19937_64 random(256 + sizeof(TestType));
  constexpr std::uint64_t least = 256 / sizeof(TestType);
  unsigned straight = 0;
  for (unsigned turn = 0; turn < 2 * random_cases; ++turn) {
    auto order = static_cast<unsigned>(2 + random() % 3);
    auto each = random_extents(random, order, 60);
    auto axes = random_axes(random, order);
    each[axes.back()] = least + random() % (7 * least);
    if (axes.back() != order - 1) each.back() = 1 + random() % 40;  // rows
    if (sizeof(TestType) == 2) {  // pairs are elements of 4 bytes, which may begin anywhere
      each.push_back(2);
      axes.push_back(order++);
    }
    auto c = dense_case(each, axes);
    if (random() % 3 == 0) c.source_strides = strides_with_gaps(random, each);
    if (random() % 3 == 0) c.target_strides = strides_with_gaps(random, permuted(each, axes));
    if (sizeof(TestType) == 2 && turn % 2 == 0) {  // rows by an odd number of halves further apart
      c.target_strides = dense(permuted(each, axes));
      const auto row = c.target_strides[order - 3];
      for (std::size_t k = 0; k + 2 < order; ++k) c.target_strides[k] += c.target_strides[k] / row;
    }
    axes_tuning t = tuning_of(turn, always);
    t.machine.use = local::best_instructions();
    t.shape.target_run = index_t{256} << random() % 3;
    t.shape.target_whole = t.shape.lines_whole = index_t{256} << random() % 3;
    const auto plan = plan_of(c, sizeof(TestType), fitted(t.shape, t.machine.use, true));
    straight += plan.has_columns && !plan.has_lines && plan.boxes > 1 ? 1 : 0;
    const auto offset =
        random() % 4 == 0 ? random() % 64 : random() % 64 / sizeof(TestType) * sizeof(TestType);
    const auto what = fault<TestType>(c, t, random() % 64, offset, turn % 3);
    if (what != "") FAIL(what << ", turn " << turn);
  }
  CHECK(straight > random_cases / 8);
}

TEST_CASE("rows that go on within lines, and end in a box of less than one", "[axes]") {
  // Of 2184 columns the last eight are a box; of 4097 to 4104 the last one to eight. Reversed,
  // boxes follow one another along two axes, and such a one does not end the run.
  axes_tuning past_caches{};
  past_caches.machine.stream_from = always;
  axes_tuning small = past_caches;
  small.shape.source_run = 64;
  small.shape.target_run = 1024;
  small.shape.least = 0;
  unsigned turn = 0;
  const auto check = [&](positions const& each, std::vector<unsigned> const& axes,
                         axes_tuning const& t) {
    const auto c = dense_case(each, axes);
    const auto plan = plan_of(c, sizeof(float), fitted(t.shape, t.machine.use, true));
    const index_t last = plan.fastest().extent % plan.fastest().width;
    CHECK((plan.has_columns && last > 0 && last < 16));
    for (unsigned order = 0; order < 3; ++order, ++turn) {
      const auto what = fault<float>(c, t, 0, turn % 16 * 4, order);
      if (what != "") FAIL(what << ", turn " << turn << ", columns " << each[0]);
    }
  };
  check({2184, 30}, {1, 0}, past_caches);
  for (std::uint64_t columns = 4097; columns <= 4104; ++columns) {
    check({columns, 170}, {1, 0}, past_caches);
    check({columns, 3, 33}, {2, 1, 0}, small);
  }
}

namespace {

/// The plan for dense arrays with the machine's own boxes.
local::axes_plan plan_of(positions const& each, std::vector<unsigned> const& axes, index_t bytes,
                         bool goes_by_lines = false) {
  return plan_of(dense_case(each, axes), bytes, {.goes_by_lines = goes_by_lines});
}

}  // namespace

TEMPLATE_TEST_CASE("a share of the boxes that begins with one of less than a line", "[axes]",
                   opaque<1>, opaque<2>, opaque<4>, opaque<8>) {
  // The box before belongs to another share, so that the runs end in this one, as short as they
  // are.
  axes_tuning t{};
  t.machine.stream_from = always;
  t.shape = shapes[1];
  for (const auto set : sets())
    for (unsigned offset = 0; offset < 64; offset += sizeof(TestType))
      for (auto const& c : {dense_case({35, 2, 39}, {2, 1, 0}), dense_case({3, 18, 33}, {1, 0, 2}),
                            dense_case({18, 2, 69}, {2, 1, 0})}) {
        t.machine.use = set;
        const auto what = fault<TestType>(c, t, 0, offset, 1);
        if (what != "") FAIL(what << ", " << c.extents_[0] << " rows, offset " << offset);
      }
}

TEST_CASE("boxes are large, and do not cut short rows of the target", "[axes]") {
  const auto box_bytes = [](auto const& p) { return local::detail::box_bytes(p); };
  // Matrices of 85 x 6 and more, and rows of 2784 bytes: several in a box.
  CHECK(box_bytes(plan_of({168, 16, 1232, 6}, {1, 0, 3, 2}, 8)) >= 1 << 15);
  const auto long_rows = plan_of({172, 78, 4, 348}, {2, 1, 0, 3}, 8);
  CHECK(box_bytes(long_rows) >= 1 << 14);
  CHECK(long_rows.cols == 1);  // which go straight to the target
  CHECK(box_bytes(plan_of({16, 14, 14, 8, 1368}, {1, 3, 0, 2, 4}, 4)) >= 1 << 15);
  // Rows that lie apart in the source, and in the target, too.
  CHECK(box_bytes(local::make_axes_plan(
            short_list<local::strided_axis>{{1000, 5000, 1024}, {1024, 1, 1}}, 1, {})) == 4096);
  CHECK(box_bytes(local::make_axes_plan(
            short_list<local::strided_axis>{{1000, 5000, 3000}, {1024, 1, 1}}, 1, {})) == 1 << 16);
  // Rows of 98 floats and of 299 bytes in the target are whole, though less is read in a row.
  CHECK(plan_of({40, 98, 44, 152}, {3, 0, 2, 1}, 4).fastest().width == 98);
  CHECK(plan_of({299, 563, 5, 185}, {2, 1, 3, 0}, 1).fastest().width == 299);
  // Where they are too long for that, what is read in a row is.
  CHECK(plan_of({4000, 6000}, {1, 0}, 8).row_runs * 8 >= 3 << 10);
  // Pieces of an axis that is cut are long where rows are short, but 256 single bytes at most.
  CHECK(plan_of({458, 904, 170}, {0, 2, 1}, 4).fastest().width == 240);
  CHECK(plan_of({29, 77, 177, 43}, {2, 3, 0, 1}, 4).fastest().width == 64);
  CHECK(plan_of({7, 2000, 240}, {0, 2, 1}, 1).fastest().width == 256);
  // Rows of 265 floats stay whole, and 240 columns are taken for it.
  const auto whole_rows = plan_of({221, 311, 265}, {2, 0, 1}, 4);
  CHECK(whole_rows.row_runs == 265);
  CHECK(whole_rows.fastest().width == 240);
  // A box of few rows has longer runs, which end with lines where the axis does.
  CHECK(plan_of({210, 742, 84}, {2, 0, 1}, 4).fastest().width % 16 == 0);
  CHECK(plan_of({8, 23, 30}, {2, 0, 1}, 4).fastest().width == 184);
  // A run of 545 x 275 bytes is put together in the first-level cache, a few rows at a time.
  const auto matrices = plan_of({801, 545, 275}, {0, 2, 1}, 1);
  CHECK(matrices.first_cut < matrices.last_cut);
  CHECK(matrices.rows_of_run < 545);
  CHECK(matrices.piece_bytes() <= 9 << 11);
  // Also one of 26 x 166 segments of 128 bytes, and one of several matrices of 22 x 46 floats.
  CHECK(plan_of({14, 10, 26, 166, 32}, {0, 1, 3, 2, 4}, 4).piece_bytes() <= (1 << 14) + 256);
  CHECK(plan_of({76, 290, 22, 46}, {0, 1, 3, 2}, 4).piece_bytes() <= (1 << 14) + 256);
  // Rows that end inside of lines are cut so that no box of a few columns is left, 7 of 391, 9
  // of 457 and 20 of 724, where a quarter less will do, which it does not for 961; rows of whole
  // lines are cut in lines, and so are long ones, of 69 boxes.
  CHECK(plan_of({21, 391, 7, 5, 375}, {2, 0, 4, 3, 1}, 4).fastest().width == 60);
  CHECK(plan_of({457, 61, 931}, {2, 1, 0}, 4).fastest().width == 60);
  CHECK(plan_of({724, 61, 931}, {2, 1, 0}, 4).fastest().width == 56);
  CHECK(plan_of({961, 61, 931}, {2, 1, 0}, 4).fastest().width == 64);
  CHECK(plan_of({272, 61, 931}, {2, 1, 0}, 4).fastest().width == 64);
  CHECK(plan_of({4357, 61, 931}, {2, 1, 0}, 4).fastest().width == 64);
  // 340 floats are whole, and 384, which are lines, are not; nor are 388.
  CHECK(plan_of({770, 340, 110}, {0, 2, 1}, 4).fastest().width == 340);
  CHECK(plan_of({770, 384, 110}, {0, 2, 1}, 4).fastest().width < 384);
  CHECK(plan_of({770, 388, 110}, {0, 2, 1}, 4).fastest().width < 388);
  // Rows of 25 x 7 floats are whole, too, and of 38 x 4, which are no whole lines either; 10 x 16
  // are, and are cut.
  const auto two_axes = plan_of({323, 25, 7, 779}, {0, 3, 2, 1}, 4);
  CHECK(two_axes.cols == 175);
  CHECK(plan_of({78, 38, 4, 6, 62, 4}, {5, 0, 4, 3, 2, 1}, 4).cols == 152);
  CHECK(plan_of({10, 136, 16, 48, 6, 8}, {1, 4, 5, 3, 2, 0}, 4).cols == 80);
  // Not if boxes become small, or the fastest axis, 127 floats and 97 bytes, is cut for it.
  CHECK(box_bytes(plan_of({2, 606, 179, 98, 4}, {4, 2, 1, 0, 3}, 4)) >= 1 << 15);
  CHECK(box_bytes(plan_of({2, 615, 10, 39, 2}, {4, 1, 2, 0, 3}, 8)) >= 1 << 15);
  CHECK(plan_of({654, 127, 2, 462}, {0, 3, 2, 1}, 4).fastest().width == 127);
  CHECK(plan_of({97, 276, 8, 8, 44}, {1, 3, 4, 2, 0}, 1).fastest().width == 97);
  // Boxes along an axis behind the fastest are alike: of four positions two and two.
  CHECK(plan_of({26, 68, 4, 84, 8, 10}, {1, 0, 2, 4, 3, 5}, 4).axes[2].width == 2);
  // Of segments of 36 bytes a box has 80 rows, of longer ones 4 KiB of a row; of shorter ones 2
  // KiB.
  const auto segments = [](index_t floats) {
    return plan_of({335, 15, 5, 3210, floats}, {2, 3, 1, 0, 4}, 4).axes[0].width;
  };
  CHECK(segments(9) == 80);
  CHECK(segments(17) == 60);
  CHECK(segments(5) == 102);
}

TEST_CASE("short rows and columns: blocks, and rows that go on in the run", "[axes]") {
  // Matrices of 8 x 8 pairs of bytes that stay matrices are units of 128 bytes.
  const auto matrices = plan_of({14, 194, 10, 36, 8, 8}, {1, 3, 2, 0, 5, 4}, 2);
  CHECK(matrices.block_axes == 2);
  CHECK(matrices.unit == 128);
  CHECK(matrices.bytes == index_t{14} * 194 * 10 * 36 * 128);
  CHECK(plan_of({14, 194, 10, 36, 8, 8}, {1, 3, 2, 0, 4, 5}, 2).block_axes == 0);  // rows stay
  CHECK(plan_of({300, 200, 40, 40}, {1, 0, 3, 2}, 4).block_axes == 0);  // too large for lookups
  CHECK(plan_of({4, 5, 8, 8}, {1, 0, 3, 2}, 2).block_axes == 0);        // too few for their tables
  // Rows of four go on along the axis of 50, which is no column then.
  const auto rows = plan_of({126, 4, 14, 76, 50, 4}, {3, 5, 1, 2, 4, 0}, 2);
  CHECK(rows.in_source_order);
  CHECK(rows.cols == 126);
  CHECK(rows.row_runs == 4);
  CHECK(rows.piece == 4);
  CHECK(rows.rows_of_run > 10);
  CHECK(rows.piece_bytes() <= (1 << 15) + 1024);
  // Five by five in the source, five columns: rows that go on for 75, which fill 8 KiB.
  const auto fives = plan_of({5, 5, 89, 925, 5, 5}, {0, 4, 2, 3, 5, 1}, 4);
  CHECK(fives.in_source_order);
  CHECK(fives.rows_of_run == 75);
  CHECK(fives.piece_bytes() <= 1 << 13);
  // Runs of 433 bytes: as many as make 128 bytes of the source, for which 8 KiB are too little.
  const auto singles = plan_of({315, 433, 59, 11}, {3, 0, 2, 1}, 1);
  CHECK(singles.in_source_order);
  CHECK(singles.rows_of_run * singles.row_runs > 5 * 11);
  // Rows of 51 floats need not go on where the columns go to the target straight.
  CHECK(plan_of({131, 21, 215, 51}, {3, 0, 2, 1}, 4).in_source_order);
  const auto alone = plan_of({131, 21, 215, 51}, {3, 0, 2, 1}, 4, true);
  CHECK_FALSE(alone.in_source_order);
  CHECK((alone.has_lines || alone.has_columns));
  CHECK(plan_of({15, 7, 55, 505, 3}, {0, 4, 1, 3, 2}, 4, true).in_source_order);  // too short
}

TEST_CASE("where rows are lines all boxes and their parts begin and end with lines", "[axes]") {
  const auto run_of = [](local::axes_plan const& p, auto length) {
    index_t run = p.unit;
    for (auto const& a : p.axes)
      if (a.role == local::axis_role::column) run *= length(a);
    return run;
  };
  const auto is_sound = [&](local::axes_plan const& p) {
    const index_t run = run_of(p, [](auto const& a) { return a.width; }),
                  part = run_of(p, [](auto const& a) { return a.part; });
    return (!p.has_lines || (run % 64 == 0 && part % 64 == 0)) &&
           (!p.has_columns || std::min(run, part) >= 256);
  };
  // An axis of 5766 is cut into boxes of 251 positions and these into parts of 84; one of 550 into
  // parts that are no whole lines.
  CHECK_FALSE(plan_of({40, 8, 17, 5766, 4, 4}, {2, 5, 1, 3, 0, 4}, 1).has_lines);
  CHECK_FALSE(plan_of({8, 16, 550, 3}, {3, 1, 2, 0}, 1).has_lines);
  // 16 doubles, two lines, go to the target straight where a vector is a line, as do 20 elements of
  // 16 bytes; but not six of these, which are no whole lines.
  const auto straight = [](positions const& each, std::vector<unsigned> const& axes,
                           index_t bytes) { return plan_of(each, axes, bytes, true).has_lines; };
  CHECK(straight({254, 48, 16, 10, 18}, {0, 1, 3, 4, 2}, 8));
  CHECK_FALSE(plan_of({254, 48, 16, 10, 18}, {0, 1, 3, 4, 2}, 8).has_lines);
  CHECK(straight({6, 6, 120, 20, 8, 12}, {1, 0, 2, 4, 5, 3}, 16));
  CHECK_FALSE(straight({6, 4, 146, 184, 6, 4}, {1, 2, 3, 4, 5, 0}, 16));
  CHECK(straight({6, 4, 146, 184, 4, 6}, {1, 2, 3, 5, 4, 0}, 16));  // 24 are, four rows behind
  CHECK(plan_of({6, 4, 146, 184, 4, 6}, {1, 2, 3, 5, 4, 0}, 16).rows_of_run == 24);
  // Rows of 904 floats go on within lines; not where they are cut to less than 256 bytes, of
  // elements of 2 bytes, or where columns would share few sets of the first-level cache.
  const auto columns = [](positions const& each, index_t bytes) {
    return plan_of(each, {0, 2, 1}, bytes, true).has_columns;
  };
  CHECK(columns({458, 904, 170}, 4));
  CHECK_FALSE(columns({458, 60, 1700}, 4));
  CHECK_FALSE(columns({458, 904, 170}, 2));
  CHECK_FALSE(columns({458, 904, 256}, 4));
  CHECK_FALSE(local::fitted({}, local::instructions::portable, true).goes_by_lines);
  CHECK_FALSE(local::fitted({}, local::best_instructions(), false).goes_by_lines);
  std::mt19937_64 random(19);
  unsigned with_lines = 0;
  for (unsigned turn = 0; turn < 20 * random_cases; ++turn) {
    positions each(2 + random() % 4);
    for (auto& extent : each) extent = (2 + random() % 30) * (random() % 3 == 0 ? 32 : 1);
    const auto axes = random_axes(random, static_cast<unsigned>(each.size()));
    const auto plan = plan_of(each, axes, index_t{1} << random() % 5, random() % 2 == 0);
    with_lines += plan.has_lines ? 1 : 0;
    if (!is_sound(plan)) FAIL("turn " << turn);
  }
  CHECK(with_lines > random_cases);
}

TEST_CASE("pieces have a quarter of a line of rows, though runs of the target are long", "[axes]") {
  CHECK(plan_of({116, 8, 80, 32, 6, 4}, {5, 1, 4, 2, 3, 0}, 4).piece == 24);
  CHECK(plan_of({5, 111, 21, 329, 19}, {4, 2, 0, 3, 1}, 4).piece == 19);
  std::mt19937_64 random(20);
  unsigned with_rows = 0;
  for (unsigned turn = 0; turn < 20 * random_cases; ++turn) {
    positions each(2 + random() % 4);
    for (auto& extent : each)
      extent = 2 + (random() % 3 == 0 ? random() % 8000 : 8 * (random() % 6) + 6);
    const auto axes = random_axes(random, static_cast<unsigned>(each.size()));
    const index_t bytes = index_t{1} << random() % 5;
    const auto plan = plan_of(each, axes, bytes);
    auto const& row = plan.axes[plan.fastest_of_source()];
    const index_t row_bytes = row.width * plan.unit;
    if (plan.block_axes > 0 || row.role != local::axis_role::row || row.source != plan.unit ||
        row_bytes < 32)
      continue;
    ++with_rows;
    if (plan.piece * plan.unit < std::min<index_t>(row_bytes, 64) / 2) FAIL("turn " << turn);
  }
  CHECK(with_rows > random_cases);
}

TEST_CASE("columns are gathered where no other way has room", "[axes]") {
  const auto moves = local::box_moves_of(local::best_instructions(), 1);
  const auto least = [&](positions const& each, std::vector<unsigned> const& axes, index_t bytes) {
    const auto plan = plan_of(each, axes, bytes);
    std::vector<unsigned char> memory(plan.buffer_bytes() + 64);
    auto* const lines = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
    const local::detail::box_memory made(plan, lines, moves);
    return made.gathered.any() ? made.gathered.least_cols(1) : 0;
  };
  const bool has_lookups = moves.blocks != nullptr;
  // In blocks of 416, 585 and 765 bytes.
  CHECK(least({4, 34, 136, 52, 26, 4}, {2, 3, 1, 5, 4, 0}, 1) == (has_lookups ? 104 : 0));
  CHECK(least({505, 13, 527, 5, 9}, {2, 0, 4, 1, 3}, 1) == (has_lookups ? 65 : 0));
  CHECK(least({99, 545, 47, 5, 9}, {4, 0, 2, 1, 3}, 1) == (has_lookups ? 85 : 0));
  // Three channels have a way of their own, squares have room for eight doubles, columns of 5 bytes
  // that lie alone would each be a copy.
  CHECK(least({32, 1080, 1920, 3}, {0, 3, 1, 2}, 1) == 0);
  CHECK(least({99, 545, 47, 5, 9}, {4, 0, 2, 1, 3}, 8) == 0);
  CHECK(least({99, 545, 47, 7, 5}, {4, 0, 3, 2, 1}, 1) == 0);
  // Columns of two rows of four bytes: two copies of 16 bytes; not where a gap is in one of them.
  // Fewer rows, and columns of which there is no whole group, go another way.
  using local::detail::gathered_columns;
  const std::array<index_t, 4> alike{0, 20, 8, 28}, gap{0, 20, 8, 30};
  const gathered_columns pairs(moves.blocks, alike.data(), 4, 2, 4);
  CHECK(pairs.has(2, 4) == has_lookups);
  CHECK(pairs.has(2, 8) == has_lookups);
  CHECK_FALSE(pairs.has(2, 6));
  CHECK_FALSE(pairs.has(1, 4));
  CHECK_FALSE(gathered_columns(moves.blocks, gap.data(), 4, 2, 4).any());
  // Two columns of 5 bytes side by side would be a copy of 10.
  std::array<index_t, 16> short_pairs{};
  for (index_t k = 0; k < 8; ++k) short_pairs[8 + k] = 5 + (short_pairs[k] = 20 * k);
  CHECK_FALSE(gathered_columns(moves.blocks, short_pairs.data(), 16, 5, 1).any());
}

TEST_CASE("in the caches boxes go by way of the buffer where that is faster", "[axes]") {
  using list = std::vector<unsigned>;
  const auto has_buffer = [](positions const& each, list const& axes, index_t bytes) {
    return local::box_way(plan_of(each, axes, bytes), local::best_instructions(), false).has_buffer;
  };
  // Segments of 20 bytes, of 60 and of 64.
  CHECK(has_buffer({149, 381, 5}, {1, 0, 2}, 4));
  CHECK(has_buffer({149, 81, 15}, {1, 0, 2}, 4));
  CHECK_FALSE(has_buffer({149, 81, 16}, {1, 0, 2}, 4));
  CHECK_FALSE(has_buffer({149, 91, 5}, {0, 1, 2}, 4));  // one segment
  // Rows of five bytes and of seven are less than a square: in the buffer 245 of them are not.
  CHECK(has_buffer({85, 29, 7, 7, 5}, {4, 3, 2, 1, 0}, 1));
  CHECK_FALSE(has_buffer({7, 39, 135, 5, 7}, {1, 4, 2, 3, 0}, 1));
  CHECK_FALSE(has_buffer({85, 29, 7, 7, 5}, {4, 3, 2, 1, 0}, 8));
  // Lines of the target 2048 and 36864 bytes apart: at two places of a page, or at one.
  CHECK(has_buffer({256, 60, 14}, {1, 2, 0}, 8));
  CHECK_FALSE(has_buffer({257, 60, 14}, {1, 2, 0}, 8));
  CHECK(has_buffer({256, 60, 9}, {2, 0, 1}, 8));
  CHECK_FALSE(has_buffer({256, 60, 8}, {2, 0, 1}, 8));  // 8 rows, as many as a set has ways
  CHECK(has_buffer({16, 8, 4, 6, 12, 44}, {5, 0, 3, 2, 4, 1}, 1));
  CHECK_FALSE(has_buffer({25, 9, 5}, {1, 0, 2}, 4));  // not worth its tables
  // Into the caches: lines are not stored past them, neither by way of runs nor as they are made.
  const auto plan = plan_of({256, 60, 14}, {1, 2, 0}, 8);
  const auto portable = local::box_moves_of(local::instructions::portable, 8);
  const local::box_way way(plan, local::best_instructions(), false);
  CHECK(way.moves.to_lines == nullptr);
  CHECK(way.moves.write == portable.write);
  CHECK(local::box_way(plan, local::best_instructions(), true).has_buffer);
}

TEST_CASE("large arrays with the machine's own boxes", "[axes]") {
  some_of chosen(large_arrays);
  for (auto const& [each, axes] : std::vector<std::pair<positions, std::vector<unsigned>>>{
           {{1500, 1003}, {1, 0}},
           {{1024, 1008}, {1, 0}},
           {{101, 97, 131}, {2, 1, 0}},
           {{40, 60, 48, 12}, {2, 0, 3, 1}},
           {{7, 211, 9, 5, 23}, {3, 1, 4, 0, 2}},
           {{300, 70, 61}, {1, 0, 2}},
           {{20, 6, 9, 30, 11}, {3, 4, 0, 2, 1}},
           {{9, 20, 6, 30, 11}, {1, 4, 2, 0, 3}},
           {{10, 30, 6, 10, 12}, {0, 3, 4, 1, 2}},
           {{200, 3, 300}, {1, 0, 2}},
           {{30, 20, 300}, {1, 0, 2}},
           {{161, 21, 91}, {2, 1, 0}},
           {{33, 5, 7, 200}, {3, 2, 1, 0}},
           {{15, 301, 275}, {0, 2, 1}},
           {{11, 5, 701, 33}, {0, 1, 3, 2}},
           {{7, 3, 9, 1300}, {2, 0, 1, 3}},
           {{4, 3, 2, 30000}, {2, 0, 1, 3}},
           {{60, 61, 5, 7}, {1, 0, 3, 2}},
           {{61, 60, 3, 5, 7}, {1, 0, 4, 3, 2}},
           {{9000, 2, 2}, {0, 2, 1}},  // blocks of as many bytes as an element may have
           {{90, 100, 2, 2}, {1, 0, 3, 2}},
           {{20, 33, 9, 19}, {1, 0, 3, 2}},
           {{14, 94, 10, 8, 8}, {1, 2, 0, 4, 3}},
           {{101, 19, 5, 5, 99, 9}, {4, 0, 2, 1, 5, 3}},
           {{3, 35, 17, 7, 235, 5}, {0, 1, 4, 2, 5, 3}},
           {{5, 5, 9, 225, 5, 5}, {0, 4, 2, 3, 5, 1}},
           {{26, 4, 14, 26, 50, 4}, {3, 5, 1, 2, 4, 0}},
           {{7, 19, 3, 79, 33, 13}, {0, 5, 3, 4, 1, 2}},
           {{6, 28, 4, 126, 4, 10}, {1, 0, 2, 4, 3, 5}},
           {{4, 10, 26, 166, 8}, {0, 1, 3, 2, 4}},
           {{10, 14, 8, 84, 16, 6}, {4, 3, 0, 1, 2, 5}},
           {{3, 290, 22, 46}, {0, 1, 3, 2}},
           {{7, 3, 13, 9, 93, 11}, {4, 0, 2, 1, 5, 3}}}) {
    if (!chosen()) continue;
    INFO(each[0] << " x " << each[1] << " ..");
    axes_tuning past_caches;
    past_caches.machine.stream_from = always;
    CHECK(fault<float>(dense_case(each, axes), past_caches, 0, 20) == "");
    CHECK(fault<double>(dense_case(each, axes), past_caches, 8, 0, 1) == "");
    CHECK(fault<opaque<1>>(dense_case(each, axes), tuning_of(0, always), 1, 3) == "");
    CHECK(fault<float>(dense_case(each, axes), past_caches, 4, 0) == "");  // whole lines
    CHECK(fault<float>(dense_case(each, axes), {}, 4, 12) == "");
  }
}

TEST_CASE("boxes follow runs of the target from one axis to the next", "[axes]") {
  const auto plan = [](std::vector<local::strided_axis> const& loops) {
    short_list<local::strided_axis> list;
    for (auto const& each : loops) list.push_back(each);
    return local::make_axes_plan(list, 8, {});
  };
  // 201 x 161 x 455 doubles reversed: a run is cut along the last axis of the target, and one
  // position of the axis before goes on where it ends. Rows of the source are the first axis.
  const index_t row = 455 * 8, plane = 161 * row;
  const auto dense = plan({{455, 8, 201 * 161 * 8}, {161, row, 201 * 8}, {201, plane, 8}});
  CHECK(dense.sweeps == 2);
  CHECK(dense.box_order[0] == 2);
  CHECK(dense.box_order[1] == 1);
  CHECK(dense.box_order.size() == 3);
  // Where rows of the target lie apart each ends for itself.
  const auto apart = plan({{455, 8, 202 * 161 * 8}, {161, row, 202 * 8}, {201, plane, 8}});
  CHECK(apart.sweeps == 1);
  CHECK(apart.box_order[0] == 2);
}

namespace {

/// What is wrong after axes were permuted in place; "refused" where they cannot be.
template <class T>
std::string fault_in_place(positions const& each, std::vector<unsigned> const& axes,
                           axes_tuning const& t, std::size_t offset, int threads = 1) {
  std::optional<local::axes_in_place_pass<T>> pass;
  try {
    pass.emplace(extents(each), axis_order(axes), t);
  } catch (bad_value const&) {
    return "refused";
  }
  const auto n = oracle::product(each);
  if (pass->elements() != n) return "elements";
  guarded_bytes data(n * sizeof(T), offset);
  oracle::generator random(n);
  data.randomize(random);
  std::vector<unsigned char> expected(n * sizeof(T));
  const auto targets = oracle::targets_of_axes(each, axes);
  for (std::size_t x = 0; x < n; ++x)
    std::memcpy(&expected[targets[x] * sizeof(T)], data.data() + x * sizeof(T), sizeof(T));
  (*pass)(data.template as<T>(), local::parallel{threads});
  if (std::memcmp(data.data(), expected.data(), expected.size()) != 0) return "elements moved";
  return data.intact() ? "" : "beyond the array";
}

}  // namespace

TEMPLATE_TEST_CASE("in place: all small arrays, and large squares", "[axes]", opaque<1>, opaque<4>,
                   opaque<8>, opaque<16>, opaque<3>, opaque<24>) {
  some_of larger(400);
  unsigned turn = 0, moved = 0;
  for (unsigned order = 0; order <= 4; ++order)
    oracle::each_extents(order, 1, most_elements, [&](positions const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        ++turn;
        if (order > 2 && !larger()) return;
        const auto what = fault_in_place<TestType>(
            each, axes, tuning_of(turn, turn % 3 == 0 ? never : always), turn % 5 * 8);
        if (what != "" && what != "refused") FAIL(what << ", turn " << turn);
        moved += what == "" ? 1U : 0U;
        // a permutation of axes of one extent is never refused
        if (what != "" && std::equal(each.begin() + 1, each.end(), each.begin()))
          FAIL("refused, turn " << turn);
      });
    });
  CHECK(moved > 100);
  for (auto const& [each, axes] :
       std::vector<std::pair<positions, std::vector<unsigned>>>{{{260, 260}, {1, 0}},
                                                                {{201, 201}, {1, 0}},
                                                                {{3, 140, 140}, {0, 2, 1}},
                                                                {{140, 3, 140}, {2, 1, 0}},
                                                                {{130, 130, 3}, {1, 0, 2}},
                                                                {{70, 2, 70, 3}, {2, 1, 0, 3}},
                                                                {{31, 31, 31}, {2, 0, 1}},
                                                                {{31, 31, 31}, {1, 2, 0}},
                                                                {{7, 9, 63}, {2, 0, 1}},  // 63 x 63
                                                                {{16, 8, 32}, {2, 0, 1}},
                                                                {{11, 11, 12, 12}, {1, 0, 3, 2}}}) {
    INFO(each[0] << " x " << each[1] << " ..");
    const bool alone = ++turn % 2 == 0;  // in the caches by one thread, or past them by three
    CHECK(fault_in_place<TestType>(each, axes, alone ? axes_tuning{} : tuning_of(2, always),
                                   alone ? 0 : 20, alone ? 1 : 3) == "");
  }
  CHECK(fault_in_place<TestType>({6, 10}, {1, 0}, {}, 0) == "refused");
  CHECK(fault_in_place<TestType>({4, 6, 24}, {2, 1, 0}, {}, 0) == "refused");
}

TEST_CASE("in place: what it takes, and what is refused", "[axes][errors]") {
  const auto passes = [](positions const& each, axis_order const& axes) {
    return local::axes_in_place_pass<float>(extents(each), axes).passes();
  };
  CHECK(passes({100, 100}, {1, 0}) == 1);
  CHECK(passes({100, 100}, {0, 1}) == 0);
  CHECK(passes({10, 10, 10}, {2, 0, 1}) == 2);
  CHECK(passes({10, 10, 100}, {2, 0, 1}) == 1);
  CHECK(passes({7, 7, 7, 4, 6, 24}, {2, 0, 1, 5, 3, 4}) == 3);  // some neighbours are joined
  CHECK(passes({16, 64}, {1, 0}) == 2);                         // powers of two: any order
  std::vector<float> data(60, 1), before = data;
  const std::span<float> all(data);
  CHECK_COMPLAINS(bad_value, local::permute_axes_in_place(all, extents{6, 10}, {1, 0}),
                  "same extent", "second array");
  CHECK_COMPLAINS(bad_value, local::permute_axes_in_place(all, extents{7, 7}, {1, 0}), "49", "60");
  CHECK_COMPLAINS(bad_value, local::permute_axes_in_place(all, extents{6, 10}, {1, 2}), "axis 2");
  CHECK(data == before);
  std::vector<std::unique_ptr<int>> owners(54);
  for (int i = 0; i < 54; ++i) owners[std::size_t(i)] = std::make_unique<int>(i);
  local::permute_axes_in_place(std::span(owners), extents{3, 2, 3, 3}, {2, 1, 0, 3});
  const auto targets = oracle::targets_of_axes({3, 2, 3, 3}, {2, 1, 0, 3});
  for (std::size_t x = 0; x < 54; ++x) CHECK(*owners[targets[x]] == int(x));
}

TEST_CASE("powers of two go as affine passes do", "[axes]") {
  const extents each{64, 32, 16};
  oracle::each_order(3, [&](std::vector<unsigned> const& axes) {
    std::vector<std::uint32_t> source(each.elements()), target(source.size()), other(source.size());
    std::iota(source.begin(), source.end(), 0U);
    local::permute_axes(source, target, each, axis_order(axes));
    local::permute(source, other, axis_permutation(lg_extents{6, 5, 4}, axis_order(axes)));
    CHECK(target == other);
  });
}

TEST_CASE("elements that own something are moved or copied", "[axes]") {
  const positions each{5, 2, 7};
  const auto targets = oracle::targets_of_axes(each, {2, 0, 1});
  std::vector<std::string> source, target(70), moved(70);
  for (int i = 0; i < 70; ++i)
    source.push_back("a string too long for its own buffer " + std::to_string(i));
  const axes_pass<std::string> pass(extents(each), {2, 0, 1});
  local::permute_axes(source, target, extents(each), {2, 0, 1});
  for (std::size_t x = 0; x < 70; ++x) CHECK(target[targets[x]] == source[x]);
  auto const* const first = source[3].data();
  pass(source.data(), moved.data());
  CHECK(moved == target);
  CHECK(moved[targets[3]].data() == first);
  std::vector<std::unique_ptr<int>> owners(70), others(70);
  for (int i = 0; i < 70; ++i) owners[std::size_t(i)] = std::make_unique<int>(i);
  axes_pass<std::unique_ptr<int>>(extents{7, 5, 2}, {1, 0, 2})(owners.data(), others.data());
  const auto swapped = oracle::targets_of_axes({7, 5, 2}, {1, 0, 2});
  for (std::size_t x = 0; x < 70; ++x) CHECK(*others[swapped[x]] == int(x));
}

TEST_CASE("arguments that do not fit are refused before anything is written", "[axes][errors]") {
  std::vector<int> source(60, 1), target(60, 2), short_one(59, 2);
  const extents each{6, 10};
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, short_one, each, {1, 0}), "60", "59");
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, source, each, {1, 0}), "overlap");
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {1, 2}), "axis 2");
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {0}), "2 axes");
  const positions in{10, 1}, wide{7, 1}, overlapping{5, 1}, one{1};
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {1, 0}, in, one), "strides");
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {1, 0}, in, overlapping),
                  "20", "24");
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {1, 0}, in, wide), "69");
  const positions far{index_t{1} << 60, 1};
  CHECK_COMPLAINS(bad_value, local::permute_axes(source, target, each, {1, 0}, far, in), "2^63");
  CHECK_COMPLAINS(bad_value, (axes_pass<int>(extents{index_t{1} << 62, 2}, {1, 0})), "2^63");
  CHECK(target == std::vector<int>(60, 2));
}
