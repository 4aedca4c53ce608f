// SPDX-License-Identifier: BSL-1.0

// Stride permutations i -> q i + r mod N without any index, beside the same permutation as a
// bijection with tables, as a list of targets, and sorted by neighbours; in multiples of a copy of
// the chunk by all processes at once, taken in turn with them.
//   mpirun -np 4 bench_stride [LG_ELEMENTS [REPETITIONS]]

#include <bmmc.hpp>
#include <cstdio>
#include <functional>
#include <numeric>

#include "support/numbers.hpp"

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

struct way {
  char const* name;
  std::function<void()> work;
  std::vector<double> times{};
};

class session {
 public:
  session(index_t elements, index_t procs, index_t proc, int repetitions)
      : layout_(elements, procs),
        proc_(proc),
        repetitions_(repetitions),
        source_(layout_.count(proc), 1.0),
        target_(source_.size()),
        targets_(source_.size()) {}

  void run(bmmc::stride_permutation const& s) {
    for (index_t i = 0; i < targets_.size(); ++i) targets_[i] = s(layout_.first(proc_) + i);
    const bmmc::target_list list{targets_};
    const auto back = inverse(s);
    const bmmc::function_bijection tabled(
        s.size(), [=](index_t x) { return s(x); }, [=](index_t y) { return back(y); });
    std::vector<way> ways{
        {"copy", [&] { std::memcpy(target_.data(), source_.data(), source_.size() * 8); }},
        {"stride, to target", [&] { bmmc::permute<double>(MPI_COMM_WORLD, source_, target_, s); }},
        {"stride, in place", [&] { bmmc::permute<double>(MPI_COMM_WORLD, source_, s); }},
        {"bijection", [&] { bmmc::permute<double>(MPI_COMM_WORLD, source_, target_, tabled); }},
        {"list of targets", [&] { bmmc::permute<double>(MPI_COMM_WORLD, source_, target_, list); }},
    };
    if ((layout_.procs() & (layout_.procs() - 1)) == 0)
      ways.push_back(
          {"list, bitonic",
           [&] { bmmc::permute<double, comm::bitonic>(MPI_COMM_WORLD, source_, target_, list); }});
    for (int k = 0; k <= repetitions_; ++k)  // in turn, so that all meet the same machine
      for (way& w : ways)
        if (const double time = measure::seconds_on_all(w.work); k > 0) w.times.push_back(time);
    report(s, ways);
  }

 private:
  void report(bmmc::stride_permutation const& s, std::vector<way> const& ways) const {
    const bmmc::stride_route route(s, layout_, proc_);
    index_t leaving = layout_.count(proc_) - route.sent(proc_);
    MPI_Allreduce(MPI_IN_PLACE, &leaving, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (proc_ != 0) return;
    std::printf(
        "\ni -> %llu i + %llu: %llu of %llu elements leave their process\n",
        static_cast<unsigned long long>(s.multiplier()), static_cast<unsigned long long>(s.shift()),
        static_cast<unsigned long long>(leaving), static_cast<unsigned long long>(s.size()));
    const double copy = measure::median(ways.front().times);
    for (way const& w : ways)
      std::printf("  %-18s %9.2f ms %8.2f copies\n", w.name, measure::median(w.times) * 1e3,
                  measure::median(w.times) / copy);
    std::fflush(stdout);
  }

  bmmc::layout::blocks layout_;
  index_t proc_;
  int repetitions_;
  std::vector<double> source_, target_;
  std::vector<index_t> targets_;
};

}  // namespace

int main(int argc, char** argv) {
  int bits = 24, repetitions = 5;
  const auto read = [&] {
    return measure::read_numbers(argc, argv,
                                 "Stride permutations, beside tables, lists and sorting",
                                 {{"lg-elements", &bits, 4, 40, "lg of the number of doubles"},
                                  {"repetitions", &repetitions, 1, 1 << 20, "timed rounds"}});
  };
  return measure::run_on_all(argc, argv, read, [&] {
    const int rank = measure::rank(), procs = measure::procs();
    const index_t n = index_t{1} << bits;
    if (rank == 0)
      std::printf("%s; 2^%d elements (double) on %d processes, medians of %d\n",
                  measure::machine().c_str(), bits, procs, repetitions);
    session s(n, static_cast<index_t>(procs), static_cast<index_t>(rank), repetitions);
    s.run({n, 3});
    s.run({n, (index_t{1} << bits / 2) + 1});
    s.run({n, n / 8 * 5 + 12345 % (n / 8) / 2 * 2 + 1, 7});
    s.run({n, n - 1, n - 1});
    return 0;
  });
}
