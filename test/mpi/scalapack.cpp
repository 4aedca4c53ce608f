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
