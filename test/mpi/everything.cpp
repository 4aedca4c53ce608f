// SPDX-License-Identifier: BSL-1.0

// Every policy and every entry point once, to be run on other MPI libraries and with other settings
// of one: mpirun -np N ./everything [COUNT]. Says what is wrong and ends with status 1, or with 0.
// With a COUNT, and counted.cpp preloaded, no call of MPI counts further: as if an int ended there.

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "mpi/cases.hpp"
#include "mpi/policies.hpp"

/// Of counted.cpp, where it is preloaded: no call of MPI may count further from now on.
extern "C" [[gnu::weak]] void count_to(int most);

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;
using cases::after;
using cases::before;

int failures = 0;

void check(bool holds, std::string const& what) {
  if (holds) return;
  ++failures;
  int has_ended = 0;
  MPI_Finalized(&has_ended);
  std::fprintf(stderr, "process %d: wrong: %s\n", has_ended != 0 ? -1 : cases::proc(),
               what.c_str());
}

template <class T, class Comm>
void try_policy(std::string const& name, Comm const& policy = {}) {
  for (const unsigned more : {0U, 3U, 13U}) {
    const unsigned n = cases::proc_bits() + more;
    if (std::is_same_v<T, std::string> && more > 3) continue;
    const int source = static_cast<int>(more) % cases::layout_kinds;
    const auto text =
        cases::fault<T>(cases::sample(n, more), source, (source + 2) % cases::layout_kinds, policy);
    check(text.empty(), name + ", " + std::to_string(n) + " bits: " + text);
  }
}

void try_policies() {
  try_policy<int, comm::automatic>("automatic");
  try_policy<int, comm::shared_window>("shared_window");
  try_policy<int, nodes_of_two>("nodes of two");
  try_policy<int, comm::pipelined>("pipelined");
  try_policy<int, small_pieces>("small pieces");
  try_policy<int, comm::within_budget>("within_budget");
  try_policy<int, comm::sendrecv>("sendrecv");
  try_policy<int, comm::sendrecv_replace>("sendrecv_replace");
  try_policy<int, comm::alltoallv>("alltoallv");
  try_policy<int, comm::dimension_exchange>("dimension_exchange");
  try_policy<int, comm::radix_exchange>("radix_exchange");
  try_policy<std::string, comm::sendrecv>("strings");
}

/// A permutation that is not its own inverse, by all that can carry it out.
void try_entry_points() {
  const unsigned p = cases::proc_bits(), n = p + 11;
  const auto affine = cases::sample(n);
  const auto chunk = before<index_t>(n), permuted = after<index_t>(affine);
  const index_t first = static_cast<index_t>(cases::proc()) * chunk.size();
  std::vector<index_t> target(chunk.size());
  const auto expect = [&](std::vector<index_t>& found, std::string const& what) {
    check(found == permuted, what);
    found = chunk;
  };
  auto in_place = chunk;
  auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, affine);
  for (int call = 0; call < 20; ++call) {  // automatic tries its ways
    permute(in_place);
    expect(in_place, "kept permuter");
  }
  permute.start(in_place);
  while (!permute.test()) {
  }
  expect(in_place, "start");
  std::vector<index_t> second = chunk;
  auto set = bmmc::make_permuter_set<index_t, index_t>(MPI_COMM_WORLD, affine);
  set({in_place, second});
  expect(in_place, "set");
  expect(second, "second array of a set");

  const auto map = bmmc::as_map(affine), back = bmmc::as_map(inverse(affine));
  bmmc::gather<index_t>(MPI_COMM_WORLD, chunk, target, back);
  expect(target, "gather");
  bmmc::gather<index_t, comm::shared_window>(MPI_COMM_WORLD, chunk, target, back);
  expect(target, "gather by windows");
  bmmc::gather<index_t, comm::alltoallv>(MPI_COMM_WORLD, chunk, target, back);
  expect(target, "gather by alltoallv");
  bmmc::reduce<index_t>(MPI_COMM_WORLD, chunk, target, map);
  expect(target, "reduce");
  bmmc::reduce<index_t, std::plus<>, comm::sendrecv>(MPI_COMM_WORLD, chunk, target, map);
  expect(target, "reduce by sendrecv");

  std::vector<index_t> list(chunk.size());
  for (index_t i = 0; i < list.size(); ++i) list[i] = affine(first + i);
  bmmc::permute<index_t>(MPI_COMM_WORLD, in_place, bmmc::target_list{list});
  expect(in_place, "list");
  bmmc::permute<index_t, comm::bitonic>(MPI_COMM_WORLD, in_place, bmmc::target_list{list});
  expect(in_place, "bitonic");
  check(bmmc::detect(MPI_COMM_WORLD, bmmc::target_list{list}).map == affine, "detect");

  bmmc::shared_vector<index_t> shared(MPI_COMM_WORLD, chunk.size());
  std::copy(chunk.begin(), chunk.end(), shared.begin());
  auto in_window = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, affine, {}, comm::shared_window());
  in_window(shared);
  check(std::equal(permuted.begin(), permuted.end(), shared.begin()), "shared_vector");

  const auto gate = bmmc::controlled(bmmc::swap_bits(n, 1, n - 1), 1);
  bmmc::permute<index_t>(MPI_COMM_WORLD, in_place, gate);
  bmmc::permute<index_t>(MPI_COMM_WORLD, in_place, gate);  // its own inverse
  check(in_place == chunk, "controlled");

  const index_t procs = bmmc::bit(p);
  const bmmc::array_layout rows{std::array{bmmc::axis::blocks(n, procs)}},
      cyclic{std::array{bmmc::axis::cyclic(n, procs)}};
  bmmc::redistribute<index_t>(MPI_COMM_WORLD, in_place, rows, cyclic);
  bool is_cyclic = true;
  for (index_t i = 0; i < in_place.size(); ++i)
    is_cyclic = is_cyclic && in_place[i] == i * procs + static_cast<index_t>(cases::proc());
  check(is_cyclic, "redistribute");
}

/// Blocks to blocks of three of the same array, whose elements are their indices.
class grids {
 public:
  void try_all() {
    by<comm::automatic>("grids");
    by<comm::pairwise>("grids, pairwise");
    by<comm::pipelined>("grids, pipelined");
    if (comm::detail::most_count >= INT_MAX) by<comm::alltoallv>("grids, alltoallv");
    by<comm::shared_window>("grids, shared_window");
    auto set =
        bmmc::make_redistributor_set<index_t, index_t>(MPI_COMM_WORLD, source_, target_, {0});
    auto first = long_enough(), second = first;
    set({first, second});
    expect(first, "grids, set");
    expect(second, "grids, second array of a set");
  }

 private:
  template <class Comm>
  void by(std::string const& name) {
    auto move = bmmc::make_redistributor<index_t, Comm>(MPI_COMM_WORLD, source_, target_);
    auto chunk = long_enough();
    move(chunk);
    expect(chunk, name + " in place");
    std::vector<index_t> target(after_.size());
    move(before_, target);
    expect(target, name);
    chunk = long_enough();
    move.start(chunk);
    move.wait();
    expect(chunk, name + ", start");
  }
  [[nodiscard]] std::vector<index_t> long_enough() const {
    auto chunk = before_;
    chunk.resize(std::max(before_.size(), after_.size()));
    return chunk;
  }
  void expect(std::vector<index_t> found, std::string const& what) const {
    found.resize(after_.size());
    check(found == after_, what);
  }
  [[nodiscard]] static std::vector<index_t> held(bmmc::grid_layout const& layout) {
    std::vector<index_t> all;
    for (index_t x = 0; x < layout.elements(); ++x)  // in ascending order, as they lie
      if (layout.place(x).proc == static_cast<index_t>(cases::proc())) all.push_back(x);
    return all;
  }

  index_t procs_ = bmmc::bit(cases::proc_bits()), elements_ = 700 * procs_ + 1;
  bmmc::grid_layout source_{bmmc::grid_axis::blocks(elements_, procs_)},
      target_{bmmc::grid_axis::block_cyclic(elements_, procs_, 3)};
  std::vector<index_t> before_ = held(source_), after_ = held(target_);
};

/// What is called after MPI has ended says so, on each process by itself.
template <class Call>
void expect_refusal(Call call, std::string const& what) {
  try {
    call();
    check(false, what + " after MPI_Finalize");
  } catch (bmmc::bad_value const&) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  if (argc > 1) {
    // what automatic measures, with messages of 1 MiB, is kept by the process
    check(cases::fault<int, comm::automatic>(cases::sample(cases::proc_bits() + 3), 0, 0).empty(),
          "before counts are limited");
    const int most = std::atoi(argv[1]);
    check(count_to != nullptr, "nothing looks at counts");
    if (count_to != nullptr) count_to(most);
    comm::detail::most_count = static_cast<index_t>(most);
  }
  try {
    try_policies();
    try_entry_points();
    grids().try_all();
  } catch (std::exception const& error) {
    std::fprintf(stderr, "process %d: %s\n", cases::proc(), error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const auto p = cases::sample(cases::proc_bits() + 3);
  auto chunk = before<int>(p.bits());
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, p);
  auto gather = bmmc::make_gatherer<int>(MPI_COMM_WORLD, bmmc::as_map(p));
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  std::vector<int> target(chunk.size());
  expect_refusal([&] { permute(chunk); }, "a permuter");
  expect_refusal([&] { permute.start(chunk); }, "start");
  expect_refusal([&] { gather(chunk, target); }, "a gatherer");
  expect_refusal([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, p); }, "permute");
  return failures == 0 ? 0 : 1;
}
