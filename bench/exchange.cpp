// SPDX-License-Identifier: BSL-1.0

// Time of whole distributed permutations, in multiples of a copy of the chunk by all processes at
// once, taken in turn with them.   mpirun -np 4 exchange --help

#include <bmmc.hpp>
#include <boost/program_options.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <random>

#include "support/measure_all.hpp"

namespace {

using bmmc::index_t;
using bmmc::permutation;

struct workload {
  std::string name;
  permutation<> map;
};

std::vector<workload> workloads(unsigned n, unsigned p) {
  std::mt19937_64 random(1997);
  bmmc::circuit<> cnots(n);
  for (int gate = 0; gate < 200 && n > 1; ++gate) {
    const auto control = static_cast<unsigned>(random() % n);
    cnots.cnot(control, (control + 1 + static_cast<unsigned>(random() % (n - 1))) % n);
  }
  return {{"bit reversal", bmmc::bit_reversal(n)},
          {"transpose", bmmc::transpose(n / 2, n - n / 2)},
          {"random A, c", bmmc::random_permutation(n, random)},
          {"block to cyclic", bmmc::block_to_cyclic(n, p)},
          {"Gray encode", bmmc::gray_encode(n)},
          {"vector reversal", bmmc::vector_reversal(n)},
          {"200 CNOTs", cnots}};
}

class session {
 public:
  session(unsigned lg_bytes, int repetitions)
      : bits_(lg_bytes - 3 + proc_bits()),
        repetitions_(repetitions),
        source_((std::size_t{1} << lg_bytes) / 8, 1.0),
        target_(source_.size()) {}

  [[nodiscard]] unsigned bits() const { return bits_; }

  template <class Comm>
  void run(workload const& w, char const* policy) {
    auto permute = bmmc::make_permuter<double, Comm>(MPI_COMM_WORLD, w.map);
    std::vector<double> in_place, between, copies, streams;
    const std::size_t bytes = source_.size() * sizeof(double);
    auto* const from = reinterpret_cast<std::byte*>(source_.data());
    auto* const to = reinterpret_cast<std::byte*>(target_.data());
    for (int k = 0; k < repetitions_ + 1; ++k) {  // in turn, so that all meet the same machine
      copies.push_back(measure::seconds_on_all([&] { std::memcpy(to, from, bytes); }));
      streams.push_back(
          measure::seconds_on_all([&] { measure::copy_past_cache(to, from, bytes); }));
      in_place.push_back(measure::seconds_on_all([&] { permute(source_); }));
      between.push_back(measure::seconds_on_all([&] { permute(source_, target_); }));
    }
    for (auto* times : {&copies, &streams, &in_place, &between}) times->erase(times->begin());
    const double copy = std::min(measure::median(copies), measure::median(streams));
    report(w, policy, permute.plan(), copy, measure::median(in_place), measure::median(between));
  }

 private:
  static unsigned proc_bits() {
    int procs = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    return bmmc::proc_bits_of(static_cast<index_t>(procs));
  }

  void report(workload const& w, char const* policy, bmmc::plan const& plan, double copy,
              double in_place, double between) const {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    // what must leave a process, averaged over them: no plan can send less
    const auto moving = static_cast<double>((index_t{1} << plan.bits()) - plan.stays());
    const double bound = moving * sizeof(double) / static_cast<double>(plan.procs());
    std::printf("%-16s %-17s %9.3f %9.3f %6.2f %9.3f %6.2f %8llu %11llu %11.0f\n", w.name.c_str(),
                policy, copy * 1e3, in_place * 1e3, in_place / copy, between * 1e3, between / copy,
                static_cast<unsigned long long>(plan.messages()),
                static_cast<unsigned long long>(plan.message_elements() * sizeof(double)), bound);
    std::fflush(stdout);
  }

  unsigned bits_;
  int repetitions_;
  std::vector<double> source_, target_;
};

int run(unsigned first, unsigned last, int repetitions) {
  int rank = 0, procs = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  if (rank == 0) std::printf("%s; %d processes, double\n", measure::machine().c_str(), procs);
  for (unsigned lg_bytes = first; lg_bytes <= last; lg_bytes += 3) {
    session s(lg_bytes, repetitions);
    if (rank == 0)
      std::printf(
          "\n2^%u bytes per process, medians of %d; bytes are those of one process\n%-16s "
          "%-17s %9s %9s %6s %9s %6s %8s %11s %11s\n",
          lg_bytes, repetitions, "permutation", "policy", "copy ms", "in place", "ratio",
          "to target", "ratio", "messages", "bytes each", "must leave");
    for (auto const& w : workloads(s.bits(), bmmc::proc_bits_of(static_cast<index_t>(procs)))) {
      s.run<bmmc::comm::sendrecv>(w, "sendrecv");
      s.run<bmmc::comm::sendrecv_replace>(w, "sendrecv_replace");
      s.run<bmmc::comm::alltoallv>(w, "alltoallv");
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    namespace options = boost::program_options;
    unsigned first = 13, last = 25;
    int repetitions = 5;
    options::options_description all("Distributed permutations against a copy of the chunk");
    all.add_options()("help", "show this")("first", options::value(&first)->default_value(first),
                                           "smallest chunk, lg of bytes (3 at least)")(
        "last", options::value(&last)->default_value(last), "largest chunk, in steps of 3")(
        "repetitions", options::value(&repetitions)->default_value(repetitions), "timed runs");
    options::variables_map given;
    options::store(options::parse_command_line(argc, argv, all), given);
    options::notify(given);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (given.count("help") != 0) {
      if (rank == 0) std::cout << all;
    } else if (first < 3 || repetitions < 1) {
      throw std::invalid_argument("--first must be 3 at least, --repetitions 1 at least");
    } else {
      status = run(first, last, repetitions);
    }
  } catch (std::exception const& error) {
    std::cerr << "exchange: " << error.what() << '\n';
    status = 2;
  }
  MPI_Finalize();
  return status;
}
