// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fftw3.h>

#include <algorithm>
#include <bmmc.hpp>
#include <complex>
#include <numbers>
#include <vector>

namespace example {

using bmmc::bit, bmmc::index_t;
using complex = std::complex<double>;
inline fftw_complex* raw(complex* data) { return reinterpret_cast<fftw_complex*>(data); }
inline complex times(complex a, complex b) {  // without the care of std::complex for infinities
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Process s of P = 2^t has the points j = s mod P; the bits of an index are [j1 | j2 | s], and
/// w = e^(-2 pi i / 2^n). Transforms over j1, factors w^(P k1 j2) and transforms over j2 leave
/// [k1 | k2] on each process, for k' = [k2 | k1]. The exchange takes k' to process k' mod P.
/// Factors w^(s k') and transforms over s give [q | k'], the bits of a result that is cyclic again.
class cyclic_fft {
 public:
  bmmc::shared_vector<complex> points;

  cyclic_fft(unsigned n, unsigned t, index_t process, unsigned flags)
      : points(MPI_COMM_WORLD, bit(n - t)),
        n_(n),
        t_(t),
        c_((n - t) / 2),
        r_(n - t - c_),
        process_(process),
        work_(MPI_COMM_WORLD, points.size()),
        exchange_(MPI_COMM_WORLD,
                  compose(bmmc::transpose(n - t, t),
                          bmmc::axis_permutation(bmmc::lg_extents{t, r_, c_}, {0, 2, 1}))) {
    const auto power = [n](index_t k) {
      return std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(bit(n)));
    };
    for (index_t k = 0; k < bit(n - n / 2); ++k) high_.push_back(power(k << n / 2));
    for (index_t k = 0; k < bit(n / 2); ++k) low_.push_back(power(k));
    columns_ = make(r_, bit(c_), bit(c_), points.data(), points.data(), flags);
    row_ = make(c_, 1, 1, points.data(), points.data(), flags);
    last_ = make(t, part(), bit(n - 2 * t), work_.data(), points.data(), flags);
  }
  cyclic_fft(cyclic_fft const&) = delete;
  cyclic_fft& operator=(cyclic_fft const&) = delete;
  ~cyclic_fft() {
    for (fftw_plan const plan : {columns_, row_, last_}) fftw_destroy_plan(plan);
  }
  void operator()() {
    fftw_execute(columns_);
    for (index_t k1 = 0; k1 < bit(r_); ++k1) {
      complex* const row = points.data() + (k1 << c_);
      for (index_t j2 = 0; j2 < bit(c_); ++j2) row[j2] = times(row[j2], root(k1 * j2 << t_));
      fftw_execute_dft(row_, raw(row), raw(row));
    }
    exchange_(points, work_);
    for (index_t first = 0; first < bit(n_ - 2 * t_); first += part()) {
      for (index_t s = 1; s < bit(t_); ++s) {  // what came from process s
        complex* const from = work_.data() + (s << (n_ - 2 * t_));
        for (index_t i = first; i < first + part(); ++i)
          from[i] = times(from[i], root(s * ((i << t_) + process_)));
      }
      fftw_execute_dft(last_, raw(work_.data() + first), raw(points.data() + first));
    }
  }

 private:
  [[nodiscard]] complex root(index_t k) const {  // w^k
    return times(high_[k >> n_ / 2], low_[k & bmmc::low_bits(n_ / 2)]);
  }
  [[nodiscard]] index_t part() const { return std::min(bit(n_ - 2 * t_), bit(9)); }
  static fftw_plan make(unsigned lg, index_t count, index_t stride, complex* from, complex* to,
                        unsigned flags) {
    const int length = 1 << lg, step = static_cast<int>(stride);
    return fftw_plan_many_dft(1, &length, static_cast<int>(count), raw(from), nullptr, step, 1,
                              raw(to), nullptr, step, 1, FFTW_FORWARD, flags);
  }

  unsigned n_, t_, c_, r_;
  index_t process_;
  std::vector<complex> high_, low_;
  bmmc::shared_vector<complex> work_;
  bmmc::permuter<complex, bmmc::comm::shared_window> exchange_;
  fftw_plan columns_, row_, last_;
};

}  // namespace example
