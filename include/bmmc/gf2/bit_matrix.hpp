// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <initializer_list>
#include <string>

#include <bmmc/gf2/short_list.hpp>

namespace bmmc {

/// Rows x Cols matrix over GF(2), one word per column: column[j] is the image of the index 2^j.
/// Invariant: bits Rows and above of every column are zero.
template <unsigned Rows = dynamic_bits, unsigned Cols = Rows>
  requires((Rows <= 64 && Cols <= 64) || (Rows == dynamic_bits && Cols == dynamic_bits))
struct bit_matrix {
  std::array<index_t, Cols> column{};

  [[nodiscard]] static constexpr unsigned rows() noexcept { return Rows; }
  [[nodiscard]] static constexpr unsigned cols() noexcept { return Cols; }
  friend constexpr bool operator==(bit_matrix const&, bit_matrix const&) = default;
};

/// The same with its size in the object. Nothing is allocated, so it works in constant expressions.
template <>
struct bit_matrix<dynamic_bits, dynamic_bits> {
  short_list<index_t> column{};
  unsigned row_count = 0;

  constexpr bit_matrix() = default;
  /// The zero matrix. Throws bad_value over 64 x 64.
  constexpr bit_matrix(unsigned rows, unsigned cols) : row_count(rows) {
    if (rows > 64 || cols > 64)
      detail::refuse({"a bit matrix has at most 64 x 64 entries, not ", rows, " x ", cols});
    column.count = cols;
  }
  constexpr bit_matrix(unsigned rows, std::initializer_list<index_t> columns)
      : bit_matrix(rows, static_cast<unsigned>(columns.size())) {
    unsigned j = 0;
    for (index_t word : columns) column[j++] = word;
  }
  constexpr bit_matrix(unsigned rows, short_list<index_t> const& columns)
      : bit_matrix(rows, columns.count) {
    column = columns;
  }
  template <unsigned R, unsigned C>
    requires(R != dynamic_bits)
  constexpr bit_matrix(bit_matrix<R, C> const& a) : bit_matrix(R, C) {
    for (unsigned j = 0; j < C; ++j) column[j] = a.column[j];
  }

  [[nodiscard]] constexpr unsigned rows() const noexcept { return row_count; }
  [[nodiscard]] constexpr unsigned cols() const noexcept { return column.count; }
  friend constexpr bool operator==(bit_matrix const&, bit_matrix const&) = default;
};

/// The zero matrix of a type whose size may be static (then it must be R x C) or dynamic.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr bit_matrix<R, C> zero_matrix(unsigned rows, unsigned cols) {
  if constexpr (R == dynamic_bits)
    return {rows, cols};
  else
    return {};
}

/// The same matrix with its size in the type. Throws bad_value where the size is another.
template <unsigned R, unsigned C = R>
[[nodiscard]] constexpr bit_matrix<R, C> to_static(bit_matrix<> const& a) {
  if (a.rows() != R || a.cols() != C)
    detail::refuse({"a matrix of ", a.rows(), " x ", a.cols(), " is not one of ", R, " x ", C});
  bit_matrix<R, C> b;
  for (unsigned j = 0; j < C; ++j) b.column[j] = a.column[j];
  return b;
}

/// Entry in row i and column j.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr bool entry(bit_matrix<R, C> const& a, unsigned i, unsigned j) noexcept {
  return ((a.column[j] >> i) & 1) != 0;
}

/// The identity on n <= 64 bits.
[[nodiscard]] constexpr bit_matrix<> identity_matrix(unsigned n) {
  bit_matrix<> a{n, n};
  for (unsigned j = 0; j < n; ++j) a.column[j] = bit(j);
  return a;
}
template <unsigned N>
[[nodiscard]] constexpr bit_matrix<N> identity_matrix() noexcept {
  bit_matrix<N> a;
  for (unsigned j = 0; j < N; ++j) a.column[j] = bit(j);
  return a;
}

/// The product a x: the sum of the columns that x selects. Bits of x beyond a.cols() count as zero.
/// Cost: one exclusive or for each 1 in x.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr index_t operator*(bit_matrix<R, C> const& a, index_t x) noexcept {
  index_t y = 0;
  for (x &= low_bits(a.cols()); x != 0; x &= x - 1) y ^= a.column[detail::lowest_one(x)];
  return y;
}

/// The product a b, which is a after b. Throws bad_value where the inner sizes differ.
/// Cost: at most as many word operations as b has entries.
template <unsigned R, unsigned K, unsigned C>
[[nodiscard]] constexpr bit_matrix<R, C> operator*(bit_matrix<R, K> const& a,
                                                   bit_matrix<K, C> const& b) {
  if (a.cols() != b.rows())
    detail::refuse(
        {"a matrix of ", a.cols(), " columns cannot multiply one of ", b.rows(), " rows"});
  auto product = zero_matrix<R, C>(a.rows(), b.cols());
  for (unsigned j = 0; j < b.cols(); ++j) product.column[j] = a * b.column[j];
  return product;
}

/// The transposed matrix. Cost: at most one word operation for each 1 in a.
template <unsigned R, unsigned C>
[[nodiscard]] constexpr bit_matrix<C, R> transposed(bit_matrix<R, C> const& a) {
  auto t = zero_matrix<C, R>(a.cols(), a.rows());
  for (unsigned j = 0; j < a.cols(); ++j)
    for (index_t rest = a.column[j]; rest != 0; rest &= rest - 1)
      t.column[detail::lowest_one(rest)] |= bit(j);
  return t;
}

/// Rows [row, row + rows) of columns [col, col + cols): a block of the partitions that papers draw.
[[nodiscard]] constexpr bit_matrix<> submatrix(bit_matrix<> const& a, unsigned row, unsigned rows,
                                               unsigned col, unsigned cols) {
  if (row + rows > a.rows() || col + cols > a.cols())
    detail::refuse({"the block of ", rows, " x ", cols, " at (", row, ", ", col,
                    ") leaves a matrix of ", a.rows(), " x ", a.cols()});
  bit_matrix<> block{rows, cols};
  for (unsigned j = 0; j < cols; ++j)
    block.column[j] = row < 64 ? (a.column[col + j] >> row) & low_bits(rows) : 0;
  return block;
}

}  // namespace bmmc
