// SPDX-License-Identifier: BSL-1.0

// Turns, mirrors and shuffles a picture whose pixels are spread over the processes of an MPI job,
// and writes every result as a PNG. See --help.

#include <algorithm>
#include <array>
#include <bit>
#include <boost/mpi/environment.hpp>
#include <boost/program_options.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <bmmc.hpp>

#include "support/picture_file.hpp"
#include "support/together.hpp"

namespace {

namespace mpi = boost::mpi;
using bmmc::index_t;
using bmmc::permutation;
using example::picture;
using example::rgb;

struct effect {
  std::string name, meaning;
  permutation<> move;
  bool turned = false;  // rows and columns have changed places
};

/// The pixel at row and column has the index  row * width + column : the column's bits below the
/// row's. `column` permutes the columns and `row` the rows.
permutation<> on_axes(permutation<> const& column, permutation<> const& row) {
  const unsigned c = column.bits(), n = c + row.bits();
  bmmc::bit_matrix<> a(n, n);
  for (unsigned j = 0; j < n; ++j)
    a.column[j] = j < c ? column.matrix().column[j] : row.matrix().column[j - c] << c;
  return permutation<>(a, column.complement() | row.complement() << c);
}

/// Morton order of an array that need not be square: the axes' bits alternate as long as both have
/// some.
permutation<> z_order(unsigned lg_width, unsigned lg_height) {
  const unsigned both = std::min(lg_width, lg_height);
  std::vector<unsigned> target_of;
  for (unsigned j = 0; j < lg_width; ++j) target_of.push_back(j < both ? 2 * j : both + j);
  for (unsigned j = 0; j < lg_height; ++j) target_of.push_back(j < both ? 2 * j + 1 : both + j);
  return bmmc::bit_permutation(std::span<unsigned const>(target_of));
}

/// A picture cut into square tiles, at most 16 beside each other. Moved pixel by pixel most
/// permutations make noise of a picture; moved tile by tile one sees where each part went.
struct tiles {
  unsigned lg_width, lg_height;  // of the picture, in pixels
  unsigned lg_side = std::max({4U, lg_width, lg_height}) - 4;
  unsigned lg_across = lg_width - std::min(lg_side, lg_width);  // tiles in a row, and in a column
  unsigned lg_down = lg_height - std::min(lg_side, lg_height);

  /// The permutation of pixels that permutes whole tiles by `p`. Tiles are numbered row by row: the
  /// number has the high bits of the column, then the high bits of the row.
  [[nodiscard]] permutation<> moved(permutation<> const& p) const {
    const unsigned column = lg_width - lg_across, row = lg_height - lg_down;
    std::vector<unsigned> target_of;  // bits of a pixel's index to: those inside a tile, the tile's
    for (unsigned j = 0; j < column; ++j) target_of.push_back(j);
    for (unsigned j = 0; j < lg_across; ++j) target_of.push_back(column + row + j);
    for (unsigned j = 0; j < row; ++j) target_of.push_back(column + j);
    for (unsigned j = 0; j < lg_down; ++j) target_of.push_back(column + row + lg_across + j);
    const auto tile_by_tile = bmmc::bit_permutation(std::span<unsigned const>(target_of));
    return compose(inverse(tile_by_tile),
                   compose(on_axes(bmmc::identity_permutation(column + row), p), tile_by_tile));
  }
};

std::vector<effect> effects(unsigned lg_width, unsigned lg_height) {
  using namespace bmmc;
  const unsigned c = lg_width, r = lg_height, n = c + r;
  const auto same_columns = identity_permutation(c), same_rows = identity_permutation(r);
  const auto transposed = transpose(r, c);  // 2^c rows of 2^r pixels
  const tiles cut{c, r};
  const unsigned across = cut.lg_across, down = cut.lg_down, all = across + down;
  std::mt19937_64 generator(1);
  return {
      {"original", "as it is", identity_permutation(n)},
      {"transposed", "rows become columns", transposed, true},
      {"turned_right", "90 degrees clockwise: transposed, then each row reversed",
       compose(on_axes(vector_reversal(r), same_columns), transposed), true},
      {"turned_left", "90 degrees the other way: transposed, then each column reversed",
       compose(on_axes(same_rows, vector_reversal(c)), transposed), true},
      {"turned_over", "180 degrees: every bit of the index complemented", vector_reversal(n)},
      {"mirrored", "left and right exchanged", on_axes(vector_reversal(c), same_rows)},
      {"upside_down", "top and bottom exchanged", on_axes(same_columns, vector_reversal(r))},
      {"unshuffled_axes", "even columns and rows first, then the odd ones: four pictures",
       on_axes(unshuffle(c), unshuffle(r))},
      {"tiles_shuffled", "first and second half of the tiles in turns, like cards",
       cut.moved(shuffle(all))},
      {"tiles_unshuffled", "even tiles first, then the odd ones: the shuffle undone",
       cut.moved(unshuffle(all))},
      {"tiles_bit_reversed", "tile 0001 to place 1000: the order of an FFT's output",
       cut.moved(bit_reversal(all))},
      {"axes_bit_reversed", "the same for columns and for rows of tiles",
       cut.moved(on_axes(bit_reversal(across), bit_reversal(down)))},
      {"tiles_gray_encoded", "tile i to place i ^ i/2, its Gray code", cut.moved(gray_encode(all))},
      {"tiles_in_z_order", "tiles row by row to Z order (Morton)",
       cut.moved(z_order(across, down))},
      {"tiles_from_z_order", "tiles in Z order to row by row",
       cut.moved(inverse(z_order(across, down)))},
      {"tiles_random", "one of all affine maps, drawn at random",
       cut.moved(random_permutation(all, generator))},
  };
}

struct settings {
  std::string source, directory, array, fit;
  bool help = false;
};

boost::program_options::options_description options_into(settings& s) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()                                  //
      ("help,h", po::bool_switch(&s.help), "this text")  //
      ("out,o", po::value(&s.directory)->default_value("out/picture")->value_name("DIRECTORY"),
       "where the results go")  //
      ("fit,f", po::value(&s.fit)->default_value("crop")->value_name("HOW"),
       "crop or scale a picture whose sides are no powers of two")  //
      ("array,a", po::value(&s.array)->value_name("FILE"),
       "write the pixels as a .npy array too, 4 bytes each, for permute_file");
  return options;
}

std::string help_text() {
  settings unused;
  std::ostringstream text;
  text
      << "Turns, mirrors and shuffles a picture that is spread over the processes.\n\n"
         "  mpirun -np PROCS picture [OPTIONS] SOURCE\n\n"
         "SOURCE is a PNG, or a .npy array such as --array writes. The number of processes is a\n"
         "power of two.\n\n"
      << options_into(unused)
      << "\nResults, each as DIRECTORY/NAME.png; DIRECTORY/panels.csv lists them for overview.py\n";
  for (auto const& e : effects(1, 1))
    text << "  " << e.name << std::string(20 - e.name.size(), ' ') << e.meaning << '\n';
  text << "\nExit code: 0 success, 1 failure, 2 wrong usage.\n";
  return text.str();
}

/// Throws usage_error.
settings parse(int argc, char** argv) {
  namespace po = boost::program_options;
  settings s;
  po::options_description all = options_into(s);
  all.add_options()("source", po::value(&s.source));
  po::positional_options_description places;
  places.add("source", 1);
  example::require_plain(argc, argv);
  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(all).positional(places).run(), values);
    po::notify(values);
  } catch (po::error const& e) {
    throw example::usage_error(e.what());
  }
  if (s.help) return s;
  if (s.source.empty()) throw example::usage_error("a SOURCE picture is missing");
  if (s.fit != "crop" && s.fit != "scale")
    throw example::usage_error("--fit takes crop or scale, not '" + s.fit + "'");
  return s;
}

/// Reads the source and makes its sides powers of two. Tells what was done.
picture fitting_picture(settings const& s) {
  const picture whole = s.source.ends_with(".npy") ? example::read_npy_picture(s.source)
                                                   : example::read_png(s.source);
  const std::size_t width = std::bit_floor(whole.width), height = std::bit_floor(whole.height);
  const bool fits = width == whole.width && height == whole.height;
  std::cout << s.source << ": " << whole.width << " x " << whole.height << " pixels";
  if (!fits)
    std::cout << ", " << (s.fit == "crop" ? "cropped" : "scaled") << " to " << width << " x "
              << height;
  std::cout << std::endl;
  if (fits) return whole;
  return s.fit == "crop" ? example::cropped(whole) : example::scaled(whole, width, height);
}

/// How many messages each process sends, one of them perhaps to itself.
std::string messages_text(bmmc::plan const& plan) {
  if (plan.is_local()) return "no message";
  return std::to_string(plan.messages()) + (plan.messages() == 1 ? " message" : " messages") +
         " per process";
}

int program(mpi::communicator const& world, int argc, char** argv) {
  const settings s = parse(argc, argv);
  const bool first = world.rank() == 0;
  if (s.help) {
    if (first) std::cout << help_text() << std::flush;
    return 0;
  }
  picture p;
  example::together(world, [&] {
    if (!first) return;
    p = fitting_picture(s);
    std::filesystem::create_directories(s.directory);
    if (!s.array.empty()) example::write_npy_picture(s.array, p);
  });
  std::array<std::size_t, 2> sides{p.width, p.height};
  mpi::broadcast(world, sides, 0);
  const auto [width, height] = sides;
  const auto lg = [](std::size_t side) { return static_cast<unsigned>(std::countr_zero(side)); };
  const auto all = effects(lg(width), lg(height));
  const auto plan = bmmc::make_plan(all[0].move, bmmc::layout::processor_major{},
                                    static_cast<index_t>(world.size()));  // may refuse

  // Each process has a block of rows; or of a part of a row, where there are more processes.
  const auto bytes = static_cast<int>(plan.chunk_elements() * sizeof(rgb));
  std::vector<rgb> source, target;
  std::ofstream panels;
  if (first) panels.open(s.directory + "/panels.csv");
  if (first) panels << "name,meaning,messages\n";
  example::together(world, [&] {
    source.resize(plan.chunk_elements());
    target.resize(plan.chunk_elements());
  });
  MPI_Scatter(p.pixels.data(), bytes, MPI_BYTE, source.data(), bytes, MPI_BYTE, 0, world);
  for (effect const& e : all) {
    bmmc::permute<rgb>(world, source, target, e.move);
    if (first) {
      p.width = e.turned ? height : width;
      p.height = e.turned ? width : height;
    }
    MPI_Gather(target.data(), bytes, MPI_BYTE, p.pixels.data(), bytes, MPI_BYTE, 0, world);
    example::together(world, [&] {
      if (!first) return;
      example::write_png(s.directory + "/" + e.name + ".png", p);
      const auto cost = bmmc::make_plan(e.move, bmmc::layout::processor_major{}, plan.procs());
      panels << e.name << ",\"" << e.meaning << "\"," << messages_text(cost) << '\n';
      std::cout << e.name << std::string(20 - e.name.size(), ' ') << messages_text(cost) << "; "
                << e.meaning << std::endl;
    });
  }
  example::together(world, [&] {
    if (!first) return;
    panels.close();
    if (!panels) throw std::runtime_error(s.directory + "/panels.csv: it cannot be written");
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::environment environment(argc, argv);
  const mpi::communicator world;
  return example::run_together(world, "picture", [&] { return program(world, argc, argv); });
}
