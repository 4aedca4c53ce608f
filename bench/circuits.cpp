// SPDX-License-Identifier: BSL-1.0

// Controlled permutations of a state of 2^n amplitudes, and circuits of them, in copies of the
// state: all processes copy their chunks at once.   mpirun -np 2 bench_circuits [n]

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <bmmc.hpp>

#include "support/measure.hpp"
#include "support/workloads.hpp"

namespace {

using amplitude = std::complex<double>;
using bmmc::bit;
using bmmc::index_t;

/// The median of some rounds, of the slowest process each.
double seconds(int rounds, std::function<void()> const& work) {
  std::vector<double> times;
  for (int k = 0; k <= rounds; ++k) {  // the first is not counted
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = measure::now();
    work();
    double time = measure::now() - start;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (k > 0) times.push_back(time);
  }
  return measure::median(times);
}

std::pair<unsigned, unsigned> two_bits(unsigned n, std::mt19937_64& random) {
  const auto i = static_cast<unsigned>(random() % n);
  return {i, static_cast<unsigned>((i + 1 + random() % (n - 1)) % n)};
}

struct bench {
  unsigned n, p;
  int rank = 0;
  bmmc::transport::workspace<amplitude> memory, more;  // aligned, as simulators have it
  std::span<amplitude> chunk, other;
  double copy = 0;

  bench(unsigned bits, unsigned procs)
      : n(bits),
        p(procs),
        memory(bit(bits - procs)),
        more(bit(bits - procs)),
        chunk(memory.elements()),
        other(more.elements()) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fill();
    const auto* const from = reinterpret_cast<std::byte const*>(chunk.data());
    auto* const to = reinterpret_cast<std::byte*>(other.data());
    const std::size_t bytes = chunk.size() * sizeof(amplitude);
    copy = std::min(seconds(7, [&] { std::memcpy(to, from, bytes); }),
                    seconds(7, [&] { measure::copy_past_cache(to, from, bytes); }));
    if (rank == 0) std::printf("%-44s %8.2f ms\n", "copy of the state", 1e3 * copy);
  }
  void fill() {
    const index_t first = static_cast<index_t>(rank) << (n - p);
    for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<double>(first | i);
  }
  /// Checks one call, then times calls in place.
  template <class Map>
  double time(std::string const& name, Map const& map, std::function<void()> const& work) {
    fill();
    work();
    const auto back = inverse(map);
    const index_t first = static_cast<index_t>(rank) << (n - p);
    int right = 1;
    for (index_t i = 0; i < chunk.size(); ++i)
      if (chunk[i] != static_cast<double>(back(first | i))) right = 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    const double median = seconds(15, work);
    if (rank == 0)
      std::printf("%-44s %8.2f ms %6.2f copies%s\n", name.c_str(), 1e3 * median, median / copy,
                  right == 1 ? "" : "  WRONG");
    return median;
  }
  template <class Map>
  double time(std::string const& name, Map const& map) {
    auto permute = bmmc::make_permuter<amplitude>(MPI_COMM_WORLD, map);
    return time(name, map, [&] { permute(chunk); });
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int procs = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  const unsigned p = bmmc::proc_bits_of(static_cast<index_t>(procs));
  const unsigned n = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 24;
  if (argc > 2 || n < p + 8 || n > 34) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "bench_circuits [QUBITS]: 24, or 8 + lg processes to 34\n");
    MPI_Finalize();
    return argc == 2 && std::string_view(argv[1]) == "--help" ? 0 : 2;
  }
  bench b(n, p);
  if (b.rank == 0)
    std::printf("%s; %d processes, %u qubits\n", measure::machine().c_str(), procs, n);
  using bmmc::controlled;
  const unsigned a = n - p - 2, c = n - p - 3, near = n - p - 4, far = n - 1;
  b.time("Toffoli, near target", controlled(bmmc::flip(n, near), bit(a) | bit(c)));
  b.time("Toffoli, target in a line", controlled(bmmc::flip(n, 0), bit(a) | bit(c)));
  b.time("Toffoli, controls above a line", controlled(bmmc::flip(n, near), bit(3) | bit(4)));
  b.time("controlled SWAP, near", controlled(bmmc::swap_bits(n, near, 5), bit(a)));
  if (p > 0) {
    b.time("Toffoli, far target", controlled(bmmc::flip(n, far), bit(a) | bit(c)));
    b.time("Toffoli, far target, controls above a line",
           controlled(bmmc::flip(n, far), bit(3) | bit(4)));
    b.time("controlled SWAP, far and near", controlled(bmmc::swap_bits(n, far, near), bit(a)));
    b.time("Toffoli, far control", controlled(bmmc::flip(n, near), bit(a) | bit(far)));
  }
  std::mt19937_64 random(24);
  const auto cnots = workload::random_cnots(n, random);
  b.time("200 CNOTs", cnots);
  bmmc::controlled_circuit mixed(n);
  for (int k = 0; k < 10; ++k) {
    for (int g = 0; g < 20; ++g) {
      const auto [i, j] = two_bits(n, random);
      mixed.cnot(i, j);
    }
    const auto [i, j] = two_bits(n, random);
    const auto other = static_cast<unsigned>(random() % n);
    if (other != i && other != j) mixed.toffoli(i, j, other);
  }
  auto permute = bmmc::make_permuter<amplitude>(MPI_COMM_WORLD, mixed);
  b.time("200 CNOTs with 10 Toffolis among them", mixed, [&] { permute(b.chunk); });
  MPI_Finalize();
  return 0;
}
