// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <bmmc/planning.hpp>

#include "array_file.hpp"

namespace example {

/// A name that no catalogue knows, or one with the wrong arguments.
class unknown_name : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A name and its arguments, as in  axes:3,4,5:2,0,1 .
struct spelled_name {
  std::string text, name;
  std::vector<std::vector<unsigned>> groups;

  /// Throws unknown_name unless the arguments are numbers.
  explicit spelled_name(std::string const& spelling) : text(spelling) {
    std::string_view rest = text;
    name = next(rest, ':');
    while (rest.data() != nullptr) {
      std::string_view group = next(rest, ':');
      groups.emplace_back();
      while (group.data() != nullptr) groups.back().push_back(number(next(group, ',')));
    }
  }

  /// Throws unknown_name unless there is one group of `count` arguments.
  [[nodiscard]] std::vector<unsigned> const& arguments(std::size_t count,
                                                       std::string const& such_as) const {
    if (groups.size() != 1 || groups[0].size() != count)
      throw unknown_name("'" + text + "' should be such as " + such_as);
    return groups[0];
  }
  /// The only argument, or `otherwise` where there is none.
  [[nodiscard]] unsigned argument_or(unsigned otherwise, std::string const& such_as) const {
    return groups.empty() ? otherwise : arguments(1, such_as)[0];
  }
  void no_arguments() const {
    if (!groups.empty()) throw unknown_name("'" + name + "' takes no arguments: '" + text + "'");
  }

 private:
  static std::string_view next(std::string_view& rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view first = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
    return first;
  }
  [[nodiscard]] unsigned number(std::string_view digits) const {
    unsigned value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || stop != end)
      throw unknown_name("'" + std::string(digits) + "' in '" + text + "' is not a number");
    return value;
  }
};

/// Lines of 0 or . and 1, one per row, bit 0 first, the column of bit 0 leftmost, spaces as one
/// likes; behind a bar, where there is one, the row's bit of the complement. So it is how bmmc
/// prints a permutation. Throws std::runtime_error with the line, and singular_matrix.
[[nodiscard]] inline bmmc::permutation<> read_permutation(std::string const& path) {
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(path + ": it cannot be opened");
  std::string text(65537, '\0');  // whoever names another file, or a device, is told so
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > 65536) throw std::runtime_error(path + ": it is too long for a matrix");
  std::istringstream file(text);
  std::vector<std::string> rows;
  bmmc::index_t complement = 0;
  unsigned number = 0;
  const auto fail = [&](std::string const& why) {
    throw std::runtime_error(path + ":" + std::to_string(number) + ": " + why);
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    std::string row;
    bool behind_bar = false;
    unsigned complements = 0;
    for (const char c : line) {
      const bool one = c == '1';
      if (c == ' ' || c == '\t' || c == '\r') continue;
      if (c == '|' && !behind_bar) {
        behind_bar = true;
      } else if (!one && c != '0' && c != '.') {
        fail(std::string("'") + c + "' is neither 0, 1, a dot nor the first bar");
      } else if (!behind_bar) {
        row += c;
      } else {
        if (++complements > 1) fail("one entry stands behind the bar");
        if (one && rows.size() < bmmc::most_bits)
          complement |= bmmc::bit(static_cast<unsigned>(rows.size()));
      }
    }
    if (row.empty() && !behind_bar) continue;
    if (!rows.empty() && row.size() != rows[0].size())
      fail("a row of " + std::to_string(row.size()) + " entries below one of " +
           std::to_string(rows[0].size()));
    rows.push_back(row);
  }
  const std::size_t n = rows.size();
  if (n == 0) throw std::runtime_error(path + ": it holds no matrix");
  if (n > bmmc::most_bits || rows[0].size() != n)
    throw std::runtime_error(path + ": a matrix of " + std::to_string(n) + " rows and " +
                             std::to_string(rows[0].size()) +
                             " columns is not square, or has more than 63");
  bmmc::bit_matrix<> a(static_cast<unsigned>(n), static_cast<unsigned>(n));
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j < n; ++j)
      if (rows[i][j] == '1') a.column[j] |= bmmc::bit(i);
  return bmmc::permutation<>(a, complement);
}

inline constexpr char permutation_names[] =
    "  identity                 as it is\n"
    "  bit_reversal             bit j of the index to bit n-1-j, as an FFT wants it\n"
    "  transpose[:R,C]          a row-major matrix of 2^R x 2^C elements; of the file's own shape\n"
    "  axes[:E0,E1,..]:A0,A1,.. axis k of the result is axis Ak of the source, as in numpy; the\n"
    "                           extents are 2^E0, 2^E1, .., or those of the file's own shape\n"
    "  shuffle, unshuffle       perfect shuffle of a deck of cards, and back\n"
    "  vector_reversal          last element first\n"
    "  gray_encode, gray_decode index x to x ^ (x >> 1), and back\n"
    "  morton_encode[:D]        row-major order of D equal axes (2) to Z order\n"
    "  morton_decode[:D]        and back\n"
    "  block_to_cyclic:P        deal P blocks out one by one\n"
    "  cyclic_to_block:P        and back\n"
    "  rotate_bits:K            bit j of the index to bit j+K, cyclic\n"
    "  swap_bits:I,J            exchange two bits of the index\n"
    "  cnot:C,T                 add bit C of the index to bit T\n"
    "  flip:J                   complement bit J of the index\n"
    "  random:SEED              one of all nonsingular A and c, the same for the same seed\n";

namespace detail {

/// lg of every extent; throws bad_value unless they are powers of two.
inline std::vector<unsigned> lg_extents(std::vector<std::uint64_t> const& shape) {
  std::vector<unsigned> lg;
  for (const std::uint64_t extent : shape) {
    if (!std::has_single_bit(extent))
      throw bmmc::bad_value("an axis of " + std::to_string(extent) +
                            " elements is not a power of two");
    lg.push_back(static_cast<unsigned>(std::countr_zero(extent)));
  }
  return lg;
}

/// Permutes axes of 2^lg[k] elements, and those of the file's shape where they are the same.
inline bmmc::permutation<> permute_axes(std::vector<unsigned> const& lg,
                                        std::vector<unsigned> const& axes,
                                        std::vector<std::uint64_t>& shape) {
  auto p = bmmc::axis_permutation(bmmc::lg_extents(lg), bmmc::axis_order(axes));
  const bool same = shape.size() == lg.size() && std::ranges::equal(shape, lg, {}, {}, bmmc::bit);
  if (!same) return p;
  const auto old = shape;
  for (std::size_t k = 0; k < axes.size(); ++k) shape[k] = old[axes[k]];
  return p;
}

}  // namespace detail

/// The permutation of 2^n elements with this spelling; `shape`, the array's, becomes the result's.
/// Throws unknown_name, and bad_value for arguments that do not fit n.
[[nodiscard]] inline bmmc::permutation<> named_permutation(std::string const& spelling, unsigned n,
                                                           std::vector<std::uint64_t>& shape) {
  const spelled_name s(spelling);
  const auto plain = [&](auto make) {
    s.no_arguments();
    return make(n);
  };
  if (s.name == "transpose" || s.name == "axes") {
    if (s.name == "axes" && (s.groups.empty() || s.groups.size() > 2))
      throw unknown_name("'" + spelling + "' should be such as axes:3,4,5:2,0,1 or axes:2,0,1");
    const bool own_shape = s.groups.size() == (s.name == "axes" ? 1U : 0U);
    if (own_shape && shape.empty())
      throw unknown_name("'" + spelling + "' takes its extents from the array's shape, which " +
                         "is not known here");
    const auto lg = own_shape          ? detail::lg_extents(shape)
                    : s.name == "axes" ? s.groups[0]
                                       : s.arguments(2, "transpose:3,5");
    if (s.name == "transpose" && lg.size() != 2)
      throw unknown_name("'" + spelling + "' is for arrays of two axes, not " +
                         std::to_string(lg.size()));
    return detail::permute_axes(lg, s.name == "axes" ? s.groups.back() : std::vector{1U, 0U},
                                shape);
  }
  if (s.name == "identity") return plain([](unsigned k) { return bmmc::identity_permutation(k); });
  if (s.name == "bit_reversal") return plain([](unsigned k) { return bmmc::bit_reversal(k); });
  if (s.name == "shuffle") return plain([](unsigned k) { return bmmc::shuffle(k); });
  if (s.name == "unshuffle") return plain([](unsigned k) { return bmmc::unshuffle(k); });
  if (s.name == "vector_reversal")
    return plain([](unsigned k) { return bmmc::vector_reversal(k); });
  if (s.name == "gray_encode") return plain([](unsigned k) { return bmmc::gray_encode(k); });
  if (s.name == "gray_decode") return plain([](unsigned k) { return bmmc::gray_decode(k); });
  if (s.name == "morton_encode") return bmmc::morton_encode(n, s.argument_or(2, "morton_encode:3"));
  if (s.name == "morton_decode") return bmmc::morton_decode(n, s.argument_or(2, "morton_decode:3"));
  if (s.name == "block_to_cyclic")
    return bmmc::block_to_cyclic(n, s.arguments(1, "block_to_cyclic:4")[0]);
  if (s.name == "cyclic_to_block")
    return bmmc::cyclic_to_block(n, s.arguments(1, "cyclic_to_block:4")[0]);
  if (s.name == "rotate_bits") return bmmc::rotate_bits(n, s.arguments(1, "rotate_bits:2")[0]);
  if (s.name == "swap_bits") {
    const auto a = s.arguments(2, "swap_bits:0,7");
    return bmmc::swap_bits(n, a[0], a[1]);
  }
  if (s.name == "cnot") {
    const auto a = s.arguments(2, "cnot:0,7");
    return bmmc::cnot(n, a[0], a[1]);
  }
  if (s.name == "flip") return bmmc::flip(n, s.arguments(1, "flip:3")[0]);
  if (s.name == "random") {
    std::mt19937_64 generator(s.arguments(1, "random:1")[0]);
    return bmmc::random_permutation(n, generator);
  }
  throw unknown_name("there is no permutation named '" + s.name + "'");
}

namespace detail {
/// The numbers of --axes, each axis once. Throws unknown_name.
inline std::vector<unsigned> axis_list(std::string const& list, std::size_t order) {
  const spelled_name s("axes:" + list);
  if (s.groups.size() != 1 || s.groups[0].size() != order)
    throw unknown_name("'" + list + "' should name each of the " + std::to_string(order) +
                       " axes once, such as 2,0,1");
  std::vector<bool> named(order);
  for (const unsigned axis : s.groups[0]) {
    if (axis >= order || named[axis])
      throw unknown_name("'" + list + "' should name each of the " + std::to_string(order) +
                         " axes once, such as 2,0,1");
    named[axis] = true;
  }
  return s.groups[0];
}
/// The same axes as they stand in the file, where Fortran order has them reversed.
inline std::vector<unsigned> file_axes(std::string const& list, array_format const& a) {
  auto axes = axis_list(list, a.shape.size());
  if (a.fortran_order)
    for (unsigned& axis : axes) axis = static_cast<unsigned>(axes.size()) - 1 - axis;
  return axes;
}
}  // namespace detail

/// The permutation of --axes, spelled for the axes as they stand in the file.
[[nodiscard]] inline std::string axes_of_file(std::string const& list, array_format const& a) {
  if (!a.is_npy()) throw unknown_name("--axes takes the shape of a .npy file");
  std::string text = "axes";
  for (const unsigned axis : detail::file_axes(list, a))
    text += (text.size() == 4 ? ":" : ",") + std::to_string(axis);
  return text;
}
/// The shape of an array that --axes has turned into this one.
[[nodiscard]] inline std::vector<std::uint64_t> shape_before(std::string const& list,
                                                             array_format const& a) {
  const auto axes = detail::axis_list(list, a.shape.size());
  auto shape = a.shape;
  for (std::size_t k = 0; k < axes.size(); ++k) shape[axes[k]] = a.shape[k];
  return shape;
}

inline constexpr char layout_names[] =
    "  processor_major          consecutive blocks\n"
    "  processor_minor          elements dealt out one by one (cyclic)\n"
    "  banded:F                 blocks of 2^F elements dealt out in turn (block-cyclic)\n"
    "  process_bits:I,J,..      these bits of the index name the process, lowest first\n"
    "  gray:LAYOUT              LAYOUT with its processes numbered in Gray code\n"
    "  affine:FILE              address = A index + c, A and c as for --matrix\n"
    "  random:SEED              such a map drawn at random\n";

/// The layout with this spelling, for 2^n elements on 2^p processes. Each is an affine map from
/// index to address, so one type serves for all that are known only when the program runs.
[[nodiscard]] inline bmmc::layout::affine<> named_layout(std::string const& spelling, unsigned n,
                                                         unsigned p) {
  namespace layout = bmmc::layout;
  const auto fixed = [n, p](auto const& l) { return layout::affine<>(l.physical(n, p)); };
  if (constexpr std::string_view coded = "gray:"; spelling.starts_with(coded)) {
    std::size_t times = 1;  // a loop: who says it ten thousand times gets what was asked for
    while (std::string_view(spelling).substr(times * coded.size()).starts_with(coded)) ++times;
    auto l = named_layout(spelling.substr(times * coded.size()), n, p);
    for (; times != 0; --times) l = fixed(layout::gray<layout::affine<>>{l});
    return l;
  }
  if (spelling.starts_with("affine:"))
    return fixed(layout::affine<>(read_permutation(spelling.substr(7))));
  const spelled_name s(spelling);
  if (s.name == "processor_major") return s.no_arguments(), fixed(layout::processor_major{});
  if (s.name == "processor_minor") return s.no_arguments(), fixed(layout::processor_minor{});
  if (s.name == "gray") return s.no_arguments(), fixed(layout::gray<>{});
  if (s.name == "banded") return fixed(layout::banded(s.arguments(1, "banded:3")[0]));
  if (s.name == "process_bits") {
    if (s.groups.size() > 1) throw unknown_name("'" + spelling + "': one list of bits is enough");
    const auto bits = s.groups.empty() ? std::vector<unsigned>{} : s.groups[0];
    return fixed(layout::process_bits(std::span<unsigned const>(bits)));
  }
  if (s.name == "random") {
    std::mt19937_64 generator(s.arguments(1, "random:1")[0]);
    return fixed(layout::affine<>(bmmc::random_permutation(n, generator)));
  }
  throw unknown_name("there is no layout named '" + s.name + "'");
}

}  // namespace example
