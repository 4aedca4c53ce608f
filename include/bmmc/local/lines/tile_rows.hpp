// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <optional>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/lines/line_plan.hpp>

namespace bmmc::local {

namespace detail {

/// preimage[j] = A^-1 e_j where it exists.
struct preimages {
  std::array<std::optional<index_t>, 64> of_bit{};
  constexpr explicit preimages(bit_matrix<> const& a) {
    for (unsigned i = 0; i < a.rows(); ++i) of_bit[i] = solve(a, bit(i));
  }
  /// The low bits that have one.
  [[nodiscard]] constexpr unsigned filled_bits() const {
    unsigned j = 0;
    while (j < 64 && of_bit[j]) ++j;
    return j;
  }
};

/// A basis of S(k, j), the rows of 2^k bytes first.
[[nodiscard]] constexpr subspace tile_basis(preimages const& pre, unsigned k, unsigned j) {
  subspace s;
  for (unsigned i = 0; i < k; ++i) s.add(bit(i));
  for (unsigned i = 0; i < j; ++i) s.add(*pre.of_bit[i] & ~low_bits(k));
  return s;
}

/// The same, and more rows where there are less than are read in turn.
[[nodiscard]] constexpr subspace full_tile_basis(preimages const& pre, unsigned k, unsigned j,
                                                 unsigned bits, tile_shape const& shape) {
  subspace s = tile_basis(pre, k, j);
  const unsigned least = std::min(k + shape.interleaved, shape.tile);
  for (unsigned i = k; i < bits && s.dimension() < least; ++i) s.add(bit(i));
  return s;
}

/// How many source rows of a tile lie 2^bits bytes or multiples of that apart, as a power of two.
[[nodiscard]] constexpr unsigned lg_rows_alike(subspace const& tile, unsigned k,
                                               unsigned bits = alike_bits) {
  subspace places;
  for (unsigned i = k; i < tile.dimension(); ++i) places.add(tile.added()[i] & low_bits(bits));
  return tile.dimension() - k - places.dimension();
}
/// Whether more of them share a set than a shape allows: of the tables of pages, or of the
/// second-level cache, where twice as many may be at one place of a page.
[[nodiscard]] constexpr bool has_rows_alike(subspace const& tile, unsigned k,
                                            tile_shape const& shape) {
  return lg_rows_alike(tile, k) > shape.alike ||
         lg_rows_alike(tile, k, page_bits) > shape.alike + 1;
}

/// How many low bits a matrix leaves as they are, and apart from all others.
[[nodiscard]] constexpr unsigned bits_kept(bit_matrix<> const& a) noexcept {
  unsigned j = 0;
  while (j < a.cols() && a.column[j] == bit(j)) ++j;
  for (unsigned high = j; high < a.cols(); ++high)
    j = std::min(j, bmmc::detail::lowest_one(a.column[high]));
  return j;
}

/// Rows of at least 2^9 bytes are copied where a map leaves them whole.
inline constexpr unsigned least_row_moved = 9;
/// Rows of the target are two lines, which are stored together, before those of the source get
/// shorter than a shape wants them.
inline constexpr unsigned least_target_row = line_bits + 1;

/// The exponents of a tile S(k, j), and of the rows of its units.
struct row_lengths {
  unsigned k, j, in_unit;
};
/// As `shape` has them, or less where the map or the bounds want it: of a tile that is too large
/// the longer rows are halved, those of the source down to 2^least_row bytes. Where more of its
/// source rows would be alike than may be, they are fewer and longer, if there is room.
[[nodiscard]] constexpr row_lengths choose_rows(bit_matrix<> const& a, preimages const& pre,
                                                tile_shape const& shape, unsigned most_row_bits) {
  const unsigned kept = bits_kept(a), n = std::min(a.cols(), most_row_bits);
  const unsigned whole = kept >= least_row_moved ? kept : 64;
  const unsigned longest = std::min({shape.source_row, n, whole});
  unsigned k = longest, j = std::min(shape.target_row, pre.filled_bits());
  if (shape.rows_in_turn != 0) j = std::min(j, whole);  // rows are copied as they are
  const auto fits = [&](unsigned source, unsigned target) {
    return tile_basis(pre, source, target).dimension() <= shape.tile;
  };
  if (shape.is_square) {
    j = k = std::min(k, j);
    while (k > line_bits && !fits(k, k)) j = --k;
  } else {
    while (std::max(k, j) > line_bits && !fits(k, j)) {
      const bool may_halve = k > line_bits && (j <= least_target_row || k > shape.least_row);
      --(may_halve && (k >= j || j <= least_target_row) ? k : j);
    }
    while (k < longest && has_rows_alike(tile_basis(pre, k, j), k, shape)) {
      unsigned shorter = j;
      while (shorter > shape.least_target && !fits(k + 1, shorter)) --shorter;
      if (!fits(k + 1, shorter)) break;
      ++k;
      j = shorter;
    }
  }
  unsigned in_unit = j;
  while (in_unit > line_bits && tile_basis(pre, line_bits, in_unit).dimension() > shape.unit)
    --in_unit;
  return {k, j, in_unit};
}

/// Where runs of target rows end, as a power of two bytes: rows join inside of a unit, then from
/// unit to unit of a tile, then from tile to tile, and nothing else.
[[nodiscard]] constexpr unsigned run_bits(preimages const& pre, row_lengths const& rows,
                                          unsigned longest) {
  unsigned end = rows.in_unit;
  longest = std::min(longest, pre.filled_bits());
  const auto joins = [&](auto const& next) {
    while (end < longest && next(*pre.of_bit[end])) ++end;
  };
  subspace moved = tile_basis(pre, line_bits, rows.in_unit);
  const subspace tile = tile_basis(pre, rows.k, rows.j);
  joins([&](index_t x) { return moved.contains(x); });
  joins([&](index_t x) { return tile.contains(x) && moved.add(x); });
  moved = tile;
  joins([&](index_t x) { return moved.add(x); });
  return end;
}
/// The same rows; or longer ones in a unit, or in a larger tile, where runs of a target that is not
/// aligned would be shorter than a page without it, since their ends are stored in parts. Tiles
/// grow as far as a shape lets them.
[[nodiscard]] constexpr row_lengths with_long_runs(preimages const& pre, tile_shape const& shape,
                                                   row_lengths const& rows) {
  row_lengths best = rows;
  unsigned longest = run_bits(pre, rows, shape.longest_run());
  if (shape.longest_run() == page_bits || longest >= page_bits) return rows;
  const unsigned most = std::min(shape.longest_run(), pre.filled_bits());
  const unsigned room = std::max(shape.tile, shape.grown_tile);
  for (unsigned j = rows.j; j <= most && tile_basis(pre, rows.k, j).dimension() <= room; ++j)
    for (unsigned u = rows.in_unit; u <= j; ++u) {
      if (tile_basis(pre, line_bits, u).dimension() > shape.unit) break;
      const row_lengths longer{rows.k, j, u};
      if (const unsigned bits = run_bits(pre, longer, most); bits > longest) {
        longest = bits;
        best = longer;
      }
    }
  return best;
}

/// Whether all target rows of a tile lie at one place of a page. Stores to one place of many pages,
/// one after another, wait for each other.
[[nodiscard]] constexpr bool has_one_place(bit_matrix<> const& a, preimages const& pre,
                                           row_lengths const& rows) {
  const index_t places = low_bits(page_bits) & ~low_bits(rows.j);
  const subspace tile = tile_basis(pre, rows.k, rows.j);
  return std::none_of(tile.added().begin(), tile.added().end(),
                      [&](index_t x) { return (a * x & places) != 0; });
}

/// Rows of different length for register tiles of 2^lg_lines lines, 16 or more: by way of a buffer
/// where more source rows are alike than a shape allows, twice as many with 64 lines. Where all
/// target rows lie at one place they have 256 bytes, if there are no more than 128 source rows for
/// it, and not so many alike.
[[nodiscard]] constexpr tile_shape uneven_shape(bit_matrix<> const& a, preimages const& pre,
                                                tile_shape const& shape, unsigned most_row_bits,
                                                unsigned lg_lines) {
  tile_shape s = shape.uneven();
  if (shape.uneven_tile == 0) return s;
  s.alike = shape.alike + 1;
  tile_shape longer = s;
  longer.target_row = least_target_row + 1;
  auto rows = choose_rows(a, pre, longer, most_row_bits);
  if (has_one_place(a, pre, rows))
    s = longer;
  else
    rows = choose_rows(a, pre, s, most_row_bits);
  const bool are_alike = lg_rows_alike(tile_basis(pre, rows.k, rows.j), rows.k) > shape.alike;
  s.buffered = s.buffered || (are_alike && lg_lines < line_bits);
  return s;
}

/// The shape that a map takes: rows of different length, if a shape has tiles for these, where
/// register tiles of more than 16 lines make those of one length short, or too many are alike; and
/// with register tiles of 16 lines unless those of different length are all at one place, or if
/// those of one length are short.
[[nodiscard]] constexpr tile_shape shape_for(bit_matrix<> const& a, preimages const& pre,
                                             tile_shape shape, unsigned most_row_bits) {
  auto rows = choose_rows(a, pre, shape, most_row_bits);
  if (shape.grown_tile > shape.tile && rows.j < shape.grown_below) {
    shape.tile = shape.grown_tile;
    rows = choose_rows(a, pre, shape, most_row_bits);
  }
  const unsigned lg_lines = tile_basis(pre, line_bits, line_bits).dimension() - line_bits;
  if (lg_lines > lg_step_lines) return uneven_shape(a, pre, shape, most_row_bits, lg_lines);
  if (lg_rows_alike(tile_basis(pre, rows.k, rows.j), rows.k) > shape.alike) return shape.uneven();
  if (lg_lines < lg_step_lines) return shape;
  const auto uneven = choose_rows(a, pre, shape.uneven(), most_row_bits);
  if (!has_one_place(a, pre, uneven)) return shape.uneven();
  if (rows.j > least_target_row) return shape;
  return uneven_shape(a, pre, shape, most_row_bits, lg_lines);
}

/// Lanes split into M, which a register tile sends to different lines, and K, which it does not.
/// Taking high lanes first makes the lane permutations of plain transpositions identities.
struct lane_split {
  short_list<index_t> to_lines, in_line;

  constexpr explicit lane_split(bit_matrix<> const& a) {
    subspace lanes;
    for (unsigned j = line_bits; j-- > 0;)
      if (lanes.add(a.column[j] >> line_bits)) to_lines.push_back(bit(j));
    bit_matrix<> high{64, to_lines.size()};
    for (unsigned t = 0; t < to_lines.size(); ++t) high.column[t] = (a * to_lines[t]) >> line_bits;
    for (unsigned j = 0; j < line_bits; ++j)
      if (std::find(to_lines.begin(), to_lines.end(), bit(j)) == to_lines.end())
        in_line.push_back(bit(j) ^ to_lines.sum(*solve(high, a.column[j] >> line_bits)));
  }
};

}  // namespace detail

}  // namespace bmmc::local
