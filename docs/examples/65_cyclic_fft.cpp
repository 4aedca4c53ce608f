// SPDX-License-Identifier: BSL-1.0

// A Fourier transform of 2^n points, cyclic before and after (point j on process j mod P), with
// FFTW's kernels inside the processes and one exchange between them; compared with the closed form
// of a geometric sum, and with FFTW-MPI. Run it on 4 processes. With an argument n it also prints
// the milliseconds of both, as rows of the table bench/measured/fft_ice_lake.csv.

#include <bmmc.hpp>  // before fftw3-mpi.h, since it leaves out MPI's C++ bindings

#include <fftw3-mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "support/cyclic_fft.hpp"
#include "support/measure_all.hpp"

namespace {

using namespace example;

/// The points e^(z j / N), j < N = 2^n, and their transform, a geometric sum.
const complex z(-1, 2);
complex point(unsigned n, index_t j) {
  return std::exp(z * static_cast<double>(j) / static_cast<double>(bit(n)));
}
complex exact(unsigned n, index_t k) {
  const auto size = static_cast<double>(bit(n));
  const double turns = static_cast<double>(k) - (2 * k > bit(n) ? size : 0);
  const complex half = (z - complex(0, 2 * std::numbers::pi * turns)) / (2 * size);
  return (std::exp(z) - 1.0) / (2.0 * std::exp(half) * std::sinh(half));
}

/// FFTW's own transform, in equal blocks; order is 0 or FFTW_MPI_SCRAMBLED_...
struct fftw_fft {
  std::vector<complex> points, result;
  index_t first = 0;  // index of this process's first point
  fftw_plan plan;

  fftw_fft(unsigned n, unsigned flags, unsigned order) {
    ptrdiff_t share = 0, begin = 0, out = 0, out_begin = 0;
    const auto size = static_cast<ptrdiff_t>(bit(n));
    points.resize(static_cast<std::size_t>(fftw_mpi_local_size_1d(
        size, MPI_COMM_WORLD, FFTW_FORWARD, flags | order, &share, &begin, &out, &out_begin)));
    result.resize(points.size());
    first = static_cast<index_t>(begin);
    plan = fftw_mpi_plan_dft_1d(size, raw(points.data()), raw(result.data()), MPI_COMM_WORLD,
                                FFTW_FORWARD, flags | order);
    if (plan == nullptr) throw std::runtime_error("FFTW-MPI has no plan for this order");
  }
  fftw_fft(fftw_fft const&) = delete;
  fftw_fft& operator=(fftw_fft const&) = delete;
  ~fftw_fft() { fftw_destroy_plan(plan); }
  void operator()() { fftw_execute(plan); }
};

/// The largest relative error over all processes; element i of `result` has the index first + i
/// step.
double error(unsigned n, complex const* result, index_t elements, index_t first, index_t step) {
  double worst = 0;
  for (index_t i = 0; i < elements; ++i) {
    const complex right = exact(n, first + i * step);
    worst = std::max(worst, std::abs(result[i] - right) / std::abs(right));
  }
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

bool run(unsigned n, index_t process, index_t procs, bool timed) {
  const unsigned flags = timed ? FFTW_MEASURE : FFTW_ESTIMATE;
  fftw_fft in_order(n, flags, 0), out(n, flags, FFTW_MPI_SCRAMBLED_OUT),
      in(n, flags, FFTW_MPI_SCRAMBLED_IN);
  cyclic_fft ours(n, bmmc::proc_bits_of(procs), process, flags);
  const index_t share = ours.points.size();
  for (index_t i = 0; i < share; ++i) {
    ours.points[i] = point(n, process + i * procs);
    in_order.points[i] = point(n, in_order.first + i);
  }
  ours();
  in_order();
  // Small coefficients are differences of large ones, up to 2^n.
  const double bound = 1e-15 * static_cast<double>(bit(n));
  const bool right = error(n, ours.points.data(), share, process, procs) < bound;
  const bool peer_right = error(n, in_order.result.data(), share, in_order.first, 1) < bound;
  if (process == 0)
    std::printf("# 2^%u points on %d processes: one exchange %s, FFTW-MPI %s\n", n,
                static_cast<int>(procs), right ? "right" : "wrong", peer_right ? "right" : "wrong");

  std::vector<double> times[4];
  for (int round = 0; timed && round < 11; ++round) {
    times[0].push_back(measure::seconds_on_all([&] { ours(); }));
    times[1].push_back(measure::seconds_on_all([&] { in_order(); }));
    times[2].push_back(measure::seconds_on_all([&] { out(); }));
    times[3].push_back(measure::seconds_on_all([&] { in(); }));
  }
  constexpr char const* names[] = {"one exchange", "in order", "scrambled out", "scrambled in"};
  for (int k = 0; timed && process == 0 && k < 4; ++k)
    std::printf("%d,%u,%s,%.1f\n", static_cast<int>(procs), n, names[k],
                1e3 * measure::median(times[k]));
  return right && peer_right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank = 0, procs = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  const bool right = run(argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 14,
                         static_cast<index_t>(rank), static_cast<index_t>(procs), argc > 1);
  MPI_Finalize();
  return right ? 0 : 1;
}

// Prints:
// # 2^14 points on 4 processes: one exchange right, FFTW-MPI right
