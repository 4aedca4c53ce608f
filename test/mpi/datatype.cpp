// SPDX-License-Identifier: BSL-1.0

// What the datatypes and pieces of an exchange say of themselves.

#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {
MPI_Count size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Type_size_x(type, &size);
  return size;
}
MPI_Count extent_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0;
  MPI_Type_get_extent_x(type, &lower, &extent);
  return extent;
}
}  // namespace

TEST_CASE("a row of any length is one datatype", "[mpi]") {
  using bmmc::comm::datatype;
  for (const unsigned e : {0U, 1U, 30U, 31U, 32U, 33U, 40U}) {
    const auto row = datatype::row_of(MPI_DOUBLE, bmmc::bit(e));
    CHECK(size_of(row.handle()) == MPI_Count{8} << e);
    CHECK(extent_of(row.handle()) == MPI_Count{8} << e);
  }
  for (const bmmc::index_t more : {1U, 4095U, 4096U}) {
    const auto row = datatype::row_of(MPI_BYTE, bmmc::bit(31) + more);
    CHECK(size_of(row.handle()) == (MPI_Count{1} << 31) + static_cast<MPI_Count>(more));
    CHECK(extent_of(row.handle()) == size_of(row.handle()));
  }
}

TEST_CASE("pieces divide a block and have 128 KiB at most", "[mpi]") {
  const auto c = bmmc::comm::communicator::of(MPI_COMM_WORLD);
  const auto to_self = bmmc::identity_permutation(0);
  for (const std::size_t bytes : {1U, 3U, 24U, 4096U}) {
    const auto element = bmmc::comm::datatype::bytes(bytes);
    for (const unsigned e : {0U, 5U, 22U, 36U}) {
      const bmmc::comm::exchange x(c, to_self, element.handle(), bytes, bmmc::bit(e));
      CHECK(x.block_bytes() == bytes << e);
      CHECK(size_of(x.block_type()) == static_cast<MPI_Count>(bytes << e));
      CHECK(size_of(x.piece_type()) == static_cast<MPI_Count>(x.piece_bytes()));
      CHECK(x.block_bytes() % x.piece_bytes() == 0);
      CHECK(x.piece_bytes() <= std::size_t{1} << 17);
      CHECK(x.piece_bytes() * 2 > std::min(x.block_bytes(), std::size_t{1} << 17));
    }
  }
}
