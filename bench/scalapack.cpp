// SPDX-License-Identifier: BSL-1.0

// Redistribution of a matrix of doubles: ours and ScaLAPACK's pdgemr2d, in turn in one run, checked
// against each other. A permuter is kept, or one is made in each call, with its workspace; the last
// two columns tell how many times as long pdgemr2d takes.
//   mpirun -np 4 bench_scalapack [LG_ROWS [REPETITIONS [FILE]]]
// FILE gets the milliseconds as rows of the table bench/measured/scalapack_ice_lake.csv.

#include <bmmc.hpp>
#include <cstdio>

#include "support/numbers.hpp"
#include "support/scalapack.hpp"

namespace {

using bmmc::block_cyclic_matrix;
using bmmc::index_t;

struct workload {
  char const* name;
  block_cyclic_matrix from, to;
};

std::vector<workload> workloads(unsigned lg, unsigned p) {
  const unsigned lg_rows = p - p / 2, lg_cols = p / 2;  // of the grid
  const auto rows = bmmc::bit(lg_rows), cols = bmmc::bit(lg_cols), all = bmmc::bit(p);
  // rows, columns, row block, column block, grid rows, grid columns
  return {{"blocks to 64 x 64 cyclic",
           {lg, lg, lg - lg_rows, lg - lg_cols, rows, cols},
           {lg, lg, 6, 6, rows, cols}},
          {"64 x 64 to 32 x 32", {lg, lg, 6, 6, rows, cols}, {lg, lg, 5, 5, rows, cols}},
          {"64 x 64, grid turned", {lg, lg, 6, 6, rows, cols}, {lg, lg, 6, 6, cols, rows}},
          {"64 x 64, by columns", {lg, lg, 6, 6, rows, cols}, {lg, lg, 6, 6, rows, cols, true}},
          {"block rows to columns", {lg, lg, lg - p, lg, all, 1}, {lg, lg, lg, lg - p, 1, all}},
          {"cyclic rows to columns", {lg, lg, 0, lg, all, 1}, {lg, lg, lg, 0, 1, all}}};
}

/// True where both give the same array.
bool run(workload const& w, int repetitions, int rank, int procs, std::FILE* table) {
  const auto source = w.from.layout(), target = w.to.layout();
  const unsigned n = source.bits(), p = bmmc::proc_bits_of(static_cast<index_t>(procs));
  std::vector<double> chunk(index_t{1} << (n - p)), ours(chunk.size()), theirs(chunk.size());
  const auto index_of = inverse(source.physical(n, p));
  for (index_t o = 0; o < chunk.size(); ++o)
    chunk[o] = static_cast<double>(index_of((static_cast<index_t>(rank) << (n - p)) + o));
  auto redistribute = bmmc::make_redistributor<double>(MPI_COMM_WORLD, source, target);
  const scalapack::redistribution pdgemr2d(w.from, w.to);
  std::vector<double> our_times, built_times, their_times;
  for (int k = 0; k < repetitions + 1; ++k) {
    our_times.push_back(measure::seconds_on_all([&] { redistribute(chunk, ours); }));
    built_times.push_back(measure::seconds_on_all(
        [&] { bmmc::redistribute<double>(MPI_COMM_WORLD, chunk, ours, source, target); }));
    their_times.push_back(measure::seconds_on_all([&] { pdgemr2d(chunk.data(), theirs.data()); }));
  }
  for (auto* times : {&our_times, &built_times, &their_times}) times->erase(times->begin());
  int same = ours == theirs ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const double kept = measure::median(our_times), once = measure::median(built_times),
               peer = measure::median(their_times);
  if (rank == 0)
    std::printf("%-26s %10.2f %10.2f %10.2f %9.2f %9.2f  %s\n", w.name, kept * 1e3, once * 1e3,
                peer * 1e3, peer / kept, peer / once,
                same != 0 ? "same array" : "DIFFERENT ARRAYS");
  if (table != nullptr)
    std::fprintf(table, "%d,\"%s\",%.2f,%.2f,%.2f\n", procs, w.name, kept * 1e3, once * 1e3,
                 peer * 1e3);
  return same != 0;
}

}  // namespace

int main(int argc, char** argv) {
  int lg_rows = 11, repetitions = 5;
  std::string file;
  const auto read = [&] {
    return measure::read_numbers(
        argc, argv, "Redistribution of a matrix of doubles, beside ScaLAPACK's pdgemr2d",
        {{"lg-rows", &lg_rows, 8, 15, "lg of the number of rows, and of columns"},
         {"repetitions", &repetitions, 1, 1 << 20, "timed rounds"}},
        &file);
  };
  return measure::run_on_all(argc, argv, read, [&] {
    const int rank = measure::rank(), procs = measure::procs();
    const auto lg = static_cast<unsigned>(lg_rows);
    const auto all = workloads(lg, bmmc::proc_bits_of(static_cast<index_t>(procs)));
    std::FILE* const table = measure::open_table(file);
    if (rank == 0)
      std::printf(
          "%s; %d processes, 2^%u x 2^%u doubles, medians of %d\n%-26s %10s %10s %10s %9s "
          "%9s\n",
          measure::machine().c_str(), procs, lg, lg, repetitions, "redistribution", "kept ms",
          "one call", "pdgemr2d", "to kept", "to call");
    bool good = true;
    for (auto const& w : all) good = run(w, repetitions, rank, procs, table) && good;
    if (table != nullptr) std::fclose(table);
    return good ? 0 : 1;
  });
}
