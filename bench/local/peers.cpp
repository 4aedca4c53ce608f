// SPDX-License-Identifier: BSL-1.0
// Local permutations beside what others offer, on one thread: FFTW's transposition in place and
// OpenBLAS's omatcopy and imatcopy, where they were found. The last column is the copy.

#include <cstdio>

#include <bmmc/index/catalogue.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/local/permute.hpp>

#include "local/copy.hpp"

#ifdef WITH_FFTW
#include <fftw3.h>
#endif
#ifdef WITH_OPENBLAS
#include <cblas.h>
#endif

namespace {

void report(char const* what, double ms, double copy) {
  std::printf("%-58s %8.2f ms %6.2f copies of %.2f ms\n", what, ms, ms / copy, copy);
  std::fflush(stdout);
}

template <class T>
double copy_of(measure::memory const& a, measure::memory const& b, unsigned n) {
  return measure::copy_reference(b.data(), a.data(), sizeof(T) << n);
}
template <class T>
double pass_of(measure::memory const& a, measure::memory const& b, bmmc::permutation<> const& p) {
  const bmmc::local::pass<T> pass(p);
  return measure::median_of(
      5, [&] { pass(reinterpret_cast<T const*>(a.data()), reinterpret_cast<T*>(b.data())); });
}
template <class T>
double in_place_of(measure::memory const& a, bmmc::permutation<> const& p) {
  const bmmc::local::in_place_pass<T> pass(p);
  return measure::median_of(5, [&] { pass(reinterpret_cast<T*>(a.data())); });
}

struct alignas(16) amplitude {
  double re, im;
};

}  // namespace

int main() {
  std::printf("%s, one thread\n", measure::machine().c_str());
  const measure::memory a(std::size_t{1} << 28), b(std::size_t{1} << 28);
  const double copy = copy_of<float>(a, b, 26);
  report("8192 x 8192 float transposed", pass_of<float>(a, b, bmmc::transpose(13, 13)), copy);
  report("8192 x 8192 float transposed in place", in_place_of<float>(a, bmmc::transpose(13, 13)),
         copy);
#ifdef WITH_OPENBLAS
  openblas_set_num_threads(1);
  report("  OpenBLAS somatcopy",
         measure::median_of(5,
                            [&] {
                              cblas_somatcopy(CblasRowMajor, CblasTrans, 8192, 8192, 1,
                                              reinterpret_cast<float*>(a.data()), 8192,
                                              reinterpret_cast<float*>(b.data()), 8192);
                            }),
         copy);
  report("  OpenBLAS simatcopy",
         measure::median_of(5,
                            [&] {
                              cblas_simatcopy(CblasRowMajor, CblasTrans, 8192, 8192, 1,
                                              reinterpret_cast<float*>(a.data()), 8192, 8192);
                            }),
         copy);
#endif
#ifdef WITH_FFTW
  {
    // A transposition is a transform of rank 0 over two loops.
    const fftwf_iodim loops[2] = {{8192, 8192, 1}, {8192, 1, 8192}};
    auto* const data = reinterpret_cast<float*>(a.data());
    const auto plan = fftwf_plan_guru_r2r(0, nullptr, 2, loops, data, data, nullptr, FFTW_MEASURE);
    report("  FFTW in place, measured", measure::median_of(5, [&] { fftwf_execute(plan); }), copy);
    fftwf_destroy_plan(plan);
  }
#endif
  const double small = copy_of<float>(a, b, 24);
  report("2^24 floats bit-reversed", pass_of<float>(a, b, bmmc::bit_reversal(24)), small);
  const double amplitudes = copy_of<amplitude>(a, b, 24);
  report("24 qubits of complex double reversed", pass_of<amplitude>(a, b, bmmc::bit_reversal(24)),
         amplitudes);
  report("24 qubits of complex double reversed in place",
         in_place_of<amplitude>(a, bmmc::bit_reversal(24)), amplitudes);
  std::printf("%s\n", measure::one_core().report().c_str());
}
