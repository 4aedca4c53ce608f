// SPDX-License-Identifier: BSL-1.0

// Axes of any extents, permuted from file to file box by box, compared with the definition.

#include <algorithm>
#include <bmmc/file/boxes.hpp>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace bmmc;
namespace fs = std::filesystem;
using byte_list = std::vector<unsigned char>;

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

byte_list read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("boxes: any extents, axes, elements and memory", "[file_boxes]") {
  std::string folder = ((fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path().string()) +
                        std::string("/bmmc_boxes_XXXXXX"));
  REQUIRE(::mkdtemp(folder.data()) != nullptr);
  std::mt19937_64 random(6);
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t order = 1 + random() % 5, element = 1 + random() % 17,
                      lead = turn % 2 == 0 ? 0 : random() % 300;
    std::vector<index_t> extents(order);
    for (auto& extent : extents) extent = 1 + random() % (order > 3 ? 7 : 30);
    std::vector<unsigned> axes(order);
    std::iota(axes.begin(), axes.end(), 0U);
    std::shuffle(axes.begin(), axes.end(), random);
    std::size_t bytes = element;
    for (const index_t extent : extents) bytes *= extent;
    byte_list source(lead + bytes);
    for (auto& b : source) b = static_cast<unsigned char>(random());
    std::ofstream(folder + "/source", std::ios::binary)
        .write(reinterpret_cast<char const*>(source.data()),
               static_cast<std::streamsize>(source.size()));
    const index_t memory = element * 4 * (1 + random() % 400);
    const auto boxes = file::make_boxes(extents, axes, element, memory);
    REQUIRE(4 * boxes.bytes() <= memory);
    index_t last = 0, all = 0;
    file::permute_axes(
        boxes, folder + "/source", lead, folder + "/target", "preamble",
        [&](index_t done, index_t of) {
          last = done;
          all = of;
        },
        file::threads{2});
    const auto expected = permuted(
        {source.begin() + static_cast<std::ptrdiff_t>(lead), source.end()}, extents, axes, element);
    const auto found = read_file(folder + "/target");
    INFO("turn " << turn);
    REQUIRE(std::string(found.begin(), found.begin() + 8) == "preamble");
    REQUIRE(byte_list(found.begin() + 8, found.end()) == expected);
    REQUIRE(all == 2 * bytes);
    REQUIRE(last > all - 2 * boxes.count());
  }
  REQUIRE(std::distance(fs::directory_iterator(folder), {}) == 2);
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {0, 0}, 1, 100), "2 axes", "named once");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {0}, 1, 100), "named once");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 0}, {1, 0}, 1, 100), "without elements");
  CHECK_COMPLAINS(bad_value, file::make_boxes({3, 4}, {1, 0}, 8, 31), "31 bytes of memory");
  CHECK_COMPLAINS(
      file::io_error,
      file::permute_axes(file::make_boxes({1000, 1000}, {1, 0}, 16, 1000), folder + "/source", 0,
                         folder + "/other", "", [](index_t, index_t) {}),
      "does not hold 16000000 bytes");
  fs::remove_all(folder);
}

TEST_CASE("boxes: runs grow on both sides", "[file_boxes]") {
  const auto boxes = file::make_boxes({1000, 300, 700}, {2, 0, 1}, 8, 4 << 20);
  CHECK(boxes.bytes() <= 1 << 20);
  CHECK(boxes.bytes() > 1 << 18);
  CHECK(boxes.widths[2] >= 128);
  CHECK(boxes.widths[1] >= 128);
}
