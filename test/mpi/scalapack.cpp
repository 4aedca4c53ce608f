// SPDX-License-Identifier: BSL-1.0

// Our redistribution and ScaLAPACK's pdgemr2d give the same array for the same two descriptors.

#include "support/scalapack.hpp"
#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::block_cyclic_matrix;

/// A description of a matrix of these sizes on all processes.
block_cyclic_matrix random_description(unsigned lg_rows, unsigned lg_cols,
                                       oracle::generator& random) {
  const unsigned p = cases::proc_bits();
  const auto pick = [&](unsigned least, unsigned most) {
    return least + static_cast<unsigned>(random() % (most - least + 1));
  };
  block_cyclic_matrix a;
  a.lg_rows = lg_rows;
  a.lg_cols = lg_cols;
  const unsigned lg_grid_rows = pick(p - std::min(p, lg_cols), std::min(p, lg_rows));
  a.grid_rows = bmmc::bit(lg_grid_rows);
  a.grid_cols = bmmc::bit(p - lg_grid_rows);
  a.lg_row_block = pick(0, lg_rows - lg_grid_rows);
  a.lg_col_block = pick(0, lg_cols - (p - lg_grid_rows));
  a.by_columns = random() % 2 != 0;
  return a;
}

}  // namespace

TEST_CASE("pdgemr2d and redistribute give the same array", "[mpi]") {
  oracle::generator random(1997);
  for (int i = 0; i < 60; ++i) {
    const auto lg_rows = static_cast<unsigned>(2 + random() % 5);
    const auto lg_cols = static_cast<unsigned>(2 + random() % 5);
    const auto from = random_description(lg_rows, lg_cols, random);
    const auto to = random_description(lg_rows, lg_cols, random);
    const auto source = from.layout(), target = to.layout();
    const unsigned n = lg_rows + lg_cols, p = cases::proc_bits();
    const auto index_of = inverse(source.physical(n, p));
    std::vector<double> chunk(oracle::power(n - p));
    for (bmmc::index_t o = 0; o < chunk.size(); ++o)
      chunk[o] = static_cast<double>(
          index_of(static_cast<bmmc::index_t>(cases::proc()) * chunk.size() + o));
    std::vector<double> theirs(chunk.size(), -1), ours(chunk.size(), -2);
    scalapack::redistribution(from, to)(chunk.data(), theirs.data());
    bmmc::redistribute<double>(MPI_COMM_WORLD, chunk, ours, source, target);
    CHECK(ours == theirs);
  }
}

TEST_CASE("the same for matrices of any size, from descriptors with RSRC, CSRC and LLD", "[mpi]") {
  oracle::generator random(2024);
  const auto procs = bmmc::bit(cases::proc_bits());
  const auto me = static_cast<bmmc::index_t>(cases::proc());
  const auto description = [&](bmmc::index_t rows, bmmc::index_t cols) {
    bmmc::scalapack_matrix a{.rows = rows, .cols = cols};
    a.grid_rows = 1 + random() % procs;
    a.grid_cols = 1 + random() % (procs / a.grid_rows);
    a.row_block = 1 + random() % (rows + 2);
    a.col_block = 1 + random() % 7;
    a.first_row = random() % a.grid_rows;
    a.first_col = random() % a.grid_cols;
    a.by_columns = random() % 2 != 0;
    if (random() % 2 != 0) a.column_stride = rows + random() % 5;
    return a;
  };
  for (int i = 0; i < 60; ++i) {
    const auto rows = 1 + random() % 40, cols = 1 + random() % 40;
    const auto from = description(rows, cols), to = description(rows, cols);
    const auto source = from.layout(), target = to.layout();
    std::vector<double> chunk(source.span(me) + 1, -3), theirs(target.span(me) + 1, -1),
        ours = theirs;  // BLACS wants an address, even for no elements
    for (bmmc::index_t x = 0; x < source.elements(); ++x)
      if (const auto at = source.place(x); at.proc == me) chunk[at.offset] = static_cast<double>(x);
    scalapack::any_redistribution(from, to, me)(chunk.data(), theirs.data());
    bmmc::redistribute<double>(MPI_COMM_WORLD, std::span(chunk).first(source.span(me)),
                               std::span(ours).first(target.span(me)), source, target);
    CHECK(ours == theirs);
  }
}
