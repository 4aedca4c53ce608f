// SPDX-License-Identifier: BSL-1.0

// Peak memory of permuters: what is stated is what the system saw.

#include <fstream>

#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

constexpr std::size_t kibi = 1024, mebi = 1024 * kibi;
constexpr unsigned chunk_bits = 22;  // of doubles: 32 MiB
constexpr std::size_t chunk_bytes = sizeof(double) << chunk_bits;
/// MPI's own buffers, tables, and what the allocator keeps.
constexpr std::size_t spare = 6 * mebi;

std::size_t figure(char const* name) {
  std::string word;
  for (std::ifstream status("/proc/self/status"); status >> word;)
    if (word == name) {
      std::size_t value = 0;
      status >> value;
      return value * kibi;
    }
  return 0;
}

/// How far the peak of resident memory rises above what is resident before.
template <class Work>
std::size_t peak_of(Work const& work) {
  std::ofstream("/proc/self/clear_refs") << 5;  // forgets the peak so far
  const std::size_t before = figure("VmRSS:");
  work();
  REQUIRE(figure("VmHWM:") > 0);
  return figure("VmHWM:") - std::min(before, figure("VmHWM:"));
}

std::vector<bmmc::permutation<>> samples(unsigned n) {
  oracle::generator random(22);
  return {bmmc::bit_reversal(n), bmmc::transpose(n / 2, n - n / 2),
          bmmc::random_permutation(n, random)};
}

/// Peak of making and calling a permuter, which must move all elements to their places.
template <class Comm>
std::size_t peak_of(bmmc::permutation<> const& p, Comm const& policy, bool in_place) {
  const auto first = static_cast<index_t>(cases::proc()) << chunk_bits;
  std::vector<double> chunk(index_t{1} << chunk_bits), target(in_place ? 0 : chunk.size(), 1.0);
  for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<double>(first + i);
  const std::size_t peak = peak_of([&] {
    auto permute = bmmc::make_permuter<double>(
        MPI_COMM_WORLD, p, {}, policy,
        {.kind = in_place ? bmmc::call_kind::in_place : bmmc::call_kind::between_spans});
    if (in_place)
      permute(chunk);
    else
      permute(chunk, target);
  });
  const auto source_of = inverse(p);
  auto const& result = in_place ? chunk : target;
  bool all = true;
  for (index_t i = 0; i < result.size(); ++i)
    all &= result[i] == static_cast<double>(source_of(first + i));
  CHECK(all);
  return peak;
}

}  // namespace

TEST_CASE("in place within a sixteenth of the chunk, for every permutation", "[mpi]") {
  const unsigned n = cases::proc_bits() + chunk_bits;
  for (auto const& p : samples(n)) {
    CHECK(peak_of(p, comm::within_budget(chunk_bytes / 16), true) <= chunk_bytes / 16 + spare);
    CHECK(peak_of(p, comm::within_budget(0), true) <= spare);
    CHECK(peak_of(p, comm::within_budget(0), false) <= spare);
  }
}

TEST_CASE("what other policies take", "[mpi]") {
  const unsigned n = cases::proc_bits() + chunk_bits;
  for (auto const& p : samples(n)) {
    const std::size_t replaced = peak_of(p, comm::sendrecv_replace{}, true);
    CHECK(replaced >= chunk_bytes - mebi);  // so the peak is seen
    CHECK(replaced <= chunk_bytes + spare);
    if (cases::proc_bits() == 0) continue;
    CHECK(peak_of(p, comm::pipelined{}, true) <= chunk_bytes + 2 * mebi + spare);
    CHECK(peak_of(p, comm::pipelined{}, false) <= 4 * mebi + spare);
    CHECK(peak_of(p, comm::pipelined{4 * mebi, 3}, false) <= 6 * 4 * mebi + spare);
    CHECK(peak_of(p, comm::shared_window{}, true) <= 2 * chunk_bytes + spare);
    comm::shared_window in_pieces;
    in_pieces.piece_bytes = mebi / 2;
    CHECK(peak_of(p, in_pieces, true) <= chunk_bytes + mebi + spare);
    CHECK(peak_of(p, in_pieces, false) <= mebi + spare);
  }
}
