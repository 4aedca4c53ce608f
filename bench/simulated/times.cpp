// SPDX-License-Identifier: BSL-1.0

// The exchange of a bit reversal under every policy, and MPI_Alltoall, on a simulated machine:
//   smpirun .. times BYTES
// prints lines  processes,bytes of a chunk,policy,microseconds.  Local passes take no time here,
// and no element moves: all processes share one block of memory.

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <bmmc/planning.hpp>

#include "support/policies.hpp"

namespace {

namespace comm = bmmc::comm;
using bmmc::index_t;

/// Simulated seconds of the slowest process.
template <class Work>
double seconds(Work work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  work();
  double slowest = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

void run(index_t bytes) {
  const auto c = comm::communicator::of(MPI_COMM_WORLD);
  const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(c->size()));
  const unsigned m = bmmc::proc_bits_of(bytes / sizeof(double));
  const bmmc::plan plan(bmmc::bit_reversal(m + p), p);
  const comm::exchange e(c, plan.moves(), MPI_DOUBLE, sizeof(double), plan.message_elements());
  void* const source = SMPI_SHARED_MALLOC(bytes);
  void* const target = SMPI_SHARED_MALLOC(bytes);
  const auto report = [&](char const* name, double time) {
    if (c->rank() != 0) return;
    std::printf("%d,%llu,%s,%.6g\n", c->size(), static_cast<unsigned long long>(bytes), name,
                time * 1e6);
    std::fflush(stdout);
  };
  const auto report_alltoall = [&] {  // with large messages SimGrid keeps all of them at once
    const auto count = static_cast<int>(bytes / sizeof(double) / static_cast<index_t>(c->size()));
    report("MPI_Alltoall", seconds([&] {
             MPI_Alltoall(source, count, MPI_DOUBLE, target, count, MPI_DOUBLE, MPI_COMM_WORLD);
           }));
  };
  workload::for_each_exchange([&]<class Policy>(Policy policy, char const* name) {
    if constexpr (comm::PreparedPolicy<Policy>) policy.prepare(e);
    report(name, seconds([&] {
             if constexpr (comm::ReplacingPolicy<Policy>)
               policy.replace(e, source);
             else
               policy.move(e, source, target);
           }));
  });
  if (bytes <= bmmc::bit(20)) report_alltoall();
  SMPI_SHARED_FREE(source);
  SMPI_SHARED_FREE(target);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8192);
  MPI_Finalize();
}
