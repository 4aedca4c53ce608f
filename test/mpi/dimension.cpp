// SPDX-License-Identifier: BSL-1.0

// comm::dimension_exchange: who speaks to whom, how often, through how small a buffer.

#include <algorithm>
#include <numeric>

#include <bmmc/transport/dimensions.hpp>

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
using bmmc::index_t;
using bmmc::permutation;

permutation<> of_rank(unsigned n, unsigned rank, oracle::generator& random) {
  return to_library(oracle::affine{oracle::random_of_rank(n, cases::proc_bits(), rank, random),
                                   oracle::to_bits(random() % oracle::power(n), n)});
}

/// What this process sends in one call in place.
template <class T>
counts sent(permutation<> const& p, comm::dimension_exchange const& policy) {
  auto permute = bmmc::make_permuter<T>(MPI_COMM_WORLD, p, {}, policy);
  std::vector<T> chunk(permute.plan().chunk_elements());
  counted = {};
  permute(chunk);
  return counted;
}

/// The moves of a plan and its factors agree on every block of every process.
bool factors_agree(bmmc::plan const& made, bmmc::exchange_and_rename const& factors) {
  for (index_t proc = 0; proc < made.procs(); ++proc)
    for (index_t b = 0; b < made.messages(); ++b) {
      index_t x = proc * made.messages() + b;
      for (auto const& each : factors.exchanges) x = each(x);
      if (factors.renaming(x) != made.target(proc, b) * made.messages() + b) return false;
    }
  return true;
}

/// In some order of the dimensions all leading principal minors are nonsingular.
bool some_order_has_minors(oracle::matrix const& a) {
  std::vector<unsigned> order(a.cols);
  std::iota(order.begin(), order.end(), 0U);
  do {
    bool is_good = true;
    for (unsigned k = 1; is_good && k <= a.cols; ++k) {
      oracle::matrix minor(k, k);
      for (unsigned i = 0; i < k; ++i)
        for (unsigned j = 0; j < k; ++j) minor.row[i][j] = a.row[order[i]][order[j]];
      is_good = oracle::rank(minor) == k;
    }
    if (is_good) return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

}  // namespace

TEST_CASE("all of GL(4,2): the moves of every plan factor; at full rank nothing is renamed",
          "[mpi]") {
  if (cases::proc_bits() != 0) return;  // no message is sent here
  int renamed = 0, all = 0;
  for (unsigned word = 0; word < 1 << 16; ++word) {
    const bmmc::bit_matrix<> a{4,
                               {word & 15, (word >> 4) & 15, (word >> 8) & 15, (word >> 12) & 15}};
    if (oracle::rank(oracle::read(a)) != 4) continue;
    for (unsigned p = 1; p <= 4; ++p) {
      const bmmc::plan made(permutation<>(a, word % 16), p);
      const auto factors = bmmc::dimension_plan(made).factors();
      if (!factors_agree(made, factors)) FAIL_CHECK(to_string(permutation<>(a)));
      const bool is_renamed = !is_identity(factors.renaming);
      if (is_renamed && made.rank() == p) FAIL_CHECK(to_string(permutation<>(a)));
      if (made.rank() == 0 &&  // then the plan has no choice
          is_renamed == some_order_has_minors(oracle::part(oracle::read(a), 4 - p, p, 4 - p, p)))
        FAIL_CHECK(to_string(permutation<>(a)));
      renamed += is_renamed ? 1 : 0;
      ++all;
    }
  }
  CHECK(all == 4 * 20160);
  CHECK(renamed > 0);
  const auto reversal = bmmc::make_plan(bmmc::bit_reversal(4), bmmc::layout::processor_major{}, 8);
  CHECK_FALSE(is_identity(bmmc::dimension_plan(reversal).factors().renaming));
}

TEST_CASE("at most p messages to p neighbours, one more where processes are renamed", "[mpi]") {
  const unsigned p = cases::proc_bits(), n = p + 5;
  oracle::generator random(9);
  for (unsigned rank = 0; rank <= std::min(p, 5U); ++rank)
    for (int trial = 0; trial < 20; ++trial) {
      const auto map = of_rank(n, rank, random);
      const auto plan = bmmc::make_plan(map, bmmc::layout::processor_major{}, oracle::power(p));
      const auto factors = bmmc::dimension_plan(plan).factors();
      const auto sums = sent<double>(map, {});
      const std::uint64_t renamings = is_identity(factors.renaming) ? 0 : 1;
      CHECK(sums.allocations == 0);
      CHECK(sums.reductions == 0);
      CHECK(sums.messages <= p + renamings);
      CHECK(sums.far_messages <= renamings);
      CHECK(sums.bytes <= (p + renamings) * 32 * sizeof(double));
      if (rank == p) {  // every dimension moves half of the chunk
        CHECK(sums.messages == p);
        CHECK(sums.bytes == p * 16 * sizeof(double));
      }
    }
}

TEST_CASE("a smaller buffer means more messages, and the same result", "[mpi]") {
  const unsigned p = cases::proc_bits(), n = p + 6;
  oracle::generator random(10);
  for (unsigned rank = 0; rank <= std::min(p, 6U); ++rank) {
    const auto map = of_rank(n, rank, random);
    const std::size_t chunk = 64 * sizeof(double);
    std::uint64_t fewest = 0;
    for (const std::size_t bytes : {chunk, chunk / 2, chunk / 8, std::size_t{72}, std::size_t{8},
                                    std::size_t{0}}) {  // nothing: still one element
      INFO("rank " << rank << ", buffer of " << bytes);
      const comm::dimension_exchange policy{.buffer_bytes = bytes};
      CHECK(cases::fault<double>(map, 0, 0, policy) == "");
      CHECK(cases::fault<cases::record>(map, 3, 4, policy) == "");
      if (bytes >= chunk / 8) CHECK(cases::fault<std::string>(map, 0, 1, policy) == "");
      const auto sums = sent<double>(map, policy);
      CHECK(sums.messages >= fewest);
      fewest = sums.messages;
      CHECK(sums.messages * std::max(bytes, sizeof(double)) >= sums.bytes);
    }
    CHECK(fewest * sizeof(double) == sent<double>(map, {}).bytes);
  }
}

TEST_CASE("the buffer is as large as was said", "[mpi]") {
  const unsigned p = cases::proc_bits();
  const bmmc::plan made(bmmc::bit_reversal(p + 8), p);
  const auto c = comm::communicator::of(MPI_COMM_WORLD);
  const comm::exchange e(c, made.moves(), MPI_DOUBLE, sizeof(double), made.message_elements());
  for (const auto& [asked, given] :
       {std::pair<std::size_t, std::size_t>{std::size_t{1} << 21, 2048},
        {2048, 2048},
        {100, 96},
        {7, 8},
        {0, 8}}) {
    comm::dimension_exchange policy{.buffer_bytes = asked};
    policy.prepare(e);
    CHECK(policy.prepared->buffer_bytes() == given);
  }
}

TEMPLATE_TEST_CASE("no process sends less than must leave it, and most policies just that", "[mpi]",
                   comm::sendrecv, comm::sendrecv_replace, comm::dimension_exchange) {
  const unsigned p = cases::proc_bits(), n = p + 5;
  oracle::generator random(11);
  for (unsigned rank = 0; rank <= std::min(p, 5U); ++rank)
    for (int trial = 0; trial < 10; ++trial) {
      const auto map = of_rank(n, rank, random);
      const auto flows = oracle::count_traffic(n, p, oracle::read_affine(map),
                                               oracle::processor_major, oracle::processor_major);
      const auto me = static_cast<std::size_t>(cases::proc());
      const index_t leaving = (32 - flows.sent[me][me]) * sizeof(double);
      auto permute = bmmc::make_permuter<double, TestType>(MPI_COMM_WORLD, map);
      std::vector<double> chunk(32);
      counted = {};
      permute(chunk);
      const auto bytes = counted.bytes;
      if (std::is_same_v<TestType, comm::dimension_exchange>)
        CHECK(bytes >= leaving);
      else
        CHECK(bytes == leaving);
    }
}
