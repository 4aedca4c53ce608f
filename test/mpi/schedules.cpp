// SPDX-License-Identifier: BSL-1.0

// What a schedule tells without MPI is what every way sends and receives, in that order.

#include <bmmc/study/schedules/message_schedule.hpp>

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

std::vector<message_log::message> told(bmmc::message_schedule const& s,
                                       std::vector<bmmc::message> bmmc::message_step::* side) {
  std::vector<message_log::message> all;
  for (bmmc::message_step const& step : s.steps)
    for (bmmc::message const& one : step.*side)
      all.push_back({static_cast<int>(one.proc), one.elements * sizeof(double)});
  return all;
}

template <class Policy>
void check(bmmc::permutation<> const& map, Policy const& policy) {
  auto permute = bmmc::make_permuter<double>(MPI_COMM_WORLD, map, {}, policy);
  const auto first = cases::before<double>(map.bits());
  std::vector<double> target(first.size());
  sent_messages.size = received_messages.size = 0;
  permute(first, target);
  const auto sent = sent_messages.all(), received = received_messages.all();
  CHECK(target == cases::after<double>(map));
  const auto s = bmmc::schedule_of(permute.plan(), static_cast<index_t>(cases::proc()),
                                   sizeof(double), policy);
  CHECK(sent == told(s, &bmmc::message_step::sent));
  CHECK(received == told(s, &bmmc::message_step::received));
}

}  // namespace

TEST_CASE("messages are those of the schedule, in its order", "[mpi]") {
  const unsigned p = cases::proc_bits();
  oracle::generator random(23);
  for (int trial = 0; trial < 12; ++trial) {
    const unsigned n = p + static_cast<unsigned>(trial) % 8;
    const auto map = trial < 3 ? bmmc::bit_reversal(n) : bmmc::random_permutation(n, random);
    INFO(to_string(map));
    check(map, comm::sendrecv{});
    for (unsigned bits = 1; bits <= 4; ++bits) check(map, comm::radix_exchange{bits});
    for (int node = 1; node <= 1 << p; node *= 2)
      for (unsigned bits = 0; bits <= 2; ++bits)
        check(map, comm::shared_window{.processes_per_node = node, .bits = bits});
    for (const std::size_t bytes : {8U, 24U, 64U, 1024U})
      check(map, comm::dimension_exchange{.buffer_bytes = bytes});
    for (const std::size_t bytes : {0U, 64U, 256U})
      for (unsigned in_flight = 1; in_flight <= 3; ++in_flight)
        check(map, comm::pipelined{.piece_bytes = bytes, .in_flight = in_flight});
  }
}
