// SPDX-License-Identifier: BSL-1.0

// Every entry point that permute.cpp leaves out, on many simulated processes. Prints "every element
// has its place" where all is well.

#include <cstdio>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <bmmc.hpp>

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

/// Elements are the source indices, so those that p has moved are told by its inverse.
class world {
 public:
  world() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &procs_);
  }
  [[nodiscard]] index_t procs() const { return static_cast<index_t>(procs_); }
  [[nodiscard]] bool is_first() const { return rank_ == 0; }
  [[nodiscard]] bool is_good() const { return faults_ == 0; }

  /// Each entry point that takes p, on blocks of `here` elements.
  void try_all(bmmc::permutation<> const& p, index_t here);
  void try_others(index_t here);

 private:
  [[nodiscard]] index_t first(index_t here) const { return static_cast<index_t>(rank_) * here; }
  [[nodiscard]] std::vector<index_t> indices(index_t here) const {
    std::vector<index_t> made(here);
    std::iota(made.begin(), made.end(), first(here));
    return made;
  }
  /// source_of(y) must stand at y.
  template <class T, class Source>
  void expect(std::vector<T> const& chunk, Source source_of, char const* what) {
    for (index_t i = 0; i < chunk.size(); ++i)
      if (chunk[i] != static_cast<T>(source_of(first(chunk.size()) + i)))
        return static_cast<void>(std::printf("process %d: %s\n", rank_, what), ++faults_);
  }

  int rank_ = 0, procs_ = 1, faults_ = 0;
};

void world::try_all(bmmc::permutation<> const& p, index_t here) {
  const auto back = inverse(p);
  auto chunk = indices(here);
  std::vector<index_t> target(here), list(here);
  const auto good = [&](std::vector<index_t>& found, char const* what) {
    expect(found, back, what);
    chunk = indices(here);
    std::fill(target.begin(), target.end(), 0);
  };
  auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
  for (int call = 0; call < 2; ++call) {
    permute(chunk);
    good(chunk, "a permuter");
  }
  // Of persistent messages with a type made by MPI_Type_contiguous, SMPI 3.32 sends at the first start
  // what stood in the buffer when they were made. So what is started twice is compared.
  for (int call = 0; call < 2; ++call) {
    permute.start(chunk, target);
    permute.wait();
  }
  good(target, "start");
  auto set = bmmc::make_permuter_set<index_t, std::uint8_t>(MPI_COMM_WORLD, p);
  std::vector<std::uint8_t> bytes;
  for (int call = 0; call < 2; ++call) {
    chunk = indices(here);
    bytes.assign(chunk.begin(), chunk.end());
    set({chunk, bytes});
  }
  expect(bytes, back, "bytes of a set");
  good(chunk, "a set");

  const auto map = bmmc::as_map(p), from = bmmc::as_map(back);
  bmmc::gather<index_t>(MPI_COMM_WORLD, chunk, target, from);
  good(target, "gather");
  bmmc::gather<index_t, comm::alltoallv>(MPI_COMM_WORLD, chunk, target, from);
  good(target, "gather by alltoallv");
  bmmc::reduce<index_t>(MPI_COMM_WORLD, chunk, target, map);
  good(target, "reduce");
  bmmc::reduce<index_t, std::plus<>, comm::sendrecv>(MPI_COMM_WORLD, chunk, target, map);
  good(target, "reduce by sendrecv");

  for (index_t i = 0; i < here; ++i) list[i] = p(first(here) + i);
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::target_list{list});
  good(chunk, "list");
  bmmc::permute<index_t, comm::bitonic>(MPI_COMM_WORLD, chunk, bmmc::target_list{list});
  good(chunk, "bitonic");
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::as_bijection(p));
  good(chunk, "bijection");
  if (bmmc::detect(MPI_COMM_WORLD, bmmc::target_list{list}).map != p) ++faults_;
}

void world::try_others(index_t here) {
  const index_t elements = here * procs();
  const unsigned n = bmmc::proc_bits_of(elements);
  auto chunk = indices(here);
  std::vector<index_t> target(here);
  const auto three = bmmc::stride_permutation(elements, 3);
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, target, three);
  expect(target, inverse(three), "stride");
  const bmmc::extents array{elements / 2, 2};
  for (auto const& p : {bmmc::axis_permutation(array, {1, 0}), bmmc::axis_shift(array, 0, 1)}) {
    chunk = indices(here);
    bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, p);
    expect(chunk, inverse(p), "axes");
  }
  chunk = indices(here);
  const auto flipped = bmmc::flip(n, n - 1);
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::controlled(flipped, 1));
  expect(chunk, [&](index_t y) { return (y & 1) != 0 ? flipped(y) : y; }, "controlled");
  chunk = indices(here);
  const bmmc::array_layout rows{std::array{bmmc::axis::blocks(n, procs())}},
      cyclic{std::array{bmmc::axis::cyclic(n, procs())}};
  bmmc::redistribute<index_t>(MPI_COMM_WORLD, chunk, rows, cyclic);
  const auto of_cyclic = [&](index_t y) { return y % here * procs() + y / here; };
  expect(chunk, of_cyclic, "redistribute");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  world all;
  const unsigned p = bmmc::proc_bits_of(all.procs());
  std::mt19937_64 random(256);
  for (const unsigned m : {2U, 5U})
    for (auto const& map : {bmmc::random_permutation(m + p, random), bmmc::shuffle(m + p)})
      all.try_all(map, bmmc::bit(m));
  all.try_others(8);
  int good = all.is_good() ? 1 : 0, all_good = 0;
  MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (all.is_first()) std::puts(all_good != 0 ? "every element has its place" : "WRONG");
  bmmc::forget_calls(MPI_COMM_WORLD);  // SMPI counts handles
  MPI_Finalize();
}
