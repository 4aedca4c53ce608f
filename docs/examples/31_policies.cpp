// SPDX-License-Identifier: BSL-1.0

// How elements travel is chosen for you: by the plan, the machine and the memory that you allow.
// explain() of a permuter says what was chosen and why. Here the costs are given, not measured, so
// that every machine prints the same. Run it on 4 processes.

#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <iostream>

#include <bmmc.hpp>

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  namespace comm = bmmc::comm;
  const auto p = bmmc::bit_reversal(20);

  comm::automatic policy;
  policy.costs = comm::cost_model{};
  const auto often = bmmc::make_permuter<double>(world, p, {}, policy);
  policy.expected_calls = 1;  // a window takes long to make
  const auto once = bmmc::make_permuter<double>(world, p, {}, policy);

  comm::within_budget tight(64 * 1024);  // bytes; a chunk has 2 MiB
  tight.costs = comm::cost_model{};
  const auto in_little_memory = bmmc::make_permuter<double>(world, p, {}, tight);

  if (world.rank() == 0)
    std::cout << "called often\n"
              << often.choice() << "called once\n"
              << once.choice() << "in 64 KiB\n"
              << in_little_memory.choice();
}

// Prints:
// called often
// automatic: shared_window
//   predicted ms: shared_window 0.631; shared_window in pieces 0.715; pipelined 0.872; radix_exchange 1 1.05; costs in us: message 1; one of many 0.5; barrier 1; a MiB sent 105; a MiB copied 105
// called once
// automatic: pipelined
//   predicted ms: shared_window 2.83; shared_window in pieces 1.35; pipelined 0.872; radix_exchange 1 1.05; costs in us: message 1; one of many 0.5; barrier 1; a MiB sent 105; a MiB copied 105
// in 64 KiB
// automatic: sendrecv_replace and passes in place
//   predicted ms: sendrecv_replace and passes in place 1.58; costs in us: message 1; one of many 0.5; barrier 1; a MiB sent 105; a MiB copied 105
