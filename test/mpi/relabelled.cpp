// SPDX-License-Identifier: BSL-1.0

// Results whose processes are renumbered: on the communicator that comes back, every process holds
// what its number says; a plan of rank 0 sends nothing.

#include <sys/mman.h>

#include <boost/mpi/communicator.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
using bmmc::index_t;
using bmmc::permutation;

#ifdef BMMC_TEST_FEWER
constexpr int random_cases = 50;
#else
constexpr int random_cases = 500;
#endif

bool is_power_of_two() { return (agreed::procs() & (agreed::procs() - 1)) == 0; }

int rank_on(MPI_Comm c) {
  int rank = -1;
  MPI_Comm_rank(c, &rank);
  return rank;
}

/// What is wrong with a relabelled permutation; nothing where all is well. Afterwards the new
/// communicator takes everything back to where the source layout has it under the new numbers.
template <class T, class Comm>
std::string fault(permutation<> const& p, int source_kind, int target_kind, bool in_place) {
  const unsigned bits = cases::proc_bits();
  using cases::any_layout;
  const bmmc::layout::between layout{any_layout{source_kind}, any_layout{target_kind}};
  const bmmc::layout::between back{any_layout{target_kind}, any_layout{source_kind}};
  auto chunk = cases::elements<T>(cases::held(source_kind, p.bits(), bits));
  const auto before = chunk;
  comm::unique_communicator renamed;
  if (in_place) {
    renamed = bmmc::permute_relabelled<T, Comm>(MPI_COMM_WORLD, chunk, p, layout);
  } else {
    std::vector<T> other(chunk.size());
    renamed = bmmc::permute_relabelled<T, Comm>(MPI_COMM_WORLD, chunk, other, p, layout);
    if (chunk != before) return "the source was changed";
    chunk = other;
  }
  const int number = rank_on(renamed);
  const auto targets = cases::all_targets(p);
  if (chunk != cases::elements<T>(cases::held(target_kind, p.bits(), bits, &targets, number)))
    return "after";
  bmmc::permute<T, Comm>(renamed, chunk, inverse(p), back);
  if (chunk != cases::elements<T>(cases::held(source_kind, p.bits(), bits, nullptr, number)))
    return "and back";
  return "";
}
std::string fault(int kind, permutation<> const& p, int source, int target) {
  const bool in_place = kind % 2 == 0;
  switch (kind % 6) {
    case 0:
      return fault<std::uint32_t, comm::sendrecv>(p, source, target, in_place);
    case 1:
      return fault<double, comm::sendrecv_replace>(p, source, target, in_place);
    case 2:
      return fault<index_t, comm::alltoallv>(p, source, target, in_place);
    case 3:
      return fault<cases::record, isend_irecv>(p, source, target, in_place);
    case 4:
      return fault<double, comm::dimension_exchange>(p, source, target, in_place);
    default:
      return fault<std::string, comm::sendrecv>(p, source, target, in_place);
  }
}

/// Permutations of processes and of offsets that form every kind of cycle of processes: all
/// numbers but 0 in one cycle (3, 7 or 15 of them), cycles of four, some fixed, all moved.
std::vector<permutation<>> process_cycles(unsigned m) {
  const unsigned p = cases::proc_bits(), n = m + p;
  std::vector<permutation<>> cycles{bmmc::identity_permutation(n)};
  const auto on_processes = [&](oracle::matrix const& a, index_t shift) {
    oracle::matrix whole = oracle::unit(n);
    for (unsigned i = 0; i < p; ++i)
      for (unsigned j = 0; j < p; ++j) whole.row[m + i][m + j] = a.row[i][j];
    cycles.push_back(permutation<>(to_library(whole), shift << m));
  };
  oracle::matrix companion(p, p), jordan = oracle::unit(p);
  for (unsigned j = 0; j < p; ++j) companion.row[(j + 1) % p][j] = 1;
  if (p >= 2) companion.row[1][p - 1] = 1;  // x^p + x + 1
  for (unsigned j = 0; j + 1 < p; ++j) jordan.row[j][j + 1] = 1;
  for (const index_t shift : {index_t{0}, oracle::power(p) - 1, index_t{p >= 1 ? 1U : 0U}}) {
    if (p >= 2) on_processes(companion, shift);
    on_processes(jordan, shift);
    on_processes(oracle::unit(p), shift);
  }
  return cycles;
}

}  // namespace

TEST_CASE("every process holds what its new number says", "[mpi]") {
  if (!is_power_of_two()) return;
  oracle::generator random(7);
  const unsigned p_bits = cases::proc_bits();
  for (int turn = 0; turn < random_cases; ++turn) {
    const auto n = p_bits + static_cast<unsigned>(random() % (13 - p_bits));
    permutation<> p = bmmc::random_permutation(n, random);
    if (turn % 2 == 0)
      p = to_library(oracle::affine{
          oracle::random_of_rank(
              n, p_bits, static_cast<unsigned>(random() % (std::min(p_bits, n - p_bits) + 1)),
              random),
          oracle::to_bits(random() % oracle::power(n), n)});
    const int source = turn / 6 % 6, target = (source + turn / 36) % 6;
    INFO("turn " << turn << ", " << (n <= 8 ? cases::describe(p, source, target) : std::string()));
    CHECK(fault(turn, p, source, target) == "");
  }
}

TEMPLATE_TEST_CASE("rank 0 sends nothing, any other rank sends all but N / 2^rank elements",
                   "[mpi]", comm::sendrecv, comm::sendrecv_replace) {
  if (!is_power_of_two()) return;
  const unsigned p_bits = cases::proc_bits(), n = p_bits + 6;
  oracle::generator random(8);
  for (unsigned rank = 0; rank <= std::min(p_bits, 6U); ++rank)
    for (int trial = 0; trial < 5; ++trial) {
      const permutation<> p(to_library(oracle::random_of_rank(n, p_bits, rank, random)),
                            random() % oracle::power(n));
      auto permute = bmmc::make_permuter<index_t, TestType>(MPI_COMM_WORLD, p, bmmc::relabelled(p));
      auto chunk = cases::elements<index_t>(cases::held(0, n, p_bits));
      counted = {};
      permute(chunk);
      const auto sums = counted;
      CHECK(sums.messages == oracle::power(rank) - 1);
      CHECK(sums.bytes == (64 - 64 / oracle::power(rank)) * sizeof(index_t));
    }
}

TEST_CASE("cycles of processes move nothing, whatever their length", "[mpi]") {
  if (!is_power_of_two()) return;
  for (auto const& p : process_cycles(3)) {
    for (int kind = 0; kind < 6; ++kind) CHECK(fault(kind, p, 0, 0) == "");
    auto chunk = cases::elements<index_t>(cases::held(0, p.bits(), cases::proc_bits()));
    const auto before = chunk;
    counted = {};
    (void)bmmc::permute_relabelled<index_t>(MPI_COMM_WORLD, chunk, p);
    CHECK(counted.messages == 0);
    CHECK(chunk == before);
  }
}

TEST_CASE("where only processes are renamed, no element is written", "[mpi]") {
  if (!is_power_of_two()) return;
  const std::size_t bytes = 1 << 16;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);  // a store would fault
  REQUIRE(memory != MAP_FAILED);
  const std::span<double> chunk(static_cast<double*>(memory), bytes / sizeof(double));
  for (auto const& p : process_cycles(13))
    (void)bmmc::permute_relabelled<double>(MPI_COMM_WORLD, chunk, p);
  munmap(memory, bytes);
}

TEST_CASE("the new communicator belongs to the caller", "[mpi]") {
  if (!is_power_of_two()) return;
  const unsigned p = cases::proc_bits(), n = p + 2;
  std::vector<int> chunk(4, cases::proc());
  const auto reversal = bmmc::vector_reversal(n);
  const int number = (1 << p) - 1 - cases::proc();
  auto renamed = bmmc::permute_relabelled<int>(MPI_COMM_WORLD, chunk, reversal);
  CHECK(rank_on(renamed) == number);
  const boost::mpi::communicator world(renamed.release(), boost::mpi::comm_take_ownership);
  CHECK(world.rank() == number);
  CHECK(static_cast<MPI_Comm>(std::as_const(renamed)) == MPI_COMM_NULL);
  bmmc::permute<int>(world, chunk, reversal);  // it works like any other
  CHECK(chunk == std::vector<int>(4, (1 << p) - 1 - cases::proc()));
}

TEST_CASE("bad values are agreed upon before anything moves or is made", "[mpi]") {
  using agreed::agreed_text;
  using agreed::holds;
  std::vector<int> chunk(8, cases::proc());
  const auto untouched = chunk;
  const auto call = [&](permutation<> const& p) {
    return agreed_text([&] { (void)bmmc::permute_relabelled<int>(MPI_COMM_WORLD, chunk, p); });
  };
  if (!is_power_of_two()) {
    CHECK(holds(call(bmmc::shuffle(5)), "power of two, not " + std::to_string(agreed::procs())));
  } else {
    const unsigned p = cases::proc_bits(), n = p + 3;
    CHECK(holds(call(bmmc::shuffle(n + 1)), "must hold 16 elements, not 8"));
    if (p == 0) return;
    CHECK(holds(call(bmmc::shuffle(p - 1)), "cannot be spread over"));
    const bool is_last = cases::proc() == agreed::procs() - 1;
    CHECK(holds(call(is_last ? bmmc::unshuffle(n) : bmmc::shuffle(n)), "disagree"));
    CHECK(holds(call(bmmc::shuffle(is_last ? n + 1 : n)), "must hold 16 elements, not 8"));
  }
  CHECK(chunk == untouched);
}
