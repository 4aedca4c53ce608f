// SPDX-License-Identifier: BSL-1.0

// Arrays of any extents: a matrix of doubles transposed from slabs of rows to slabs of rows, ours,
// FFTW-MPI's and PBLAS's pdtran, and beside 4096 x 4096; brought from one block-cyclic grid to
// another, ours and ScaLAPACK's pdgemr2d and pdtran, in turn in one run, checked element by
// element; and the time to plan.
//   mpirun -np 3 bench_grids [ROWS [COLS [REPETITIONS]]]

#include <bmmc.hpp>
#include <cstdio>
#include <cstring>

#include "support/numbers.hpp"
#ifdef WITH_FFTW_MPI
#include <fftw3-mpi.h>
#endif
#ifdef WITH_SCALAPACK
#include "support/scalapack.hpp"
#endif

namespace {

using bmmc::grid_axis;
using bmmc::grid_layout;
using bmmc::index_t;

struct job {
  int rank, repetitions;
  index_t procs, rows, cols;
};

double median_of(job const& j, auto&& work) {
  std::vector<double> times;
  for (int k = 0; k < j.repetitions + 1; ++k) times.push_back(measure::seconds_on_all(work));
  times.erase(times.begin());
  return 1e3 * measure::median(times);
}
void tell(job const& j, char const* name, double ms, double copy) {
  if (j.rank == 0) std::printf("  %-34s %9.2f ms %7.2f copies\n", name, ms, ms / copy);
}
[[nodiscard]] bool agreed(bool same, job const& j) {
  int all = same ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all == 0 && j.rank == 0) std::printf("  DIFFERENT ARRAYS\n");
  return all != 0;
}

std::vector<double> own_indices(grid_layout const& a, index_t me) {
  std::vector<double> chunk(a.span(me));
  for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<double>(a.index_at(me, i));
  return chunk;
}

/// `kept_ms` is what a kept redistributor with the automatic policy takes.
bool transposes(job const& j, double& kept_ms) {
  const auto me = static_cast<index_t>(j.rank);
  const grid_layout a{grid_axis::full_blocks(j.rows, j.procs), grid_axis::local(j.cols)};
  const grid_layout b{grid_axis::full_blocks(j.cols, j.procs), grid_axis::local(j.rows)};
  const auto source = own_indices(a, me);
  std::vector<double> target(b.span(me)), wanted(target.size()), copied(source.size());
  for (index_t i = 0; i < wanted.size(); ++i) {
    const index_t y = b.index_at(me, i);
    wanted[i] = static_cast<double>(y % j.rows * j.cols + y / j.rows);
  }
  const double copy = median_of(
      j, [&] { std::memcpy(copied.data(), source.data(), source.size() * sizeof(double)); });
  if (j.rank == 0) std::printf("transposed, in slabs of rows; a copy takes %.2f ms\n", copy);
  bool good = true;
  double least = 1e300;
  const auto ours = [&](char const* name, auto const& policy) {
    using policy_type = std::remove_cvref_t<decltype(policy)>;
    bmmc::redistributor<double, policy_type> move(MPI_COMM_WORLD, a, b, {1, 0}, policy,
                                                  bmmc::call_kind::between_spans);
    std::fill(target.begin(), target.end(), -1.0);
    for (int k = 0; k < 8; ++k) move(source, target);  // automatic tries its ways first
    const double ms = median_of(j, [&] { move(source, target); });
    if (std::is_same_v<policy_type, bmmc::comm::automatic>) least = ms;
    tell(j, name, ms, copy);
    good = agreed(target == wanted, j) && good;
  };
  ours("kept, automatic", bmmc::comm::automatic{});
  ours("kept, pairwise", bmmc::comm::pairwise{});
  ours("kept, pipelined", bmmc::comm::pipelined{});
  ours("kept, alltoallv", bmmc::comm::alltoallv{});
  ours("kept, shared_window", bmmc::comm::shared_window{});
  const double once = median_of(j, [&] {
    bmmc::transpose<double>(MPI_COMM_WORLD, source, target, a, b, bmmc::axis_order{1, 0});
  });
  tell(j, "one call", once, copy);
#ifdef WITH_FFTW_MPI
  fftw_mpi_init();
  const std::array<ptrdiff_t, 2> extents{static_cast<ptrdiff_t>(j.rows),
                                         static_cast<ptrdiff_t>(j.cols)};
  ptrdiff_t n0 = 0, first0 = 0, n1 = 0, first1 = 0;
  const auto room = static_cast<std::size_t>(fftw_mpi_local_size_many_transposed(
      2, extents.data(), 1, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, MPI_COMM_WORLD, &n0,
      &first0, &n1, &first1));
  std::vector<double> from(room), to(room);
  auto* const plan = fftw_mpi_plan_many_transpose(extents[0], extents[1], 1, FFTW_MPI_DEFAULT_BLOCK,
                                                  FFTW_MPI_DEFAULT_BLOCK, from.data(), to.data(),
                                                  MPI_COMM_WORLD, FFTW_MEASURE);
  std::copy(source.begin(), source.end(), from.begin());
  tell(j, "FFTW-MPI, measured plan", median_of(j, [&] { fftw_execute(plan); }), copy);
  fftw_destroy_plan(plan);
#endif
#ifdef WITH_SCALAPACK
  {
    // Rows in C's order are ScaLAPACK's columns.
    bmmc::scalapack_matrix from_matrix{.rows = j.cols, .cols = j.rows, .row_block = j.cols};
    from_matrix.col_block = (j.rows - 1) / j.procs + 1;
    from_matrix.grid_rows = 1;
    from_matrix.grid_cols = j.procs;
    auto to_matrix = from_matrix;
    std::swap(to_matrix.rows, to_matrix.cols);
    to_matrix.row_block = to_matrix.rows;
    to_matrix.col_block = (to_matrix.cols - 1) / j.procs + 1;
    const scalapack::transposition pdtran(from_matrix, to_matrix, me);
    std::fill(target.begin(), target.end(), -1.0);
    tell(j, "pdtran", median_of(j, [&] { pdtran(source.data(), target.data()); }), copy);
    good = agreed(target == wanted, j) && good;
  }
#endif
  kept_ms = least;
  return good;
}

#ifdef WITH_SCALAPACK
bool redistributions(job const& j) {
  const auto me = static_cast<index_t>(j.rank);
  index_t grid_rows = 1;
  for (index_t k = 2; k * k <= j.procs; ++k)
    if (j.procs % k == 0) grid_rows = k;
  const index_t grid_cols = j.procs / grid_rows;
  bmmc::scalapack_matrix a{.rows = j.rows, .cols = j.cols, .row_block = 64, .col_block = 64};
  a.grid_rows = grid_rows;
  a.grid_cols = grid_cols;
  auto b = a, c = a;
  b.row_block = b.col_block = 48;
  c.row_block = (j.rows - 1) / grid_cols + 1;  // whole blocks on the grid turned
  c.col_block = (j.cols - 1) / grid_rows + 1;
  std::swap(c.grid_rows, c.grid_cols);
  const auto source = own_indices(a.layout(), me);
  std::vector<double> copied(source.size());
  const double copy = median_of(
      j, [&] { std::memcpy(copied.data(), source.data(), source.size() * sizeof(double)); });
  bool good = true;
  for (auto const& [name, to] :
       {std::pair("64 x 64 to 48 x 48", b), std::pair("64 x 64 to blocks, grid turned", c)}) {
    std::vector<double> ours(to.layout().span(me)), theirs(ours.size());
    auto move = bmmc::make_redistributor<double>(MPI_COMM_WORLD, a.layout(), to.layout());
    const scalapack::any_redistribution pdgemr2d(a, to, me);
    if (j.rank == 0)
      std::printf("%s on %llu x %llu processes\n", name,
                  static_cast<unsigned long long>(to.grid_rows),
                  static_cast<unsigned long long>(to.grid_cols));
    tell(j, "kept", median_of(j, [&] { move(source, ours); }), copy);
    tell(j, "one call",
         median_of(j,
                   [&] {
                     bmmc::redistribute<double>(MPI_COMM_WORLD, source, ours, a.layout(),
                                                to.layout());
                   }),
         copy);
    tell(j, "pdgemr2d", median_of(j, [&] { pdgemr2d(source.data(), theirs.data()); }), copy);
    good = agreed(ours == theirs, j) && good;
  }
  auto turned = a;
  std::swap(turned.rows, turned.cols);
  std::vector<double> ours(turned.layout().span(me)), theirs(ours.size());
  auto move = bmmc::make_transposer<double>(MPI_COMM_WORLD, a.layout(), turned.layout(), {1, 0});
  const scalapack::transposition pdtran(a, turned, me);
  if (j.rank == 0) std::printf("64 x 64 transposed on the same grid\n");
  tell(j, "kept", median_of(j, [&] { move(source, ours); }), copy);
  tell(j, "pdtran", median_of(j, [&] { pdtran(source.data(), theirs.data()); }), copy);
  return agreed(ours == theirs, j) && good;
}
#endif

/// Microseconds to make a plan and one process's part of it.
void plans(job const& j) {
  if (j.rank != 0) return;
  const auto time = [&](char const* name, grid_layout const& a, grid_layout const& b) {
    std::vector<double> times;
    index_t sent = 0;
    for (int k = 0; k < 101; ++k) {
      const double start = measure::now();
      const bmmc::grid_route route(bmmc::grid_plan(a, b), static_cast<index_t>(k) % a.procs());
      sent += route.sent(0);
      times.push_back(measure::now() - start);
    }
    std::printf("  %-42s %9.1f us%s\n", name, 1e6 * measure::median(times), sent == 0 ? " " : "");
  };
  std::printf("one process's part of a plan\n");
  const auto whole = [](index_t n) { return grid_axis::local(n); };
  time("slabs of 100 x 60 x 48 to pencils, 6", {grid_axis::blocks(100, 6), whole(60), whole(48)},
       {grid_axis::blocks(100, 2), grid_axis::blocks(60, 3), whole(48)});
  time("rows to columns, 1024", {grid_axis::blocks(40000, 1024), whole(60000)},
       {whole(40000), grid_axis::blocks(60000, 1024)});
  time("64 x 64 to 48 x 40, grid of 32 x 32",
       {grid_axis::block_cyclic(40000, 32, 64), grid_axis::block_cyclic(50000, 32, 64)},
       {grid_axis::block_cyclic(40000, 32, 48), grid_axis::block_cyclic(50000, 32, 40)});
  time("blocks of 64 to 48, one axis over 1024", {grid_axis::block_cyclic(1000000, 1024, 64)},
       {grid_axis::block_cyclic(1000000, 1024, 48)});
  time("blocks of 64 to 47, 1024 to 1021", {grid_axis::block_cyclic(1000000, 1024, 64)},
       {grid_axis::block_cyclic(1000000, 1021, 47)});
  time("the same, 10^8 positions", {grid_axis::block_cyclic(100000000, 1024, 64)},
       {grid_axis::block_cyclic(100000000, 1021, 47)});
  time("cyclic to cyclic, 1024 to 1021, 10^9", {grid_axis::cyclic(1000000000, 1024)},
       {grid_axis::cyclic(1000000000, 1021)});
  time("64 x 64 to 47 x 41, 32 x 32 to 31 x 33",
       {grid_axis::block_cyclic(40000, 32, 64), grid_axis::block_cyclic(50000, 32, 64)},
       {grid_axis::block_cyclic(40000, 31, 47), grid_axis::block_cyclic(50000, 33, 41)});
}

}  // namespace

int main(int argc, char** argv) {
  int rows = 4000, cols = 6000, repetitions = 5;
  const auto read = [&] {
    return measure::read_numbers(argc, argv, "Arrays of any extents, beside FFTW-MPI and ScaLAPACK",
                                 {{"rows", &rows, 1, 1 << 20, "rows of the matrix"},
                                  {"cols", &cols, 1, 1 << 20, "columns of the matrix"},
                                  {"repetitions", &repetitions, 1, 1 << 20, "timed rounds"}});
  };
  return measure::run_on_all(argc, argv, read, [&] {
    const int rank = measure::rank(), procs = measure::procs();
    const job j{rank, repetitions, static_cast<index_t>(procs), static_cast<index_t>(rows),
                static_cast<index_t>(cols)};
    if (rank == 0)
      std::printf("%s; %d processes, %d x %d doubles, medians of %d\n", measure::machine().c_str(),
                  procs, rows, cols, repetitions);
    double ms = 0, square_ms = 0;
    bool good = transposes(j, ms);
    const job square{rank, repetitions, j.procs, 4096, 4096};
    if (rank == 0) std::printf("4096 x 4096 ");
    good = transposes(square, square_ms) && good;
    if (rank == 0)
      std::printf("kept, automatic: %.2f times as long per byte as 4096 x 4096\n",
                  ms / (static_cast<double>(rows) * cols) / (square_ms / (4096.0 * 4096.0)));
#ifdef WITH_SCALAPACK
    good = redistributions(j) && good;
#endif
    plans(j);
    return good ? 0 : 1;
  });
}
