// SPDX-License-Identifier: BSL-1.0

// Whole permutations beside what others offer, in the same run: MPI_Alltoallw with derived types,
// the transposition of FFTW-MPI where it was found, and MPI_Alltoall of as many bytes, which puts
// nothing in its place.   mpirun -np 4 bench_peers --help

#include "support/alltoallw.hpp"
#include "support/options.hpp"
#ifdef WITH_FFTW_MPI
#include "support/fftw_transpose.hpp"
#endif

namespace {

using arena = measure::arena<double>;

void add_alltoallw(arena& a, workload::named_permutation const& w) {
  const auto procs = static_cast<std::size_t>(measure::procs());
  std::shared_ptr<peer::alltoallw> exchange;
  char const* name = "Alltoallw with strided types";
  if (w.name == "transpose") {
    exchange = peer::transposing(bmmc::bit(a.bits() / 2), bmmc::bit(a.bits() - a.bits() / 2));
  } else if (w.name == "block to cyclic" && a.elements() >= procs) {
    exchange = peer::dealing(a.elements());
  } else if (a.elements() > bmmc::bit(22)) {
    return;  // Open MPI keeps 64 bytes for each element of such types
  } else {
    exchange = peer::listing(w.map);
    name = "Alltoallw with indexed types";
  }
  a.add(name, [&a, exchange] { (*exchange)(a.source(), a.target()); }, arena::result::in_target);
}

void add_alltoall(arena& a) {
  const auto count = static_cast<int>(a.elements() / static_cast<std::size_t>(measure::procs()));
  if (count == 0) return;
  a.add_unchecked("Alltoall of the same bytes", [&a, count] {
    MPI_Alltoall(a.source(), count, MPI_DOUBLE, a.target(), count, MPI_DOUBLE, MPI_COMM_WORLD);
  });
}

#ifdef WITH_FFTW_MPI
void add_fftw(arena& a) {
  const unsigned rows = a.bits() / 2, cols = a.bits() - rows;
  if (bmmc::bit(rows) < static_cast<bmmc::index_t>(measure::procs())) return;
  for (const auto& [name, flag] : {std::pair{"FFTW estimated", unsigned{FFTW_ESTIMATE}},
                                   std::pair{"FFTW measured", unsigned{FFTW_MEASURE}}}) {
    const auto between =
        std::make_shared<peer::fftw_transpose>(rows, cols, a.source(), a.target(), flag);
    const auto in_place =
        std::make_shared<peer::fftw_transpose>(rows, cols, a.both(), a.both(), flag);
    a.add(name, [between] { (*between)(); }, arena::result::in_target);
    a.add(std::string(name) + " in place", [in_place] { (*in_place)(); }, arena::result::in_place);
  }
}
#endif

void run(measure::options const& o) {
  const auto p = bmmc::proc_bits_of(static_cast<bmmc::index_t>(measure::procs()));
  for (unsigned lg_bytes = o.first; lg_bytes <= o.last; lg_bytes += o.step) {
    arena a(lg_bytes - 3);
    for (auto const& w : workload::all(a.bits(), p)) {
      a.start(w);
      a.add_policies();
      a.add_shared();
      add_alltoall(a);
      add_alltoallw(a, w);
#ifdef WITH_FFTW_MPI
      if (w.name == "transpose") add_fftw(a);
#endif
      a.finish(o.limit);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  return measure::run_benchmark(argc, argv, "Distributed permutations beside other ways", run);
}
