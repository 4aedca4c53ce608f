// SPDX-License-Identifier: BSL-1.0

// The k-th allocation fails on one process: for every k, every process and every entry point all
// processes throw, or none does, and nobody waits for ever.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

namespace {

std::atomic<long> left{-1};  // allocations that will do; negative: all
std::atomic<long> seen{0};

void* allocated(std::size_t bytes, std::size_t alignment) {
  ++seen;
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  void* const memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(bytes == 0 ? 1 : bytes)
          : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocated(bytes, 1); }
void* operator new[](std::size_t bytes) { return allocated(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return allocated(bytes, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t bytes, std::align_val_t a) {
  return allocated(bytes, static_cast<std::size_t>(a));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

namespace comm = bmmc::comm;
using agreed::procs;
using bmmc::index_t;

/// Eight elements on each process, and a call for them.
struct entry_point {
  char const* name;
  std::function<void(MPI_Comm)> call;
  bool is_one_call = true;
};

struct data {
  unsigned n = cases::proc_bits() + 3;
  index_t elements = bmmc::bit(n), first = 8 * static_cast<index_t>(cases::proc());
  bmmc::permutation<> p = bmmc::bit_reversal(n);
  std::vector<int> chunk = std::vector<int>(8), target = std::vector<int>(8);
  std::vector<std::string> texts = std::vector<std::string>(8, std::string(40, 'x')), read = texts;
  std::vector<index_t> list = std::vector<index_t>(8);
  std::vector<bmmc::field_span> both{chunk, target};
  index_t all_procs = static_cast<index_t>(procs());
  bmmc::array_layout rows{std::array{bmmc::axis::blocks(n, all_procs)}};
  bmmc::array_layout cyclic{std::array{bmmc::axis::cyclic(n, all_procs)}};
  bmmc::digit_permutation transposed =
      bmmc::axis_permutation(bmmc::extents{elements / 2, 2}, {1, 0});
  bmmc::digit_permutation shifted = bmmc::axis_shift(bmmc::extents{elements / 2, 2}, 0, 1);

  data() {
    for (index_t i = 0; i < 8; ++i) list[i] = elements - 1 - (first + i);
  }

  template <class Comm>
  entry_point affine(char const* name, Comm policy = {}) {
    return {name, [this, policy](MPI_Comm c) { bmmc::permute<int>(c, chunk, p, {}, policy); }};
  }
  template <class Comm>
  entry_point kept(char const* name, Comm policy = {}) {
    return {name,
            [this, policy](MPI_Comm c) {
              auto permute = bmmc::make_permuter<int>(c, p, {}, policy);
              permute(std::span(chunk));
              permute(chunk, target);
            },
            false};
  }
  template <class Comm>
  entry_point of_texts(char const* name, Comm policy = {}) {
    return {name,
            [this, policy](MPI_Comm c) { bmmc::permute<std::string>(c, texts, p, {}, policy); }};
  }

  std::vector<entry_point> all() {
    const auto map = bmmc::as_map(p);
    auto points = affine_ones();
    const auto add = [&](char const* name, std::function<void(MPI_Comm)> call,
                         bool is_one_call = true) {
      points.push_back({name, std::move(call), is_one_call});
    };
    add(
        "start",
        [this](MPI_Comm c) {
          auto permute = bmmc::make_permuter<int>(c, p);
          permute.start(chunk);
          permute.wait();
          permute.start(chunk, target);
          permute.wait();
        },
        false);
    add("set", [this](MPI_Comm c) {
      auto permute = bmmc::make_permuter_set<int, int>(c, p);
      permute.start(both);
      permute.wait();
    });
    add("shared_vector", [this](MPI_Comm c) {
      bmmc::shared_vector<int> seen_too(c, 8);
      auto permute = bmmc::make_permuter<int>(c, p, {}, comm::shared_window());
      permute(seen_too);
    });
    add("relabelled", [this](MPI_Comm c) { (void)bmmc::permute_relabelled<int>(c, chunk, p); });
    add("redistribute", [this](MPI_Comm c) { bmmc::redistribute<int>(c, chunk, rows, cyclic); });
    add("list", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, bmmc::target_list{list}); });
    add("list of texts",
        [this](MPI_Comm c) { bmmc::permute<std::string>(c, texts, bmmc::target_list{list}); });
    add("bitonic", [this](MPI_Comm c) {
      bmmc::permute<int, comm::bitonic>(c, chunk, bmmc::target_list{list});
    });
    add("bitonic of texts", [this](MPI_Comm c) {
      bmmc::permute<std::string, comm::bitonic>(c, texts, bmmc::target_list{list});
    });
    add("stride", [this](MPI_Comm c) {
      bmmc::permute<int>(c, chunk, target, bmmc::stride_permutation(elements, 3));
    });
    add("axes by a plan", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, transposed); });
    add("axes", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, shifted); });
    add("bijection", [this](MPI_Comm c) { bmmc::permute<int>(c, chunk, bmmc::as_bijection(p)); });
    add("detect", [this](MPI_Comm c) { (void)bmmc::detect(c, bmmc::target_list{list}); });
    add("detect_quickly", [this](MPI_Comm c) {
      (void)bmmc::detect_quickly(c, bmmc::target_list{list}, 0.1, 0.1, 1);
    });
    add("gather", [=, this](MPI_Comm c) { bmmc::gather<int>(c, chunk, target, map); });
    add("gather by shared_window",
        [=, this](MPI_Comm c) { bmmc::gather<int, comm::shared_window>(c, chunk, target, map); });
    add("gather by alltoallv",
        [=, this](MPI_Comm c) { bmmc::gather<int, comm::alltoallv>(c, chunk, target, map); });
    add("gather of texts",
        [=, this](MPI_Comm c) { bmmc::gather<std::string>(c, texts, read, map); });
    add("reduce", [=, this](MPI_Comm c) { bmmc::reduce<int>(c, chunk, target, map); });
    add("reduce by sendrecv", [=, this](MPI_Comm c) {
      bmmc::reduce<int, std::plus<>, comm::sendrecv>(c, chunk, target, map);
    });
    add("reduce of texts",
        [=, this](MPI_Comm c) { bmmc::reduce<std::string>(c, texts, read, map); });
    return points;
  }

  std::vector<entry_point> affine_ones() {
    return {affine<comm::automatic>("automatic"),
            affine<comm::sendrecv>("sendrecv"),
            affine<comm::sendrecv_replace>("sendrecv_replace"),
            affine<comm::alltoallv>("alltoallv"),
            affine<small_pieces>("pipelined"),
            affine<comm::shared_window>("shared_window"),
            affine<nodes_of_two>("two nodes"),
            affine<comm::dimension_exchange>("dimension_exchange"),
            affine<comm::within_budget>("within_budget"),
            kept<comm::automatic>("permuter, automatic"),
            kept<comm::alltoallv>("permuter, alltoallv"),
            kept<comm::within_budget>("permuter, within_budget"),
            of_texts<comm::automatic>("texts"),
            of_texts<comm::sendrecv_replace>("texts by sendrecv_replace"),
            of_texts<comm::alltoallv>("texts by alltoallv"),
            of_texts<comm::pipelined>("texts by pipelined")};
  }
};

/// What a call did on this process.
enum outcome { returned, threw };

outcome outcome_of(entry_point const& entry, MPI_Comm c, long k, long& used) {
  outcome got = returned;
  seen = 0;
  left = k;
  try {
    entry.call(c);
  } catch (std::exception const&) {
    got = threw;
  }
  left = -1;
  used = seen;
  return got;
}

/// Calls in which the k-th allocation fails on one process: all processes do the same, and where
/// they throw the data is as before. (Strings may have been read when there is no memory for one.)
void try_all(entry_point const& entry, std::vector<int>& chunk, bool is_new) {
  for (int who = 0; who < procs(); ++who) {
    long most = 1;
    for (long k = 0; k < most; ++k) {
      MPI_Comm c = MPI_COMM_WORLD;
      if (is_new) MPI_Comm_dup(MPI_COMM_WORLD, &c);
      std::iota(chunk.begin(), chunk.end(), 8 * cases::proc());
      const auto before = chunk;
      long used = 0;
      const outcome mine = outcome_of(entry, c, cases::proc() == who ? k : -1, used);
      std::vector<int> all(static_cast<std::size_t>(procs()));
      const int number = mine;
      MPI_Allgather(&number, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
      MPI_Bcast(&used, 1, MPI_LONG, who, MPI_COMM_WORLD);
      INFO(entry.name << (is_new ? ", first call, " : ", ") << "allocation " << k << " of " << used
                      << " fails on " << who);
      CHECK(all == std::vector<int>(all.size(), mine));
      if (mine == threw && entry.is_one_call) CHECK(chunk == before);
      most = std::max(most, used + 1);  // until all of them succeed
      if (is_new) MPI_Comm_free(&c);
    }
  }
}

}  // namespace

TEST_CASE("an allocation that fails on one process hangs nobody", "[memory]") {
  data here;
  for (entry_point const& entry : here.all()) {
    if (cases::proc() == 0 && std::getenv("BMMC_TELL") != nullptr)
      std::fprintf(stderr, "%s\n", entry.name);
    try_all(entry, here.chunk, false);
    here.texts.assign(8, std::string(40, 'y'));
    long used = 0;
    CHECK(outcome_of(entry, MPI_COMM_WORLD, -1, used) == returned);
  }
}

TEST_CASE("so it is in the first call for a communicator", "[memory]") {
  data here;
  for (entry_point const& entry : here.all())
    for (char const* const name : {"automatic", "shared_window", "list", "gather"})
      if (entry.name == std::string(name)) try_all(entry, here.chunk, true);
}
