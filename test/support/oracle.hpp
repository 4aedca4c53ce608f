// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

/// What the library must agree with, found the slow way: matrices of single bits, layouts by
/// division and remainder, traffic by counting every element. Shares no code with the library.
namespace oracle {

using number = std::uint64_t;
using bits = std::vector<char>;  // bits[i] is bit i, 0 or 1

inline number power(unsigned n) { return number{1} << n; }

inline bits to_bits(number x, unsigned n) {
  bits b;
  for (unsigned i = 0; i < n; ++i, x /= 2) b.push_back(static_cast<char>(x % 2));
  return b;
}
inline number to_number(bits const& b) {
  number x = 0;
  for (std::size_t i = b.size(); i-- > 0;) x = 2 * x + static_cast<number>(b[i]);
  return x;
}

struct matrix {
  unsigned rows = 0, cols = 0;
  std::vector<bits> row{};

  matrix() = default;
  matrix(unsigned r, unsigned c) : rows(r), cols(c), row(r, bits(c, 0)) {}
  friend bool operator==(matrix const&, matrix const&) = default;
};

inline matrix unit(unsigned n) {
  matrix a(n, n);
  for (unsigned i = 0; i < n; ++i) a.row[i][i] = 1;
  return a;
}

/// Reads the column words of a matrix of the library, which have no bits beyond its rows.
template <class BitMatrix>
matrix read(BitMatrix const& words) {
  matrix a(words.rows(), words.cols());
  for (unsigned j = 0; j < a.cols; ++j) {
    const number word = words.column[j];
    const bits column = to_bits(word, a.rows);
    if (to_number(column) != word) throw std::logic_error("a column has bits beyond the rows");
    for (unsigned i = 0; i < a.rows; ++i) a.row[i][j] = column[i];
  }
  return a;
}
/// Column j as a word, bit i from row i.
inline number column_word(matrix const& a, unsigned j) {
  bits column;
  for (unsigned i = 0; i < a.rows; ++i) column.push_back(a.row[i][j]);
  return to_number(column);
}

inline bits times(matrix const& a, bits const& x) {
  bits y;
  for (unsigned i = 0; i < a.rows; ++i) {
    char sum = 0;
    for (unsigned j = 0; j < a.cols; ++j) sum = static_cast<char>(sum ^ (a.row[i][j] & x[j]));
    y.push_back(sum);
  }
  return y;
}
inline matrix times(matrix const& a, matrix const& b) {
  matrix c(a.rows, b.cols);
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = 0; j < b.cols; ++j)
      for (unsigned k = 0; k < a.cols; ++k)
        c.row[i][j] = static_cast<char>(c.row[i][j] ^ (a.row[i][k] & b.row[k][j]));
  return c;
}
inline matrix flipped(matrix const& a) {  // over its main diagonal
  matrix t(a.cols, a.rows);
  for (unsigned i = 0; i < a.rows; ++i)
    for (unsigned j = 0; j < a.cols; ++j) t.row[j][i] = a.row[i][j];
  return t;
}
inline matrix part(matrix const& a, unsigned row, unsigned rows, unsigned col, unsigned cols) {
  matrix b(rows, cols);
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned j = 0; j < cols; ++j) b.row[i][j] = a.row[row + i][col + j];
  return b;
}

/// Row rank, by elimination on rows (the library eliminates on columns).
inline unsigned rank(matrix a) {
  unsigned found = 0;
  for (unsigned j = 0; j < a.cols; ++j) {
    unsigned i = found;
    while (i < a.rows && a.row[i][j] == 0) ++i;
    if (i == a.rows) continue;
    std::swap(a.row[i], a.row[found]);
    for (unsigned k = found + 1; k < a.rows; ++k)
      if (a.row[k][j] != 0)
        for (unsigned l = 0; l < a.cols; ++l)
          a.row[k][l] = static_cast<char>(a.row[k][l] ^ a.row[found][l]);
    ++found;
  }
  return found;
}

using generator = std::mt19937_64;

inline matrix random_matrix(unsigned rows, unsigned cols, generator& random) {
  matrix a(rows, cols);
  for (auto& row : a.row)
    for (auto& entry : row) entry = static_cast<char>(random() % 2);
  return a;
}
inline matrix random_nonsingular(unsigned n, generator& random) {
  for (;;)
    if (auto a = random_matrix(n, n, random); rank(a) == n) return a;
}

/// Nonsingular, with a lower left p x (n-p) block of the given rank <= min(p, n-p): only offsets
/// mix, then `rank` process bits change places with offset bits, then processes mix.
inline matrix random_of_rank(unsigned n, unsigned p, unsigned rank, generator& random) {
  const unsigned m = n - p;
  const auto inside = [&] {  // the lower left block is zero
    matrix a = unit(n);
    const auto low = random_nonsingular(m, random), high = random_nonsingular(p, random),
               mixed = random_matrix(m, p, random);
    for (unsigned i = 0; i < n; ++i)
      for (unsigned j = 0; j < n; ++j)
        if (i < m) {
          a.row[i][j] = j < m ? low.row[i][j] : mixed.row[i][j - m];
        } else {
          a.row[i][j] = j < m ? char{0} : high.row[i - m][j - m];
        }
    return a;
  };
  matrix exchange = unit(n);
  for (unsigned k = 0; k < rank; ++k) std::swap(exchange.row[k], exchange.row[m + k]);
  const matrix before = inside(), after = inside();
  return times(after, times(exchange, before));
}

/// y = A x + c.
struct affine {
  matrix a{};
  bits c{};

  number operator()(number x) const {
    bits y = times(a, to_bits(x, a.cols));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<char>(y[i] ^ c[i]);
    return to_number(y);
  }
};
template <class Permutation>
affine read_affine(Permutation const& p) {
  return {read(p.matrix()), to_bits(p.complement(), p.bits())};
}

// Layouts, from what they are called.

struct spot {
  number proc = 0, offset = 0;
  friend bool operator==(spot, spot) = default;
};
using layout = std::function<spot(unsigned n, unsigned p, number index)>;

inline spot processor_major(unsigned n, unsigned p, number x) {
  const number chunk = power(n) / power(p);
  return {x / chunk, x % chunk};
}
inline spot processor_minor(unsigned, unsigned p, number x) { return {x % power(p), x / power(p)}; }
inline layout banded(unsigned f) {
  return [f](unsigned, unsigned p, number x) {
    const number block = x / power(f), in_block = x % power(f);
    return spot{block % power(p), block / power(p) * power(f) + in_block};
  };
}
inline layout process_bits(std::vector<unsigned> names) {
  return [names](unsigned n, unsigned, number x) {
    const bits index = to_bits(x, n);
    bits proc, offset;
    std::vector<char> named(n, 0);
    for (const unsigned j : names) proc.push_back(index[j]), named[j] = 1;
    for (unsigned j = 0; j < n; ++j)
      if (named[j] == 0) offset.push_back(index[j]);
    return spot{to_number(proc), to_number(offset)};
  };
}
/// The list of 2^p code words, by reflection.
inline std::vector<number> gray_list(unsigned p) {
  std::vector<number> list{0};
  for (unsigned k = 0; k < p; ++k)
    for (std::size_t i = list.size(); i-- > 0;) list.push_back(power(k) + list[i]);
  return list;
}
inline layout gray(layout base) {
  return [base](unsigned n, unsigned p, number x) {
    const spot at = base(n, p, x);
    return spot{gray_list(p)[at.proc], at.offset};
  };
}
inline layout affine_layout(affine map) {
  return [map](unsigned n, unsigned p, number x) { return processor_major(n, p, map(x)); };
}

/// Who sends how much to whom, counted element by element: sent[k][l] elements from k to l.
struct traffic {
  std::vector<std::vector<number>> sent;

  [[nodiscard]] number targets(number proc) const {
    number count = 0;
    for (const number elements : sent[proc]) count += elements != 0;
    return count;
  }
  [[nodiscard]] number stays() const {
    number count = 0;
    for (std::size_t k = 0; k < sent.size(); ++k) count += sent[k][k];
    return count;
  }
};
inline traffic count_traffic(unsigned n, unsigned p, std::function<number(number)> const& map,
                             layout const& source, layout const& target) {
  traffic t{std::vector(power(p), std::vector<number>(power(p), 0))};
  for (number x = 0; x < power(n); ++x) ++t.sent[source(n, p, x).proc][target(n, p, map(x)).proc];
  return t;
}

}  // namespace oracle
