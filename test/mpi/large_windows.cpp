// SPDX-License-Identifier: BSL-1.0

// Windows of 64 MiB, run where /dev/shm has no room for them: see small_shm.

#include <numeric>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "support/catch.hpp"

TEST_CASE("windows larger than /dev/shm", "[windows]") {
  const unsigned n = 23;
  const auto procs = static_cast<std::size_t>(agreed::procs());
  const std::size_t chunk = (std::size_t{1} << n) / procs;
  bmmc::shared_vector<double> seen(MPI_COMM_WORLD, chunk);
  const auto first = static_cast<double>(static_cast<std::size_t>(cases::proc()) * chunk);
  std::iota(seen.begin(), seen.end(), first);
  std::vector<double> data(seen.begin(), seen.end());
  const double last = static_cast<double>(procs * chunk - 1);
  auto permute = bmmc::make_permuter<double>(MPI_COMM_WORLD, bmmc::vector_reversal(n));
  permute(std::span(data));
  permute(seen);
  bool is_right = true;
  for (std::size_t i = 0; i < chunk; ++i) {
    const double expected = last - (first + static_cast<double>(i));
    is_right = is_right && data[i] == expected && seen[i] == expected;
  }
  CHECK(is_right);
}
