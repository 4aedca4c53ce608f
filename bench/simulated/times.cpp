// SPDX-License-Identifier: BSL-1.0

// The library itself on simulated processes, under SimGrid's SMPI:
//   smpirun .. times MACHINE PERMUTATION BYTES
// prints the lines of simulate.cpp. Computing takes no time here, so what is left is the exchange.

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/radix_exchange.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/permuter.hpp>
#include <bmmc/transport/dimensions.hpp>
#include <bmmc/transport/radix_once.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/rounds.hpp>

#include "permutations.hpp"

namespace {

using bmmc::index_t;

/// Simulated seconds of the slowest process. All begin at the same moment.
template <class Work>
double seconds(Work work) {
  MPI_Barrier(MPI_COMM_WORLD);
  double latest = MPI_Wtime();
  MPI_Allreduce(MPI_IN_PLACE, &latest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double start = latest + 1e-3, rest = start - MPI_Wtime();
  const timespec pause{0, std::lround(rest * 1e9)};
  nanosleep(&pause, nullptr);
  work();
  double slowest = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

class contest {
 public:
  contest(std::string machine, std::string permutation, index_t bytes)
      : machine_(std::move(machine)), name_(std::move(permutation)) {
    MPI_Comm_size(MPI_COMM_WORLD, &procs_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    source_.resize(bytes / sizeof(double));
    target_.resize(source_.size());
    const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(procs_));
    map_ = simulated_permutation(name_, bmmc::proc_bits_of(source_.size()) + p, p);
  }

  void run() {
    run("sendrecv", bmmc::comm::sendrecv{});
    run("dimension_exchange", bmmc::comm::dimension_exchange{});
    run("pipelined", bmmc::comm::pipelined{});
    const bmmc::plan plan(map_, bmmc::proc_bits_of(static_cast<index_t>(procs_)));
    for (unsigned bits = 1; bits < plan.rank(); ++bits)
      run("radix_exchange " + std::to_string(bits), bmmc::comm::radix_exchange{bits});
  }

 private:
  template <class Policy>
  void run(std::string const& way, Policy const& policy) {
    auto permute =
        bmmc::make_permuter<double>(MPI_COMM_WORLD, map_, bmmc::layout::processor_major{}, policy);
    const double time = seconds([&] { permute(source_, target_); });
    if (rank_ != 0) return;
    std::printf("%s,%d,%zu,%s,%s,%.6g\n", machine_.c_str(), procs_, source_.size() * sizeof(double),
                name_.c_str(), way.c_str(), time * 1e6);
    std::fflush(stdout);
  }

  std::string machine_, name_;
  int procs_ = 1, rank_ = 0;
  bmmc::permutation<> map_;
  std::vector<double> source_, target_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 3) contest(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10)).run();
  MPI_Finalize();
  return argc > 3 ? 0 : 2;
}
