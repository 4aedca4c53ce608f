// SPDX-License-Identifier: BSL-1.0

// The k-th allocation fails on one process: for every k, every process and every entry point all
// processes throw, or none does, and nobody waits for ever.

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/entry_points.hpp"
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

using agreed::procs;
using cases::entry_point;
using cases::entry_points;

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
  entry_points here(3);
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
  entry_points here(3);
  for (entry_point const& entry : here.all())
    for (char const* const name : {"automatic", "shared_window", "list", "gather"})
      if (entry.name == std::string(name)) try_all(entry, here.chunk, true);
}
