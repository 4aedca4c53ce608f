// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

#include <bmmc/comm/mpi.hpp>
#include <bmmc/reshape/array_layout.hpp>
#include <bmmc/reshape/scalapack.hpp>

extern "C" {
int Csys2blacs_handle(MPI_Comm);
void Cblacs_gridinit(int* context, char const* order, int rows, int cols);
void Cblacs_gridexit(int context);
void pdgemr2d_(int const* m, int const* n, double const* a, int const* ia, int const* ja,
               int const* desc_a, double* b, int const* ib, int const* jb, int const* desc_b,
               int const* context);
void pdtran_(int const* m, int const* n, double const* alpha, double const* a, int const* ia,
             int const* ja, int const* desc_a, double const* beta, double* c, int const* ic,
             int const* jc, int const* desc_c);
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
  explicit grid(bmmc::scalapack_matrix const& a) : context_(Csys2blacs_handle(MPI_COMM_WORLD)) {
    Cblacs_gridinit(&context_, a.by_columns ? "C" : "R", static_cast<int>(a.grid_rows),
                    static_cast<int>(a.grid_cols));
  }
  grid(grid const&) = delete;
  grid& operator=(grid const&) = delete;
  ~grid() {
    if (context_ >= 0) Cblacs_gridexit(context_);  // else this process is not in the grid
  }
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

/// The same for a matrix of any size.
class any_redistribution {
 public:
  any_redistribution(bmmc::scalapack_matrix const& from, bmmc::scalapack_matrix const& to,
                     bmmc::index_t proc)
      : rows_(static_cast<int>(from.rows)),
        cols_(static_cast<int>(from.cols)),
        grid_from_(from),
        grid_to_(to),
        from_(from.descriptor(grid_from_.context(), proc)),
        to_(to.descriptor(grid_to_.context(), proc)),
        all_(Csys2blacs_handle(MPI_COMM_WORLD)) {
    int procs = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    Cblacs_gridinit(&all_, "R", 1, procs);
  }
  any_redistribution(any_redistribution const&) = delete;
  any_redistribution& operator=(any_redistribution const&) = delete;
  ~any_redistribution() { Cblacs_gridexit(all_); }

  void operator()(double const* source, double* target) const {
    const int one = 1;
    pdgemr2d_(&rows_, &cols_, source, &one, &one, from_.data(), target, &one, &one, to_.data(),
              &all_);
  }

 private:
  int rows_, cols_;
  grid grid_from_, grid_to_;
  std::array<int, 9> from_, to_;
  int all_;  // a grid of all processes, which may be more than those of the others
};

/// PBLAS's transposition of a matrix of any size; both on one grid.
class transposition {
 public:
  transposition(bmmc::scalapack_matrix const& from, bmmc::scalapack_matrix const& to,
                bmmc::index_t proc)
      : rows_(static_cast<int>(to.rows)),
        cols_(static_cast<int>(to.cols)),
        grid_(from),
        from_(from.descriptor(grid_.context(), proc)),
        to_(to.descriptor(grid_.context(), proc)) {}

  void operator()(double const* source, double* target) const {
    const int one = 1;
    const double as_it_is = 1, forgotten = 0;
    pdtran_(&rows_, &cols_, &as_it_is, source, &one, &one, from_.data(), &forgotten, target, &one,
            &one, to_.data());
  }

 private:
  int rows_, cols_;
  grid grid_;
  std::array<int, 9> from_, to_;
};

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
