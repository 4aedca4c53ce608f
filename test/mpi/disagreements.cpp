// SPDX-License-Identifier: BSL-1.0

// One process calls another function, with another policy or for other elements than the rest: all
// of them throw the same, and none waits for ever. Every pair of calls, on communicators that the
// library has seen and on new ones.

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
using bmmc::index_t;

/// Four ints on each process, and what may be called for them.
struct world_of_calls {
  MPI_Comm world;
  unsigned n = cases::proc_bits() + 2;
  std::vector<int> chunk = std::vector<int>(4, cases::proc()), target = std::vector<int>(4, -1);
  std::vector<float> floats = std::vector<float>(4);
  std::vector<index_t> list = std::vector<index_t>(4);

  explicit world_of_calls(MPI_Comm c) : world(c) {
    for (index_t i = 0; i < 4; ++i)
      list[i] = 4 * static_cast<index_t>(agreed::procs()) - 1 -
                (4 * static_cast<index_t>(cases::proc()) + i);
  }

  template <class Comm>
  void affine(Comm const& policy) {
    bmmc::permute<int>(world, chunk, bmmc::bit_reversal(n), {}, policy);
  }

  [[nodiscard]] std::vector<std::function<void()>> calls() {
    const index_t elements = bmmc::bit(n);
    const auto map = bmmc::as_map(bmmc::bit_reversal(n));
    const index_t procs = bmmc::bit(cases::proc_bits());
    const bmmc::grid_layout blocks{bmmc::grid_axis::blocks(elements, procs)};
    const bmmc::grid_layout cyclic{bmmc::grid_axis::cyclic(elements, procs)};
    return {
        [=, this] { affine(comm::automatic()); },
        [=, this] { affine(comm::sendrecv()); },
        [=, this] { affine(comm::alltoallv()); },
        [=, this] { affine(comm::sendrecv_replace()); },
        [=, this] { affine(comm::pipelined()); },
        [=, this] { affine(comm::shared_window()); },
        [=, this] { affine(comm::dimension_exchange()); },
        [=, this] { bmmc::permute<int>(world, chunk, target, bmmc::bit_reversal(n)); },
        [=, this] { bmmc::permute<float>(world, floats, bmmc::bit_reversal(n)); },
        [=, this] { bmmc::permute<int>(world, chunk, bmmc::target_list{list}); },
        [=, this] { bmmc::permute<int, comm::bitonic>(world, chunk, bmmc::target_list{list}); },
        [=, this] { bmmc::permute<int>(world, chunk, bmmc::stride_permutation(elements, 3)); },
        [=, this] {
          bmmc::permute<int>(world, chunk,
                             bmmc::axis_permutation(bmmc::extents{elements / 2, 2}, {1, 0}));
        },
        [=, this] { bmmc::gather<int>(world, chunk, target, map); },
        [=, this] { bmmc::gather<int, comm::alltoallv>(world, chunk, target, map); },
        [=, this] { bmmc::reduce<int>(world, chunk, target, map); },
        [=, this] { bmmc::reduce<int>(world, chunk, target, map, std::multiplies<>()); },
        [=, this] { (void)bmmc::make_permuter<int>(world, bmmc::bit_reversal(n)); },
        [=, this] { (void)bmmc::make_gatherer<int>(world, map); },
        [=, this] { (void)bmmc::make_permuter_set<int, int>(world, bmmc::bit_reversal(n)); },
        [=, this] { (void)bmmc::make_permuter_set<int, float>(world, bmmc::bit_reversal(n)); },
        [=, this] { (void)bmmc::make_redistributor<int>(world, blocks, cyclic); },
        [=, this] { (void)bmmc::make_redistributor<int>(world, cyclic, blocks); },
        [=, this] { (void)bmmc::make_redistributor<int>(world, blocks, cyclic, comm::pairwise()); },
        [=, this] { (void)bmmc::make_redistributor_set<int, int>(world, blocks, cyclic, {0}); },
        [=, this] { (void)bmmc::make_redistributor_set<int, int>(world, cyclic, blocks, {0}); },
        [=, this] { (void)bmmc::make_redistributor_set<int, float>(world, blocks, cyclic, {0}); },
        [=, this] { (void)bmmc::permute_relabelled<int>(world, chunk, bmmc::bit_reversal(n)); },
        [=, this] { (void)bmmc::detect(world, bmmc::target_list{list}); },
        [=, this] { (void)bmmc::detect_quickly(world, bmmc::target_list{list}, 0.1, 0.1, 1); },
        [=, this] { (void)bmmc::shared_vector<int>(world, 4); },
        [=, this] { (void)bmmc::shared_vector<int>(world, 5); },
    };
  }
};

}  // namespace

TEST_CASE("processes that call different things all throw", "[mpi]") {
  const int procs = agreed::procs();
  if (procs == 1 || (procs & (procs - 1)) != 0) return;
  const bool is_new = GENERATE(false, true);
  const std::size_t count = world_of_calls(MPI_COMM_WORLD).calls().size();
  for (std::size_t usual = 0; usual < count; ++usual)
    for (std::size_t other = 0; other < count; ++other) {
      if (usual == other) continue;
      MPI_Comm world = MPI_COMM_WORLD;
      if (is_new) MPI_Comm_dup(MPI_COMM_WORLD, &world);
      world_of_calls here(world);
      const auto before = here.chunk;
      const auto text =
          agreed::agreed_text([&] { here.calls()[cases::proc() == 1 ? other : usual](); });
      INFO(usual << " and on one process " << other << ": " << text);
      CHECK(agreed::holds(text, "processes disagree on the "));
      CHECK(agreed::holds(text, ": process 1 has "));
      CHECK(here.chunk == before);
      CHECK(here.target == std::vector<int>(4, -1));
      if (is_new) MPI_Comm_free(&world);
    }
}

TEST_CASE("what differs is named as people write it", "[mpi]") {
  const int procs = agreed::procs();
  if (procs == 1 || (procs & (procs - 1)) != 0) return;
  world_of_calls here(MPI_COMM_WORLD);
  const bool is_odd = cases::proc() == procs - 1;
  const std::string last = "process " + std::to_string(procs - 1);
  CHECK(agreed::agreed_text([&] {
          if (is_odd)
            here.affine(comm::alltoallv());
          else
            here.affine(comm::sendrecv());
        }) == "processes disagree on the type of the policy: " + last +
                  " has bmmc::comm::alltoallv, process 0 has bmmc::comm::sendrecv");
  CHECK(agreed::agreed_text([&] {
          if (is_odd)
            bmmc::permute<float>(MPI_COMM_WORLD, here.floats, bmmc::bit_reversal(here.n));
          else
            bmmc::permute<int>(MPI_COMM_WORLD, here.chunk, bmmc::bit_reversal(here.n));
        }) == "processes disagree on the type of the elements: " + last +
                  " has float, process 0 has int");
  CHECK(agreed::agreed_text([&] {
          if (is_odd)
            bmmc::permute<int>(MPI_COMM_WORLD, here.chunk, bmmc::target_list{here.list});
          else
            bmmc::permute<int>(MPI_COMM_WORLD, here.chunk, bmmc::bit_reversal(here.n));
        }) == "processes disagree on the function called: " + last +
                  " has permute by a list of targets, process 0 has permute");
}
