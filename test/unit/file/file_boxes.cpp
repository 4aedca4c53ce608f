// SPDX-License-Identifier: BSL-1.0

// Axes of any extents, permuted from file to file box by box, compared with the definition.

#include <algorithm>
#include <bmmc/file/permute_axes.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/files.hpp"
#include "support/throws.hpp"

using namespace bmmc;

namespace {

/// The result by its definition: one element after another, its position along each axis.
byte_list permuted(byte_list const& data, std::vector<index_t> const& extents,
                   std::vector<unsigned> const& axes, std::size_t element) {
  byte_list result(data.size());
  const std::size_t order = extents.size();
  for (std::size_t y = 0; y < data.size() / element; ++y) {
    std::vector<index_t> at(order);
    std::size_t rest = y;
    for (std::size_t k = order; k-- > 0;) {
      at[axes[k]] = rest % extents[axes[k]];
      rest /= extents[axes[k]];
    }
    std::size_t x = 0;
    for (std::size_t k = 0; k < order; ++k) x = x * extents[k] + at[k];
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(x * element), element,
                result.begin() + static_cast<std::ptrdiff_t>(y * element));
  }
  return result;
}

/// An array of random shape, its axes in random order, in a file behind `lead` bytes.
struct random_array {
  std::size_t order, element, lead;
  std::vector<index_t> extents;
  std::vector<unsigned> axes;
  byte_list source, expected;

  explicit random_array(std::mt19937_64& random)
      : order(1 + random() % 5),
        element(1 + random() % 17),
        lead(random() % 2 == 0 ? 0 : random() % 300),
        extents(order),
        axes(order) {
    for (auto& extent : extents) extent = 1 + random() % (order > 3 ? 7 : 30);
    std::iota(axes.begin(), axes.end(), 0U);
    std::shuffle(axes.begin(), axes.end(), random);
    source.resize(lead + bytes());
    for (auto& b : source) b = static_cast<unsigned char>(random());
    expected = permuted({source.begin() + static_cast<std::ptrdiff_t>(lead), source.end()}, extents,
                        axes, element);
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t all = element;
    for (const index_t extent : extents) all *= extent;
    return all;
  }
};

}  // namespace

TEST_CASE("boxes: any extents, axes, elements, memory and processes", "[file_boxes]") {
  const folder here;
  std::mt19937_64 random(6);
#ifdef BMMC_TEST_FEWER
  constexpr int turns = 60;
#else
  constexpr int turns = 300;
#endif
  for (int turn = 0; turn < turns; ++turn) {
    const random_array a(random);
    write_file(here / "source", a.source);
    const index_t memory = a.element * 4 * (3 + random() % 400);
    const unsigned most = turn % 4 == 0 ? 3 : 1;
    const auto boxes = file::make_boxes(a.extents, a.axes, a.element, memory, most);
    REQUIRE(4 * boxes.bytes() * most <= memory);
    const auto processes = static_cast<unsigned>(std::min<index_t>(most, boxes.count()));
    side_by_side(processes, [&](unsigned rank, auto const& together) {
      index_t last = 0, all = 0;
      file::run_options options;
      options.rank = rank;
      options.progress = [&](index_t done, index_t of) {
        last = done;
        all = of;
      };
      file::permute_axes(file::box_work(boxes, processes), here / "source", a.lead, here / "target",
                         "preamble", options, file::threads{2}, together);
      if (processes > 1) return;
      REQUIRE(all == 2 * a.bytes());
      REQUIRE(last == all);
    });
    const auto found = read_file(here / "target");
    INFO("turn " << turn);
    REQUIRE(std::string(found.begin(), found.begin() + 8) == "preamble");
    REQUIRE(byte_list(found.begin() + 8, found.end()) == a.expected);
    REQUIRE(here.files() == 2);
  }
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {0, 0}, 1, 100), "2 axes", "named once");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {0}, 1, 100), "named once");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 0}, {1, 0}, 1, 100), "without elements");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {1, 0}, 8, 31), "31 bytes of memory");
  CHECK_COMPLAINS(
      file::io_error,
      file::permute_axes(file::box_work(file::make_boxes({1000, 1000}, {1, 0}, 16, 1000)),
                         here / "source", 0, here / "other"),
      "do not hold 16000000 behind byte 0");
}

TEST_CASE("boxes: ended at any transfer and resumed", "[file_boxes]") {
  std::mt19937_64 random(9);
  for (int turn = 0; turn < 8; ++turn) {
    const random_array a(random);
    const index_t memory = std::max<index_t>(4 * a.element, 4 * a.bytes() / (3 + random() % 6));
    const file::box_work work(file::make_boxes(a.extents, a.axes, a.element, memory));
    for (long transfers = 0;; ++transfers) {
      const folder here;
      write_file(here / "source", a.source);
      file::run_options options;
      options.seconds_between_notes = 0;
      const auto permute = [&](auto const& transfer) {
        file::permute_axes(work, here / "source", a.lead, here / "target", "", options, transfer);
      };
      for (long next = transfers;; next = 3 + static_cast<long>(random() % 9)) {
        try {
          permute(ending(next));
          break;
        } catch (ending::ended const&) {
          REQUIRE_FALSE(fs::exists(here / "target"));
          options.resume = true;
        }
      }
      REQUIRE(read_file(here / "target") == a.expected);
      REQUIRE(read_file(here / "source") == a.source);
      REQUIRE(here.files() == 2);
      if (!options.resume) break;  // it was not ended at all
    }
  }
  // Another job: other axes, other boxes.
  const folder here;
  write_file(here / "source", byte_list(1000, 7));
  const auto permute = [&](std::vector<unsigned> const& axes, index_t memory, bool resume,
                           long transfers) {
    file::run_options options;
    options.resume = resume;
    file::permute_axes(file::box_work(file::make_boxes({10, 10, 10}, axes, 1, memory)),
                       here / "source", 0, here / "target", "", options, ending(transfers));
  };
  CHECK_THROWS_AS(permute({2, 0, 1}, 400, false, 3), ending::ended);
  CHECK_COMPLAINS(file::io_error, permute({2, 0, 1}, 400, false, 99), "did not finish");
  CHECK_COMPLAINS(file::io_error, permute({1, 2, 0}, 400, true, 99), "belongs to another job");
  CHECK_COMPLAINS(file::io_error, permute({2, 0, 1}, 800, true, 99), "belongs to another job");
  CHECK_NOTHROW(permute({2, 0, 1}, 400, true, 99));
  // The same box, the whole array, for other axes.
  CHECK_THROWS_AS(permute({2, 0, 1}, 4000, false, 1), ending::ended);
  CHECK_COMPLAINS(file::io_error, permute({1, 2, 0}, 4000, true, 99), "belongs to another job");
  CHECK_NOTHROW(permute({2, 0, 1}, 4000, true, 99));
}

TEST_CASE("boxes: runs grow on both sides", "[file_boxes]") {
  const auto boxes = file::make_boxes({1000, 300, 700}, {2, 0, 1}, 8, 4 << 20);
  CHECK(boxes.bytes() <= 1 << 20);
  CHECK(boxes.bytes() > 1 << 18);
  CHECK(boxes.widths[2] >= 128);
  CHECK(boxes.widths[1] >= 128);
}
