// SPDX-License-Identifier: BSL-1.0

// No shared memory on one process: what needs it throws on all of them, and `automatic` takes
// another way. And what windows leave behind: nothing.

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
using agreed::agreed_text;
using agreed::holds;
using agreed::procs;

/// One process can open no more files while this lives: it can neither make nor map shared memory.
class without_files {
 public:
  explicit without_files(bool here) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    if (!here) return;
    rlimit few = before_;
    few.rlim_cur = std::min<rlim_t>(before_.rlim_cur, 1024);
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int file = 0; (file = ::dup(0)) >= 0;) open_.push_back(file);
  }
  without_files(without_files const&) = delete;
  without_files& operator=(without_files const&) = delete;
  ~without_files() {
    for (const int file : open_) ::close(file);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

 private:
  rlimit before_{};
  std::vector<int> open_;
};

/// Mappings of windows that this process has.
int mapped_windows() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    if (line.find("memfd:bmmc") != std::string::npos) ++count;
  return count;
}

std::vector<int> indices(std::size_t count) {
  std::vector<int> made(count);
  std::iota(made.begin(), made.end(), cases::proc() * static_cast<int>(count));
  return made;
}

}  // namespace

TEST_CASE("no shared memory on one process", "[windows]") {
  if (procs() == 1) return;
  const unsigned n = cases::proc_bits() + 12;
  const auto reversal = bmmc::vector_reversal(n);
  const auto before = indices(4096);
  std::vector<int> reversed(before.rbegin(), before.rend());
  for (int& x : reversed) x += (procs() - 1 - 2 * cases::proc()) * 4096;
  // messages so dear that automatic wants windows
  comm::cost_model dear;
  dear.message = dear.message_together = 1;
  comm::automatic policy;
  policy.costs = dear;
  for (int who = 0; who < procs(); ++who) {
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    MPI_Barrier(MPI_COMM_WORLD);
    {
      const without_files here(cases::proc() == who);
      const std::string said = who == 0 ? "no shared memory could be made" : "cannot be opened";
      auto chunk = before;
      CHECK(holds(agreed_text([&] { bmmc::shared_vector<int>(fresh, 4096); }),
                  "process " + std::to_string(who) + ": "));
      const auto text = agreed_text(
          [&] { bmmc::permute<int>(fresh, chunk, reversal, {}, comm::shared_window()); });
      CHECK(holds(text, said));
      CHECK(chunk == before);
      CHECK(agreed_text([&] { bmmc::permute<int>(fresh, chunk, reversal, {}, policy); }) == "");
      CHECK(chunk == reversed);
      auto permute = bmmc::make_permuter<int>(fresh, reversal, {}, policy);
      permute(chunk);
      CHECK(chunk == before);
      CHECK(holds(permute.choice(), "no windows: process " + std::to_string(who)));
      std::vector<int> target(4096);
      const auto map = bmmc::as_map(reversal);
      CHECK(agreed_text([&] { bmmc::gather<int>(fresh, chunk, target, map, {}, policy); }) == "");
      CHECK(target == reversed);
      CHECK(agreed_text([&] { bmmc::reduce<int>(fresh, chunk, target, map); }) == "");
      CHECK(target == reversed);
    }
    MPI_Comm_free(&fresh);
  }
  bmmc::shared_vector<int> works_again(MPI_COMM_WORLD, 4096);
  CHECK(works_again.size() == 4096);
}

TEST_CASE("more shared memory than the machine has", "[windows]") {
  CHECK(holds(agreed_text([] { bmmc::shared_vector<char>(MPI_COMM_WORLD, std::size_t{1} << 46); }),
              "more than this machine has"));
  CHECK(holds(agreed_text([] { bmmc::shared_vector<char>(MPI_COMM_WORLD, ~std::size_t{0} / 2); }),
              "no shared memory"));
}

TEST_CASE("windows that an exception leaves are given back", "[windows]") {
  const unsigned n = cases::proc_bits() + 12;
  const int before = mapped_windows();
  for (int turn = 0; turn < 200; ++turn) try {
      auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::vector_reversal(n), {},
                                              comm::shared_window());
      CHECK(mapped_windows() == before + 1);
      throw std::runtime_error("ended");
    } catch (std::runtime_error const&) {
    }
  CHECK(mapped_windows() == before);
}
