// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fftw3-mpi.h>

#include <stdexcept>

#include <bmmc/comm/mpi.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace peer {

/// FFTW's transposition of a 2^rows x 2^cols matrix of doubles in slabs of rows; in place where
/// source and target are one. Planning by measuring overwrites both.
class fftw_transpose {
 public:
  fftw_transpose(unsigned rows, unsigned cols, double* source, double* target, unsigned flags) {
    [[maybe_unused]] static const bool is_ready = (fftw_mpi_init(), true);
    plan_ = fftw_mpi_plan_many_transpose(
        static_cast<ptrdiff_t>(bmmc::bit(rows)), static_cast<ptrdiff_t>(bmmc::bit(cols)), 1,
        FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, source, target, MPI_COMM_WORLD, flags);
    if (plan_ == nullptr) throw std::runtime_error("FFTW has no plan for this transposition");
  }
  fftw_transpose(fftw_transpose const&) = delete;
  fftw_transpose& operator=(fftw_transpose const&) = delete;
  ~fftw_transpose() { fftw_destroy_plan(plan_); }
  void operator()() const { fftw_execute(plan_); }

 private:
  fftw_plan plan_;
};

}  // namespace peer
