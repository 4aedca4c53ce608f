// SPDX-License-Identifier: BSL-1.0

// The image library of Hou, Wang, Ku and Hsu 2001, example 5, on pictures that are spread over the
// processes: reflections, rotations, scaling by 2 up (each pixel to four places) and down (the mean
// of four), and the permutations of one- and two-dimensional FFTs. Writes each result as a PNG.
//   mpirun -np 4 57_image_library [DIRECTORY [PICTURE.png]]
// The sides of the picture must be the same power of two; without one it draws its own.

#include <algorithm>
#include <array>
#include <bit>
#include <boost/mpi/environment.hpp>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <bmmc/gather.hpp>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/permute.hpp>
#include <bmmc/reduce.hpp>

#include "support/picture_file.hpp"
#include "support/together.hpp"

namespace {

namespace mpi = boost::mpi;
using bmmc::affine_map;
using bmmc::index_t;
using example::picture;
using example::rgb;

/// A letter F on a ground that tells all corners apart.
picture drawing(std::size_t side) {
  picture p(side, side);
  for (std::size_t row = 0; row < side; ++row)
    for (std::size_t column = 0; column < side; ++column) {
      const auto shade = [side](std::size_t x) {
        return static_cast<std::uint8_t>(255 * x / side);
      };
      const std::size_t x = 16 * column / side, y = 16 * row / side;
      const bool is_letter = (x >= 3 && x < 5 && y >= 2 && y < 14) ||
                             (x >= 5 && x < 13 && y >= 2 && y < 4) ||
                             (x >= 5 && x < 10 && y >= 7 && y < 9);
      p.at(row, column) = is_letter ? rgb{20, 20, 40} : rgb{shade(column), 160, shade(row)};
    }
  return p;
}

/// Pixels in the paper's order: (px, py) has the index  px + side py  and the origin is the lower
/// left corner. A PNG begins with the top row.
std::vector<rgb> from_below(picture const& p) {
  std::vector<rgb> pixels;
  for (std::size_t row = p.height; row-- > 0;)
    pixels.insert(pixels.end(), &p.at(row, 0), &p.at(row, 0) + p.width);
  return pixels;
}

/// A sum of pixels, for their mean.
struct sum_of_rgb {
  std::array<std::uint32_t, 3> colour{};
  friend sum_of_rgb operator+(sum_of_rgb a, sum_of_rgb const& b) {
    for (std::size_t k = 0; k < 3; ++k) a.colour[k] += b.colour[k];
    return a;
  }
};

/// One picture on all processes, and what is done with it.
class library {
 public:
  library(mpi::communicator const& world, std::string directory, picture const& p)
      : world_(world), directory_(std::move(directory)), side_(p.width) {
    mpi::broadcast(world, side_, 0);
    bits_ = 2 * static_cast<unsigned>(std::countr_zero(side_));
    chunk_.resize(side_ * side_ / static_cast<std::size_t>(world.size()));
    const auto pixels = from_below(p);
    MPI_Scatter(pixels.data(), bytes(chunk_), MPI_BYTE, chunk_.data(), bytes(chunk_), MPI_BYTE, 0,
                world);
  }

  /// A permutation of the pixels.
  void permute(std::string const& name, bmmc::permutation<> const& move) {
    std::vector<rgb> target(chunk_.size());
    bmmc::permute<rgb>(world_, chunk_, target, move);
    const auto plan = bmmc::make_plan(move, bmmc::layout::processor_major{}, procs());
    finish(name, target, side_,
           most([&](index_t proc) { return plan.chunk_elements() - plan.stays(proc); }));
  }
  /// The lower left quarter, each pixel at four places.
  void scale_up(std::string const& name) {
    const unsigned half = bits_ / 2;
    bmmc::bit_matrix<> a(bits_, bits_);  // column j is the image of bit j of the target index
    for (unsigned j = 0; j < bits_; ++j) a.column[j] = j % half == 0 ? 0 : bmmc::bit(j - 1);
    auto repeat = bmmc::make_gatherer<rgb>(world_, {a, 0});
    std::vector<rgb> target(chunk_.size());
    repeat(chunk_, target);
    finish(name, target, side_,
           most([&](index_t proc) { return repeat.plan().received(proc).elements; }));
  }
  /// The mean of each 2 x 2 pixels.
  void scale_down(std::string const& name) {
    const unsigned half = bits_ / 2;
    const auto pairs =
        compose(bmmc::drop_bits(bits_ - 1, half - 1, 1), bmmc::drop_bits(bits_, 0, 1));
    auto add = bmmc::make_reducer<sum_of_rgb>(world_, pairs);
    std::vector<sum_of_rgb> source, sums(chunk_.size() / 4);
    for (rgb const pixel : chunk_) source.push_back({{pixel.red, pixel.green, pixel.blue}});
    add(source, sums);
    std::vector<rgb> target;
    for (auto const& sum : sums) {
      const auto mean = [&](std::size_t k) { return static_cast<std::uint8_t>(sum.colour[k] / 4); };
      target.push_back({mean(0), mean(1), mean(2)});
    }
    finish(name, target, side_ / 2,
           most([&](index_t proc) { return add.plan().received(proc).elements; }));
  }

  [[nodiscard]] unsigned bits() const { return bits_; }

 private:
  [[nodiscard]] index_t procs() const { return static_cast<index_t>(world_.size()); }
  [[nodiscard]] static int bytes(std::vector<rgb> const& pixels) {
    return static_cast<int>(pixels.size() * sizeof(rgb));
  }
  [[nodiscard]] index_t most(auto received) const {
    index_t result = 0;
    for (index_t proc = 0; proc < procs(); ++proc) result = std::max(result, received(proc));
    return result;
  }
  /// Writes the picture and tells how many pixels, or sums of them, a process has received at most.
  void finish(std::string const& name, std::vector<rgb> const& mine, std::size_t side,
              index_t received) const {
    picture p(side, side), turned(side, side);
    MPI_Gather(mine.data(), bytes(mine), MPI_BYTE, p.pixels.data(), bytes(mine), MPI_BYTE, 0,
               world_);
    example::together(world_, [&] {
      if (world_.rank() != 0) return;
      turned.pixels = from_below(p);
      example::write_png(directory_ + "/" + name + ".png", turned);
      std::cout << name << std::string(24 - name.size(), ' ') << "at most " << received
                << " of the " << mine.size() << " pixels of a process come from others\n";
    });
  }

  mpi::communicator world_;
  std::string directory_;
  std::size_t side_;
  unsigned bits_ = 0;
  std::vector<rgb> chunk_;
};

int program(mpi::communicator const& world, int argc, char** argv) {
  if (argc > 3) throw example::usage_error("it takes a directory and a picture");
  const std::string directory = argc > 1 ? argv[1] : "out/image_library";
  picture p;
  example::together(world, [&] {
    if (world.rank() != 0) return;
    p = argc > 2 ? example::read_png(argv[2]) : drawing(256);
    if (p.width != p.height || !std::has_single_bit(p.width) || p.width < 2)
      throw std::runtime_error("the sides of the picture must be the same power of two, not " +
                               std::to_string(p.width) + " x " + std::to_string(p.height));
    std::filesystem::create_directories(directory);
  });
  library images(world, directory, p);

  const unsigned n = images.bits(), half = n / 2;
  const index_t all = bmmc::low_bits(n), px = bmmc::low_bits(half), py = all ^ px;
  const auto transposed = bmmc::transpose(half, half).matrix(), unit = bmmc::identity_matrix(n);
  using bmmc::permutation;
  images.permute("original", permutation<>(unit));
  images.permute("diagonal", permutation<>(transposed));
  images.permute("other_diagonal", permutation<>(transposed, all));
  images.permute("turned_left", permutation<>(transposed, px));   // the paper says clockwise
  images.permute("turned_right", permutation<>(transposed, py));  // and here the other way
  images.permute("left_right", permutation<>(unit, px));
  images.permute("upside_down", permutation<>(unit, py));
  images.permute("turned_over", permutation<>(unit, all));
  images.scale_up("scaled_up");
  images.scale_down("scaled_down");
  images.permute("bit_reversed", bmmc::bit_reversal(n));
  images.permute("shuffled", bmmc::shuffle(n));
  // bit reversal of the low half, for the rows, and of the high half, for the columns
  auto rows = unit, columns = unit;
  for (unsigned j = 0; j < half; ++j) {
    rows.column[j] = bmmc::bit(half - 1 - j);
    columns.column[half + j] = bmmc::bit(n - 1 - j);
  }
  images.permute("rows_bit_reversed", permutation<>(rows));
  images.permute("columns_bit_reversed", permutation<>(columns));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::environment environment(argc, argv);
  const mpi::communicator world;
  return example::run_together(world, "57_image_library",
                               [&] { return program(world, argc, argv); });
}

// Prints:
// original                at most 0 of the 16384 pixels of a process come from others
// diagonal                at most 12288 of the 16384 pixels of a process come from others
// other_diagonal          at most 12288 of the 16384 pixels of a process come from others
// turned_left             at most 12288 of the 16384 pixels of a process come from others
// turned_right            at most 12288 of the 16384 pixels of a process come from others
// left_right              at most 0 of the 16384 pixels of a process come from others
// upside_down             at most 16384 of the 16384 pixels of a process come from others
// turned_over             at most 16384 of the 16384 pixels of a process come from others
// scaled_up               at most 4096 of the 16384 pixels of a process come from others
// scaled_down             at most 0 of the 4096 pixels of a process come from others
// bit_reversed            at most 12288 of the 16384 pixels of a process come from others
// shuffled                at most 16384 of the 16384 pixels of a process come from others
// rows_bit_reversed       at most 0 of the 16384 pixels of a process come from others
// columns_bit_reversed    at most 12288 of the 16384 pixels of a process come from others
