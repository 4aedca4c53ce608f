// SPDX-License-Identifier: BSL-1.0

// Messages of 2^31 bytes and more, which an int cannot count: 2 processes, 8 GiB of memory.

#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

/// 2^31 bytes on each process: the top byte of a word tells the process, the rest the offset.
template <class Comm>
bool moves_large_blocks(bool in_place) {
  const unsigned m = 28, n = m + cases::proc_bits();
  const auto p = bmmc::flip(n, n - 1);  // the halves change places: one message of 2^31 bytes
  const auto me = static_cast<std::uint64_t>(cases::proc());
  std::vector<std::uint64_t> chunk(std::size_t{1} << m);
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = me << 56 | i;
  if (in_place) {
    bmmc::permute<std::uint64_t, Comm>(MPI_COMM_WORLD, chunk, p);
  } else {
    std::vector<std::uint64_t> target(chunk.size());
    bmmc::permute<std::uint64_t, Comm>(MPI_COMM_WORLD, chunk, target, p);
    chunk.swap(target);
  }
  const auto partner = me ^ (std::uint64_t{1} << (cases::proc_bits() - 1));
  for (std::size_t i = 0; i < chunk.size(); ++i)
    if (chunk[i] != (partner << 56 | i)) return false;
  return true;
}

}  // namespace

TEST_CASE("blocks of 2^31 bytes arrive whole", "[large]") {
  REQUIRE(cases::proc_bits() == 1);
  CHECK(moves_large_blocks<bmmc::comm::sendrecv_replace>(true));
  CHECK(moves_large_blocks<bmmc::comm::sendrecv>(false));
  CHECK(moves_large_blocks<bmmc::comm::alltoallv>(false));
}
