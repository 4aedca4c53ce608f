// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

#include <bmmc/comm/mpi.hpp>
#include <bmmc/reshape/array_layout.hpp>

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, char const* order, int rows, int cols);
void Cblacs_gridexit(int context);
void pdgemr2d_(int const* m, int const* n, double const* a, int const* ia, int const* ja,
               int const* desc_a, double* b, int const* ib, int const* jb, int const* desc_b,
               int const* context);
}

/// ScaLAPACK's own redistribution of a matrix of doubles, from its descriptors.
namespace scalapack {

/// A process grid of BLACS over all processes.
class grid {
 public:
  grid(bmmc::block_cyclic_matrix const& a) : context_(Csys2blacs_handle(MPI_COMM_WORLD)) {
    Cblacs_gridinit(&context_, a.by_columns ? "C" : "R", static_cast<int>(a.grid_rows),
                    static_cast<int>(a.grid_cols));
  }
  grid(grid const&) = delete;
  grid& operator=(grid const&) = delete;
  ~grid() { Cblacs_gridexit(context_); }
  [[nodiscard]] int context() const { return context_; }

 private:
  int context_;
};

inline std::array<int, 9> descriptor(bmmc::block_cyclic_matrix const& a, grid const& on) {
  return {1,
          on.context(),
          1 << a.lg_rows,
          1 << a.lg_cols,
          1 << a.lg_row_block,
          1 << a.lg_col_block,
          0,
          0,
          (1 << a.lg_rows) / static_cast<int>(a.grid_rows)};
}

/// A redistribution, with its grids and descriptors made once.
class redistribution {
 public:
  redistribution(bmmc::block_cyclic_matrix const& from, bmmc::block_cyclic_matrix const& to)
      : rows_(1 << from.lg_rows),
        cols_(1 << from.lg_cols),
        grid_from_(from),
        grid_to_(to),
        from_(descriptor(from, grid_from_)),
        to_(descriptor(to, grid_to_)) {}

  void operator()(double const* source, double* target) const {
    const int one = 1, context = grid_from_.context();
    pdgemr2d_(&rows_, &cols_, source, &one, &one, from_.data(), target, &one, &one, to_.data(),
              &context);
  }

 private:
  int rows_, cols_;
  grid grid_from_, grid_to_;
  std::array<int, 9> from_, to_;
};

}  // namespace scalapack
