// SPDX-License-Identifier: BSL-1.0
// Axes of arrays of any extents permuted on one thread, as ratios to a copy of the same bytes in
// the same run; and what OpenBLAS and FFTW need for the same, where they were found.
// Options: see `usage`.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include <bmmc/local/axes_in_place.hpp>
#include <bmmc/local/axes_pass.hpp>

#include "local/copy.hpp"

#ifdef WITH_FFTW
#include <fftw3.h>
#endif
#ifdef WITH_OPENBLAS
#include <cblas.h>
#endif

namespace {

using bmmc::index_t;

constexpr std::size_t least_bytes = std::size_t{1} << 26, most_bytes = std::size_t{5} << 26;

struct arrays {
  measure::memory source{most_bytes}, target{most_bytes};
};

struct times {
  double ours, copy;
  [[nodiscard]] double ratio() const { return ours / copy; }
};
template <class T>
times measured(arrays const& a, std::vector<index_t> const& extents,
               std::vector<unsigned> const& axes) {
  const bmmc::extents all{std::span(extents)};
  const bmmc::local::axes_pass<T> pass(all, bmmc::axis_order(axes));
  const double ours = measure::median_of(3, [&] {
    pass(reinterpret_cast<T const*>(a.source.data()), reinterpret_cast<T*>(a.target.data()));
  });
  return {ours,
          measure::copy_reference(a.target.data(), a.source.data(), all.elements() * sizeof(T))};
}

void print(char const* what, double ms, double copy) {
  std::printf("%-58s %8.2f ms %6.2f copies of %.2f ms\n", what, ms, ms / copy, copy);
  std::fflush(stdout);
}

/// Extents from 4 to 1000, all even or all odd, short ones as often as long ones, and an order of
/// the axes that is not the identity.
template <class T>
void random_shapes(arrays const& a, int shapes, bool odd) {
  std::mt19937_64 random(odd ? 2 : 1);
  std::vector<double> ratios;
  std::vector<index_t> worst;
  for (int i = 0; i < shapes; ++i) {
    const auto order = static_cast<unsigned>(3 + i % 4);
    std::vector<index_t> extents(order);
    for (std::size_t bytes = 0; bytes < least_bytes || bytes > most_bytes;) {
      bytes = sizeof(T);
      for (auto& extent : extents) {
        const double lg = 2 + static_cast<double>(random() % 1000) / 1000 * (std::log2(1000) - 2);
        extent = static_cast<index_t>(std::exp2(lg)) / 2 * 2 + (odd ? 1 : 0);
        bytes *= extent;
      }
    }
    std::vector<unsigned> axes(order);
    std::iota(axes.begin(), axes.end(), 0U);
    while (std::is_sorted(axes.begin(), axes.end())) std::shuffle(axes.begin(), axes.end(), random);
    ratios.push_back(measured<T>(a, extents, axes).ratio());
    if (ratios.back() == *std::max_element(ratios.begin(), ratios.end())) {
      worst = extents;
      worst.insert(worst.end(), axes.begin(), axes.end());
    }
  }
  std::printf(
      "%d shapes of 3 to 6 axes, %zu-byte elements, %s extents: median %.2f copies, worst %.2f:",
      shapes, sizeof(T), odd ? "odd" : "even", measure::median(ratios),
      *std::max_element(ratios.begin(), ratios.end()));
  for (std::size_t k = 0; k < worst.size(); ++k)
    std::printf("%s%llu", 2 * k == worst.size() ? " axes " : " ",
                static_cast<unsigned long long>(worst[k]));
  std::printf("\n");
  std::fflush(stdout);
}

struct complex_double {
  double re, im;
};

/// Pictures whose channels come last become pictures whose channels come first, and back.
template <class T>
void channels(arrays const& a, index_t pictures, index_t count, char const* what) {
  const auto apart = measured<T>(a, {pictures, 1080, 1920, count}, {0, 3, 1, 2});
  print((std::string(what) + " taken apart").c_str(), apart.ours, apart.copy);
  const auto together = measured<T>(a, {pictures, count, 1080, 1920}, {0, 2, 3, 1});
  print((std::string(what) + " put together").c_str(), together.ours, together.copy);
}

constexpr char const* usage =
    "bench_axes [SHAPES]      so many random shapes of each kind, 30 unless said otherwise\n";

}  // namespace

int main(int count, char** arguments) {
  const int shapes = count > 1 ? std::atoi(arguments[1]) : 30;
  if (count > 2 || shapes < 1) {
    const bool asked = count == 2 && std::string(arguments[1]) == "--help";
    std::fputs(usage, asked ? stdout : stderr);
    return asked ? 0 : 2;
  }
  std::printf("%s, %s, one thread\n", measure::machine().c_str(), BENCH_FLAGS);
  const arrays a;
  const auto matrix = measured<float>(a, {8000, 8000}, {1, 0});
  print("8000 x 8000 floats transposed", matrix.ours, matrix.copy);
  const bmmc::local::axes_in_place_pass<float> in_place(bmmc::extents{8000, 8000}, {1, 0});
  print("  in place",
        measure::median_of(3, [&] { in_place(reinterpret_cast<float*>(a.target.data())); }),
        matrix.copy);
#ifdef WITH_OPENBLAS
  openblas_set_num_threads(1);
  print("  OpenBLAS somatcopy",
        measure::median_of(3,
                           [&] {
                             cblas_somatcopy(CblasRowMajor, CblasTrans, 8000, 8000, 1,
                                             reinterpret_cast<float*>(a.source.data()), 8000,
                                             reinterpret_cast<float*>(a.target.data()), 8000);
                           }),
        matrix.copy);
#endif
#ifdef WITH_FFTW
  {
    // A transposition is a transform of rank 0 over two loops.
    const fftwf_iodim loops[2] = {{8000, 8000, 1}, {8000, 1, 8000}};
    const auto plan =
        fftwf_plan_guru_r2r(0, nullptr, 2, loops, reinterpret_cast<float*>(a.source.data()),
                            reinterpret_cast<float*>(a.target.data()), nullptr, FFTW_MEASURE);
    print("  FFTW, measured", measure::median_of(3, [&] { fftwf_execute(plan); }), matrix.copy);
    fftwf_destroy_plan(plan);
  }
#endif
  const auto odd = measured<float>(a, {8001, 8001}, {1, 0});
  print("8001 x 8001 floats transposed", odd.ours, odd.copy);
  const auto doubles = measured<double>(a, {4000, 6000}, {1, 0});
  print("4000 x 6000 doubles transposed", doubles.ours, doubles.copy);
  const auto bytes = measured<std::uint8_t>(a, {8000, 9000}, {1, 0});
  print("8000 x 9000 bytes transposed", bytes.ours, bytes.copy);
  const auto complex = measured<complex_double>(a, {3000, 3000}, {1, 0});
  print("3000 x 3000 complex doubles transposed", complex.ours, complex.copy);
  channels<std::uint8_t>(a, 32, 3, "32 pictures of 3 channels, bytes,");
  channels<std::uint8_t>(a, 32, 4, "32 pictures of 4 channels, bytes,");
  channels<float>(a, 8, 3, "8 pictures of 3 channels, floats,");
  for (const bool is_odd : {false, true}) {
    random_shapes<std::uint8_t>(a, shapes, is_odd);
    random_shapes<float>(a, shapes, is_odd);
    random_shapes<double>(a, shapes, is_odd);
  }
  std::printf("%s\n", measure::one_core().report().c_str());
}
