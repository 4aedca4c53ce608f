// SPDX-License-Identifier: BSL-1.0

// The parallel fast Fourier transform of Hou et al. (2001, section 6.2 and figure 8) on real data
// and real processes: a bit reversal that is one message for each process, butterflies inside the
// processes and with neighbours, and a placing of the processes that frees the reversal of
// contention on a hypercube. Checked against the sum that defines the transform. Run it on 16
// processes; with the argument "time" it measures both placings on 2^18 points.

#include <algorithm>
#include <bmmc.hpp>
#include <bmmc/study.hpp>
#include <bmmc/study/reordered.hpp>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <complex>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <vector>

namespace {

using bmmc::bit, bmmc::index_t, bmmc::low_bits;
using complex = std::complex<double>;
namespace cube = bmmc::cube;

/// e^(-2 pi i k / 2^lg).
complex root(unsigned lg, index_t k) {
  return std::polar(1.0,
                    -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bit(lg)));
}

/// 2^(n + 2 d) points on 2^n processes; the bits d .. d+n-1 of an index are its process.
class parallel_fft {
 public:
  parallel_fft(MPI_Comm comm, unsigned n, unsigned d)
      : comm_(comm),
        n_(n),
        d_(d),
        reverse_(bmmc::make_permuter<complex>(comm, bmmc::bit_reversal(n + 2 * d),
                                              bmmc::layout::banded(d))),
        received_(bit(2 * d)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    process_ = static_cast<index_t>(rank);
  }
  [[nodiscard]] index_t index_of(index_t offset) const {
    return (offset & low_bits(d_)) | process_ << d_ | offset >> d_ << (n_ + d_);
  }
  void operator()(std::vector<complex>& chunk) {
    reverse_(chunk);
    for (unsigned stage = 0; stage < n_ + 2 * d_; ++stage)
      if (stage >= d_ && stage < d_ + n_)
        with_neighbour(chunk, stage);
      else
        inside(chunk, stage, stage < d_ ? stage : stage - n_);
  }

 private:
  void inside(std::vector<complex>& chunk, unsigned stage, unsigned local_bit) const {
    for (index_t o = 0; o < chunk.size(); ++o) {
      if ((o & bit(local_bit)) != 0) continue;
      const auto odd = root(stage + 1, index_of(o) & low_bits(stage)) * chunk[o ^ bit(local_bit)];
      chunk[o ^ bit(local_bit)] = chunk[o] - odd;
      chunk[o] += odd;
    }
  }
  /// Half a butterfly for each element, whose other input is the neighbour's.
  void with_neighbour(std::vector<complex>& chunk, unsigned stage) {
    const auto neighbour = static_cast<int>(process_ ^ bit(stage - d_));
    const auto count = static_cast<int>(2 * chunk.size());
    MPI_Sendrecv(chunk.data(), count, MPI_DOUBLE, neighbour, 0, received_.data(), count, MPI_DOUBLE,
                 neighbour, 0, comm_, MPI_STATUS_IGNORE);
    const bool is_odd = (process_ >> (stage - d_) & 1) != 0;
    for (index_t o = 0; o < chunk.size(); ++o) {
      const auto factor = root(stage + 1, index_of(o) & low_bits(stage));
      chunk[o] = is_odd ? received_[o] - factor * chunk[o] : chunk[o] + factor * received_[o];
    }
  }

  MPI_Comm comm_;
  unsigned n_, d_;
  index_t process_ = 0;
  bmmc::permuter<complex, bmmc::comm::automatic, bmmc::layout::banded> reverse_;
  std::vector<complex> received_;
};

complex signal(index_t x) {
  const auto t = static_cast<double>(x);
  return {std::sin(0.3 * t) + 1 / (1 + t), std::cos(0.01 * t * t)};
}

/// The largest difference to the sum over all points, over all processes.
double error(boost::mpi::communicator const& world, unsigned n, unsigned d) {
  parallel_fft transform(world, n, d);
  std::vector<complex> chunk(bit(2 * d));
  for (index_t o = 0; o < chunk.size(); ++o) chunk[o] = signal(transform.index_of(o));
  transform(chunk);
  double worst = 0;
  for (index_t o = 0; o < chunk.size(); ++o) {
    complex sum = 0;
    for (index_t x = 0; x < bit(n + 2 * d); ++x)
      sum += signal(x) * root(n + 2 * d, x * transform.index_of(o) & low_bits(n + 2 * d));
    worst = std::max(worst, std::abs(sum - chunk[o]));
  }
  return boost::mpi::all_reduce(world, worst, boost::mpi::maximum<double>());
}

/// Milliseconds of one transform, the median of 15.
double milliseconds(boost::mpi::communicator const& world, unsigned n, unsigned d) {
  parallel_fft transform(world, n, d);
  std::vector<complex> chunk(bit(2 * d), complex(1, 0));
  std::vector<double> times;
  for (int k = 0; k < 15; ++k) {
    world.barrier();
    const auto start = std::chrono::steady_clock::now();
    transform(chunk);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    times.push_back(boost::mpi::all_reduce(world, took.count(), boost::mpi::maximum<double>()));
    for (auto& each : chunk) each /= static_cast<double>(chunk.size());  // stays in range
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

}  // namespace

int main(int argc, char** argv) {
  const boost::mpi::environment environment(argc, argv);
  const boost::mpi::communicator world;
  const auto n = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(world.size())) - 1);
  if (world.size() != 1 << n) {
    if (world.rank() == 0) std::fprintf(stderr, "58_parallel_fft: 2^n processes, please\n");
    return 2;
  }
  const auto reversal = cube::push(bmmc::bit_reversal(n));
  const auto mapping = cube::find_mapping(reversal);
  const auto placed = bmmc::reordered(world, mapping.q);
  const bool first = world.rank() == 0;
  if (argc > 1 && std::strcmp(argv[1], "time") == 0) {
    const unsigned d = (18 - n) / 2;
    const double as_it_is = milliseconds(world, n, d), mapped = milliseconds(placed, n, d);
    if (first)
      std::printf("2^%u points on %d processes, ms: as it is %.2f, mapped %.2f\n", n + 2 * d,
                  world.size(), as_it_is, mapped);
    return 0;
  }
  if (first)
    std::printf("%d processes; paths over one channel of a hypercube: %d, mapped %d\n",
                world.size(), static_cast<int>(cube::contention(reversal)),
                static_cast<int>(cube::contention(mapping.after)));
  for (unsigned d = 0; d <= 2; ++d) {
    const double as_it_is = error(world, n, d), mapped = error(placed, n, d);
    const double bound = 1e-12 * static_cast<double>(bit(n + 2 * d));
    if (first)
      std::printf("2^%-2u points: the transform is %s, with the mapping %s\n", n + 2 * d,
                  as_it_is < bound ? "right" : "wrong", mapped < bound ? "right" : "wrong");
  }
}

// Prints:
// 16 processes; paths over one channel of a hypercube: 2, mapped 1
// 2^4  points: the transform is right, with the mapping right
// 2^6  points: the transform is right, with the mapping right
// 2^8  points: the transform is right, with the mapping right
