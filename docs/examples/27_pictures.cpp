// SPDX-License-Identifier: BSL-1.0

// Draws the pictures of README.md and docs/guide/reshaping.md, as the library places the elements:
//   27_pictures                    tells what there is
//   27_pictures DIRECTORY          writes them
//   27_pictures --check DIRECTORY  compares them with those that are there

#include <array>
#include <bmmc/planning.hpp>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <vector>

namespace {

using namespace bmmc;

constexpr std::array colours{"#cfe2f3", "#fce5cd", "#d9ead3", "#ead1dc"};  // of processes 0 .. 3
constexpr std::array six_colours{"#cfe2f3", "#fce5cd", "#d9ead3",
                                 "#ead1dc", "#fff2cc", "#d9d2e9"};  // of processes 0 .. 5
constexpr char const* grey = "#f3f3f3";

/// A drawing of boxes, texts and arrows; sizes in pixels.
class svg {
 public:
  svg(int width, int height) {
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\""
         << height << "\" font-family=\"sans-serif\" font-size=\"14\" text-anchor=\"middle\">\n"
         << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
         << "<defs><marker id=\"head\" markerWidth=\"8\" markerHeight=\"8\" refX=\"7\" refY=\"4\" "
            "orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>\n";
  }
  void box(int x, int y, int width, int height, char const* fill, std::string const& label,
           std::string const& small = {}) {
    out_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\""
         << height << "\" fill=\"" << fill << "\" stroke=\"#666\"/>\n";
    text(x + width / 2, y + height / 2 + (small.empty() ? 5 : -1), label);
    if (!small.empty())
      out_ << "<text x=\"" << x + width / 2 << "\" y=\"" << y + height - 6
           << "\" font-size=\"10\" fill=\"#666\">" << small << "</text>\n";
  }
  void text(int x, int y, std::string const& label) {
    out_ << "<text x=\"" << x << "\" y=\"" << y << "\">" << label << "</text>\n";
  }
  void arrow(int x1, int y1, int x2, int y2) {
    out_ << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2
         << "\" stroke=\"black\" marker-end=\"url(#head)\"/>\n";
  }
  [[nodiscard]] std::string take() {
    out_ << "</svg>\n";
    return out_.str();
  }

 private:
  std::ostringstream out_;
};

std::string binary(index_t x, unsigned n) {
  std::string bits;
  for (unsigned j = n; j-- > 0;) bits += ((x >> j) & 1) != 0 ? '1' : '0';
  return bits;
}

/// A 4 x 4 array, each cell in the colour of its process.
void draw_array(svg& s, int x, int y, array_layout const& a, bool bits) {
  for (index_t i = 0; i < 16; ++i) {
    const auto proc = layout::place(a, 4, 4, i).proc;
    s.box(x + static_cast<int>(i % 4) * 48, y + static_cast<int>(i / 4) * 40, 48, 40, colours[proc],
          std::to_string(i), bits ? binary(i, 4) : "");
  }
}

std::string named(std::string name, unsigned k) { return name.append(std::to_string(k)); }

std::string table() {
  svg s(420, 230);
  draw_array(s, 110, 40, array_layout{axis::blocks(2, 4), axis::local(2)}, true);
  for (int k = 0; k < 4; ++k) {
    s.text(134 + 48 * k, 30, named("c = ", static_cast<unsigned>(k)));
    s.text(80, 65 + 40 * k, named("r = ", static_cast<unsigned>(k)));
    s.text(355, 65 + 40 * k, named("process ", static_cast<unsigned>(k)));
  }
  return s.take();
}

/// A 4 x 4 matrix and its transpose, row by row; an element keeps the colour of its first process.
std::string transposed() {
  const auto move = transpose<2, 2>();
  svg s(700, 226);
  s.text(136, 24, "before");
  s.text(564, 24, "after transpose&lt;2, 2&gt;()");
  for (index_t x = 0; x < 16; ++x) {
    const auto cell = [&](int left, index_t place) {
      s.box(left + static_cast<int>(place % 4) * 56, 36 + static_cast<int>(place / 4) * 44, 56, 44,
            colours[x / 4], std::to_string(x), binary(x, 4));
    };
    cell(24, x);
    cell(452, move(x));
  }
  for (int k = 0; k < 4; ++k) {
    s.text(300, 63 + 44 * k, named("process ", static_cast<unsigned>(k)));
    s.arrow(340, 58 + 44 * k, 440, 58 + 44 * k);
  }
  return s.take();
}

std::string layouts() {
  struct one {
    char const* name;
    array_layout a;
  };
  const std::array<one, 6> all{{
      {"rows: blocks, local", {axis::blocks(2, 4), axis::local(2)}},
      {"columns: local, blocks", {axis::local(2), axis::blocks(2, 4)}},
      {"2 x 2: blocks, blocks", {axis::blocks(2, 2), axis::blocks(2, 2)}},
      {"rows in Gray code", {axis::blocks(2, 4).gray(), axis::local(2)}},
      {"2 x 2: cyclic, cyclic", {axis::cyclic(2, 2), axis::cyclic(2, 2)}},
      {"cyclic, blocks", {axis::cyclic(2, 2), axis::blocks(2, 2)}},
  }};
  svg s(690, 440);
  for (int k = 0; k < 6; ++k) {
    const int x = 20 + k % 3 * 225, y = 35 + k / 3 * 205;
    s.text(x + 96, y - 10, all[static_cast<std::size_t>(k)].name);
    draw_array(s, x, y, all[static_cast<std::size_t>(k)].a, false);
  }
  for (int k = 0; k < 4; ++k)
    s.box(120 + 120 * k, 405, 90, 24, colours[static_cast<std::size_t>(k)],
          named("process ", static_cast<unsigned>(k)));
  return s.take();
}

/// A 10 x 6 array over grids of any processes, each cell with the number of its process.
std::string grids() {
  struct one {
    char const* name;
    grid_layout a;
  };
  using axis = grid_axis;
  const std::array<one, 6> all{{
      {"blocks(10, 3), local(6)", {axis::blocks(10, 3), axis::local(6)}},
      {"full_blocks(10, 4), local(6)", {axis::full_blocks(10, 4), axis::local(6)}},
      {"local(10), blocks(6, 4)", {axis::local(10), axis::blocks(6, 4)}},
      {"blocks(10, 2), blocks(6, 3)", {axis::blocks(10, 2), axis::blocks(6, 3)}},
      {"cyclic(10, 2), blocks(6, 3)", {axis::cyclic(10, 2), axis::blocks(6, 3)}},
      {"block_cyclic(10, 2, 3), cyclic(6, 3)", {axis::block_cyclic(10, 2, 3), axis::cyclic(6, 3)}},
  }};
  svg s(830, 560);
  for (int k = 0; k < 6; ++k) {
    const int left = 40 + k % 3 * 270, top = 35 + k / 3 * 265;
    auto const& each = all[static_cast<std::size_t>(k)];
    s.text(left + 105, top - 10, each.name);
    for (index_t x = 0; x < each.a.elements(); ++x) {
      const index_t proc = each.a.place(x).proc;
      s.box(left + static_cast<int>(x % 6) * 35, top + static_cast<int>(x / 6) * 22, 35, 22,
            six_colours[proc], std::to_string(proc));
    }
  }
  s.text(415, 550, "the number in a cell is the process that holds it");
  return s.take();
}

/// Two rows of index bits, the highest left, and an arrow for each that goes elsewhere. Process
/// bits are coloured.
std::string bits_of(array_layout const& from, array_layout const& to,
                    std::function<std::string(unsigned)> const& name, char const* above,
                    char const* below) {
  const unsigned n = from.bits();
  const int width = 46, left = 90, whole = static_cast<int>(n) * width + 2 * left;
  svg s(whole, 200);
  const auto a = from.assignment(), b = to.assignment();
  const auto at = [&](unsigned address_bit) {
    return left + static_cast<int>(n - 1 - address_bit) * width;
  };
  s.text(whole / 2, 20, above);
  s.text(whole / 2, 192, below);
  for (unsigned d = 0; d < n; ++d) {
    const auto source = static_cast<unsigned>(std::countr_zero(a(bit(d))));
    const auto target = static_cast<unsigned>(std::countr_zero(b(bit(d))));
    const auto fill = [&](unsigned address_bit) {
      return address_bit >= n - from.proc_bits() ? colours[1] : grey;
    };
    s.box(at(source), 30, width, 36, fill(source), name(d));
    s.box(at(target), 136, width, 36, fill(target), name(d));
    s.arrow(at(source) + width / 2, 68, at(target) + width / 2, 132);
  }
  return s.take();
}
std::string bits() {
  return bits_of(
      array_layout{axis::blocks(2, 4), axis::local(2)},
      array_layout{axis::local(2), axis::blocks(2, 4)},
      [](unsigned d) { return named(d < 2 ? "c" : "r", d % 2); },
      "rows on processes: process | offset", "columns on processes: process | offset");
}

std::string gray() {
  svg s(450, 230);
  const array_layout a{axis::local(4).gray()};
  s.text(225, 22, "positions and their Gray code: one bit changes at each step");
  for (index_t i = 0; i < 16; ++i) {
    const index_t code = a.encoding()(i);
    const int x = 25 + static_cast<int>(i) * 25;
    s.text(x + 12, 48, std::to_string(i));
    for (unsigned j = 0; j < 4; ++j)
      s.box(x, 60 + static_cast<int>(3 - j) * 36, 25, 36,
            ((code >> j) & 1) != 0 ? colours[1] : "white", ((code >> j) & 1) != 0 ? "1" : "0");
  }
  s.text(225, 222, "each column is a code; its highest bit is on top");
  return s.take();
}

std::string split() {
  const auto r = reshape(array_layout::over({4}, low_bits(4), axis_code::gray),
                         array_layout::over({2, 2}, low_bits(4), axis_code::gray));
  const auto before = inverse(r.source.physical()), after = inverse(r.target.physical());
  const auto code = gray_encode(2);
  svg s(640, 250);
  s.text(150, 20, "before: one axis of 16");
  s.text(480, 20, "after: 4 x 4");
  for (index_t row = 0; row < 4; ++row)
    for (index_t col = 0; col < 4; ++col) {
      const index_t address = code(row) << 2 | code(col);
      const bool moves = before(address) != after(address);
      const int x = 40 + static_cast<int>(col) * 56, y = 35 + static_cast<int>(row) * 46;
      const char* const fill = moves ? colours[1] : grey;
      s.box(x, y, 56, 46, fill, std::to_string(before(address)), binary(address, 4));
      s.box(x + 330, y, 56, 46, fill, std::to_string(after(address)), binary(address, 4));
    }
  s.text(320, 240, "a cell is a process, its number below; coloured ones trade across bit 1 of it");
  return s.take();
}

std::string shapes() {
  const auto u = array_layout::over({5, 2, 4, 3}, low_bits(14), axis_code::gray);
  const auto v = array_layout::over({3, 2, 4, 5}, low_bits(14), axis_code::gray);
  const index_t changed = reshape(u, v).changed;
  svg s(640, 150);
  const auto row = [&](array_layout const& a, int y, std::string const& name) {
    s.text(20, y + 22, name);
    for (unsigned k = 0; k < a.axes().size(); ++k)
      for (unsigned j = 0; j < a.axes()[k].bits; ++j) {
        const unsigned d = a.lowest_bit(k) + j;
        const bool marked = ((changed >> d) & 1) != 0 && j + 1 == a.axes()[k].bits;
        s.box(40 + static_cast<int>(13 - d) * 36 + static_cast<int>(k) * 16, y, 36, 34,
              marked ? colours[1] : grey, std::to_string(d));
      }
  };
  row(u, 20, "U");
  row(v, 80, "V");
  s.text(320, 140, "the highest bit of an axis that only one shape has changes its code");
  return s.take();
}

struct picture {
  char const *file, *meaning;
  std::string (*draw)();
};
constexpr std::array<picture, 8> pictures{{
    {"transposed.svg", "a 4 x 4 matrix on four processes, before and after its transposition",
     transposed},
    {"table.svg", "a 4 x 4 array, its indices and their bits, one row on each process", table},
    {"layouts.svg", "six ways to spread it over four processes", layouts},
    {"grids.svg", "a 10 x 6 array over grids of three, four and six processes", grids},
    {"bits.svg", "from rows to columns: which index bit becomes which address bit", bits},
    {"gray.svg", "the Gray code of 16 positions", gray},
    {"split.svg", "one axis of 16 in Gray code becomes two of 4", split},
    {"shapes.svg", "the dimensions that change between two shapes of 2^14 elements", shapes},
}};

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc > 2 && !check) {
    std::cerr << "27_pictures [[--check] DIRECTORY]\n";
    return 2;
  }
  int different = 0;
  for (picture const& p : pictures) {
    const std::string drawn = p.draw();
    if (argc == 1) std::cout << p.file << ": " << p.meaning << '\n';
    if (argc == 1) continue;
    const std::string path = std::string(argv[argc - 1]) + '/' + p.file;
    if (check) {
      std::ostringstream found;
      found << std::ifstream(path).rdbuf();
      if (found.str() == drawn) continue;
      std::cerr << path << " is not what the library draws\n";
      different = 1;
    } else if (!(std::ofstream(path) << drawn)) {
      std::cerr << path << " cannot be written\n";
      return 1;
    }
  }
  return different;
}

// Prints:
// transposed.svg: a 4 x 4 matrix on four processes, before and after its transposition
// table.svg: a 4 x 4 array, its indices and their bits, one row on each process
// layouts.svg: six ways to spread it over four processes
// grids.svg: a 10 x 6 array over grids of three, four and six processes
// bits.svg: from rows to columns: which index bit becomes which address bit
// gray.svg: the Gray code of 16 positions
// split.svg: one axis of 16 in Gray code becomes two of 4
// shapes.svg: the dimensions that change between two shapes of 2^14 elements
