// SPDX-License-Identifier: BSL-1.0

// What a call costs from C beside C++: one kept permuter each, a bit reversal of 2^n doubles from a
// source to a target in one process, in turn. Prints bytes, nanoseconds, and C's time over C++'s,
// medians; languages.py adds the same from Python.
//   bench_languages

#include <bmmc/c/bmmc.h>

#include <algorithm>
#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/permuter.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

/// Nanoseconds of one of `calls` calls.
template <class F>
double time_of(int calls, F call) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < calls; ++k) call();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / calls;
}
double median(std::vector<double>& of) {
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

/// Ends the program where a call of C fails.
void require(int status) {
  if (status == BMMC_SUCCESS) return;
  std::fprintf(stderr, "%s\n", bmmc_last_error());
  std::exit(1);
}

void compare(unsigned n) {
  std::vector<double> source(std::size_t{1} << n, 1.0), target(source.size());
  auto permute = bmmc::make_permuter<double>(MPI_COMM_WORLD, bmmc::bit_reversal(n));
  const std::uint64_t bits = n;
  bmmc_map reversal{};
  bmmc_operation from_c{};
  require(bmmc_map_by_name("bit_reversal", 1, &bits, &reversal));
  require(bmmc_permuter(MPI_COMM_WORLD, reversal, sizeof(double), {}, {}, &from_c));
  const std::span<double const> from(source);
  const auto by_cpp = [&] { permute(from, target); };
  const auto by_c = [&] {
    require(bmmc_run(from_c, source.data(), source.size(), target.data(), target.size()));
  };
  by_cpp();
  by_c();
  const int calls = static_cast<int>(std::clamp(2e6 / time_of(3, by_cpp), 1.0, 1e5));
  std::vector<double> cpp, c, ratio;
  for (int round = 0; round < 41; ++round) {
    cpp.push_back(time_of(calls, by_cpp));
    c.push_back(time_of(calls, by_c));
    ratio.push_back(c.back() / cpp.back());
  }
  std::printf("%zu %.1f %.1f %.4f\n", source.size() * sizeof(double), median(cpp), median(c),
              median(ratio));
  require(bmmc_operation_free(&from_c));
  require(bmmc_map_free(&reversal));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (const unsigned n : {2U, 7U, 12U, 17U, 20U, 22U}) compare(n);
  MPI_Finalize();
}
