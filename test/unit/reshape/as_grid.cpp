// SPDX-License-Identifier: BSL-1.0

// Other descriptions of arrays on grids: those by bits, and ScaLAPACK's.

#include <array>
#include <bmmc/reshape/as_grid.hpp>
#include <bmmc/reshape/scalapack.hpp>

#include "support/catch.hpp"
#include "support/grid_oracle.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::array_layout;
using bmmc::axis;
using bmmc::bad_value;
using bmmc::index_t;
using bmmc::scalapack_matrix;

/// Both place every index alike.
bool is_alike(array_layout const& a) {
  const auto grid = as_grid(a);
  const auto physical = a.physical();
  const unsigned m = a.bits() - a.proc_bits();
  bool same = grid.elements() == bmmc::bit(a.bits()) && grid.procs() == bmmc::bit(a.proc_bits());
  for (index_t x = 0; same && x < grid.elements(); ++x)
    same = grid.place(x) == bmmc::placement{physical(x) >> m, physical(x) & bmmc::low_bits(m)};
  return same;
}

}  // namespace

TEST_CASE("a description by bits is one by positions", "[grid]") {
  CHECK(is_alike({}));
  CHECK(is_alike({axis::local(5)}));
  CHECK(is_alike({axis::blocks(3, 8), axis::cyclic(4, 2)}));
  CHECK(
      is_alike({axis::local(0), axis::block_cyclic(5, 4, 2), axis::local(2), axis::blocks(2, 2)}));
  const array_layout a{axis::block_cyclic(3, 2, 1), axis::cyclic(3, 4), axis::blocks(2, 2)};
  oracle::each_order(3, [&](std::vector<unsigned> const& order) {
    CHECK(is_alike(a.on_grid({order[0], order[1], order[2]})));
  });
  CHECK_COMPLAINS(bad_value, bmmc::as_grid(array_layout{axis::blocks(3, 2).gray()}), "binary code");
  CHECK_COMPLAINS(bad_value, bmmc::as_grid(array_layout{axis::on_bits(3, 0b101)}), "side by side");
}

TEST_CASE("descriptors of ScaLAPACK convert both ways", "[grid]") {
  const std::array<int, 9> descriptor{1, 42, 100, 60, 8, 7, 1, 2, 40};
  auto a = scalapack_matrix::from_descriptor(descriptor, 3, 4);
  CHECK(a.descriptor(42, 0) == descriptor);
  // Row i lies in the grid row (i / MB + RSRC) mod 3, column j in column (j / NB + CSRC) mod 4.
  const std::array<oracle::split, 2> splits{
      {{oracle::split::block_cyclic, 60, 4, 7, 2}, {oracle::split::block_cyclic, 100, 3, 8, 1}}};
  const auto cols = oracle::deal(splits[0]), rows = oracle::deal(splits[1]);
  for (const bool by_columns : {false, true}) {
    a.by_columns = by_columns;
    const auto layout = a.layout();
    for (index_t j = 0; j < 60; ++j)
      for (index_t i = 0; i < 100; ++i) {
        const index_t proc =
            by_columns ? cols.owner[j] * 3 + rows.owner[i] : rows.owner[i] * 4 + cols.owner[j];
        CHECK(layout.place(i + 100 * j) ==
              bmmc::placement{proc, rows.place[i] + 40 * cols.place[j]});
      }
  }
  a.column_stride = 0;
  for (index_t proc = 0; proc < 12; ++proc)  // numbered by columns here
    CHECK(a.descriptor(0, proc)[8] == static_cast<int>(rows.held[proc % 3]));
  CHECK_COMPLAINS(
      bad_value,
      scalapack_matrix::from_descriptor(std::array<int, 9>{501, 0, 1, 1, 1, 1, 0, 0, 1}, 1, 1),
      "501");
  CHECK_COMPLAINS(
      bad_value,
      scalapack_matrix::from_descriptor(std::array<int, 9>{1, 0, 5, -3, 1, 1, 0, 0, 1}, 1, 1),
      "entry 4", "-3");
  a.rows = index_t{1} << 31;
  CHECK_COMPLAINS(bad_value, a.descriptor(0, 0), "2147483648");
}
