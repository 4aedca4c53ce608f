// SPDX-License-Identifier: BSL-1.0

// Time of whole distributed permutations under every policy, in multiples of a copy of the chunk by
// all processes at once, taken in turn with them.   mpirun -np 4 bench_exchange --help

#include <complex>

#include "support/options.hpp"

namespace {

/// What a state of 24 qubits goes through, moved once.
void permute_qubits(measure::limits const& l) {
  std::mt19937_64 random(24);
  const auto circuit = workload::random_cnots(24, random);
  const auto reversal = bmmc::bit_reversal(24);
  measure::arena<std::complex<double>> a(
      24 - bmmc::proc_bits_of(static_cast<bmmc::index_t>(measure::procs())));
  for (auto const& w : {workload::named_permutation{"200 CNOTs on 24 qubits", circuit},
                        {"bit reversal on 24 qubits", reversal},
                        {"both on 24 qubits", compose(reversal, circuit)}}) {
    a.start(w);
    a.add_policies();
    a.add_calls();
    a.finish(l);
  }
}

void permute_doubles(measure::options const& o) {
  const auto p = bmmc::proc_bits_of(static_cast<bmmc::index_t>(measure::procs()));
  for (unsigned lg_bytes = o.first; lg_bytes <= o.last; lg_bytes += o.step) {
    measure::arena<double> a(lg_bytes - 3);
    auto list = workload::all(a.bits(), p);
    list.push_back({"Gray encode", bmmc::gray_encode(a.bits())});
    list.push_back({"vector reversal", bmmc::vector_reversal(a.bits())});
    for (auto const& w : list) {
      a.start(w);
      if (o.shared) {
        a.add_shared();
        a.add_threads();
        a.finish(o.limit);
        continue;
      }
      a.add_policies(o.single_calls);
      a.add_passes();
      o.single_calls ? a.add_single_calls() : a.add_calls();
      a.finish(o.limit);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return measure::run_benchmark(argc, argv, "Distributed permutations against a copy of the chunk",
                                [](measure::options o) {
                                  measure::regrets regret;
                                  if (!o.single_calls && !o.shared) o.limit.regret = &regret;
                                  o.qubits ? permute_qubits(o.limit) : permute_doubles(o);
                                  if (measure::rank() == 0) regret.print();
                                });
}
