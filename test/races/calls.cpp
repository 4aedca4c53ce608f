// SPDX-License-Identifier: BSL-1.0

// What several threads of a process may do at a time with MPI_THREAD_MULTIPLE: call on
// communicators of their own, hand over what was started, and get an error where they share one.
// Compiled with ThreadSanitizer, which ends the program with status 66 where two of them meet at an
// address.

#include <chrono>
#include <numeric>
#include <string>

#include "mpi/entry_points.hpp"
#include "races/at_once.hpp"

/// Libraries that MPI loads stay: ThreadSanitizer ends the program when one of tsan.supp goes.
extern "C" int dlclose(void*) noexcept { return 0; }

namespace {

using bmmc::index_t;
using races::at_once;
using races::check;

constexpr unsigned workers = 3;

/// A communicator for each thread, made by one of them.
class own_worlds {
 public:
  own_worlds() {
    for (MPI_Comm& each : all_) MPI_Comm_dup(MPI_COMM_WORLD, &each);
  }
  own_worlds(own_worlds const&) = delete;
  own_worlds& operator=(own_worlds const&) = delete;
  ~own_worlds() {
    for (MPI_Comm& each : all_) MPI_Comm_free(&each);
  }
  MPI_Comm operator[](unsigned k) const { return all_[k]; }

 private:
  std::array<MPI_Comm, workers> all_{};
};

std::vector<index_t> indices(unsigned n) {
  std::vector<index_t> made(bmmc::bit(n - cases::proc_bits()));
  std::iota(made.begin(), made.end(), made.size() * static_cast<index_t>(cases::proc()));
  return made;
}
/// The index at each place is that of the element that p has taken there.
bool is_moved(std::vector<index_t> const& chunk, bmmc::permutation<> const& p) {
  const auto source_of = inverse(p);
  const index_t first = chunk.size() * static_cast<index_t>(cases::proc());
  for (index_t i = 0; i < chunk.size(); ++i)
    if (chunk[i] != source_of(first + i)) return false;
  return true;
}

/// Single calls that repeat, permuters in all forms, sets: each with its data.
void permute_in_turn(MPI_Comm c, unsigned seed) {
  const unsigned n = cases::proc_bits() + 10;
  for (unsigned turn = 0; turn < 4; ++turn) {
    const auto p = cases::sample(n, seed + turn % 2);
    auto chunk = indices(n);
    std::vector<index_t> target(chunk.size());
    const auto expect = [&](std::vector<index_t>& found, char const* what) {
      check(is_moved(found, p), what);
      chunk = indices(n);
    };
    bmmc::permute<index_t>(c, chunk, p);
    expect(chunk, "permute");
    auto permute = bmmc::make_permuter<index_t>(c, p);
    permute(chunk);
    expect(chunk, "a permuter in place");
    permute(chunk, target);
    expect(target, "a permuter");
    permute.start(chunk);
    permute.wait();
    expect(chunk, "what was started");
    auto windows = bmmc::make_permuter<index_t>(c, p, {}, bmmc::comm::shared_window());
    windows(chunk);
    expect(chunk, "windows");
    auto other = indices(n);
    auto set = bmmc::make_permuter_set<index_t, index_t>(c, p);
    set({chunk, other});
    check(is_moved(other, p), "the second array of a set");
    expect(chunk, "a set");
    bmmc::gather<index_t>(c, chunk, target, bmmc::as_map(inverse(p)));
    expect(target, "gather");
    bmmc::reduce<index_t>(c, chunk, target, bmmc::as_map(p));
    expect(target, "reduce");
  }
}

/// Every entry point in every thread, beginning at another one in each.
void try_own_worlds() {
  const own_worlds worlds;
  at_once(workers, [&](unsigned k) { permute_in_turn(worlds[k], 10 * k); });
  at_once(workers, [&](unsigned k) {
    cases::entry_points mine(3);
    auto all = mine.all();
    std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(7 * k), all.end());
    for (auto const& each : all) each.call(worlds[k]);
  });
}

/// One thread makes and starts, another one waits: what MPI allows, in the order of the program.
void try_handing_over() {
  const own_worlds worlds;
  at_once(workers, [&](unsigned k) {
    const unsigned n = cases::proc_bits() + 8;
    const auto p = cases::sample(n, k);
    auto chunk = indices(n);
    auto permute = bmmc::make_permuter<index_t>(worlds[k], p);
    permute.start(chunk);
    std::jthread([&] { permute.wait(); }).join();
    check(is_moved(chunk, p), "started here, waited for there");
  });
}

/// Threads that share a communicator of one process: each call is right, or refused with a reason.
void try_one_world() {
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  const auto p = bmmc::shuffle(12);
  std::atomic<int> done = 0;
  {
    auto permute = bmmc::make_permuter<index_t>(alone, p);
    at_once(workers, [&](unsigned) {
      for (int turn = 0; turn < 200; ++turn) {
        std::vector<index_t> chunk(bmmc::bit(12)), target(chunk.size());
        std::iota(chunk.begin(), chunk.end(), 0U);
        try {
          turn % 2 == 0 ? permute(chunk, target) : bmmc::permute<index_t>(alone, chunk, target, p);
          ++done;
          bool is_right = true;
          for (index_t x = 0; x < chunk.size(); ++x) is_right = is_right && target[p(x)] == x;
          check(is_right, "a call that was not refused");
        } catch (bmmc::bad_value const& refused) {
          check(std::string(refused.what()).starts_with("another thread calls"), refused.what());
        }
      }
    });
  }
  check(done > 0, "one thread at least gets through");
  MPI_Comm_free(&alone);
}

/// Threads that share what is started and waited for: each is right, or refused with a reason.
template <class Started>
void try_started(Started& shared, bmmc::permutation<> const& p, char const* what) {
  std::atomic<int> done = 0;
  const auto until_it_may = [&](auto call) {  // a wait that is refused is made again
    for (;;) try {
        return call();
      } catch (bmmc::bad_value const& refused) {
        check(std::string(refused.what()).starts_with("another thread calls"), refused.what());
        std::this_thread::yield();
      }
  };
  at_once(workers, [&](unsigned k) {
    for (int turn = 0; turn < 100; ++turn) {
      std::vector<index_t> chunk(bmmc::bit(p.bits()));
      std::iota(chunk.begin(), chunk.end(), 0U);
      try {
        shared.start(chunk);
      } catch (bmmc::bad_value const& refused) {
        const std::string text = refused.what();
        check(text.starts_with("another thread calls") || text.find("under way") != text.npos,
              text.c_str());
        std::this_thread::yield();
        continue;
      }
      if (k % 2 == 0)
        until_it_may([&] { shared.wait(); });
      else
        while (!until_it_may([&] { return shared.test(); })) std::this_thread::yield();
      ++done;
      bool is_right = true;
      for (index_t x = 0; x < chunk.size(); ++x) is_right = is_right && chunk[p(x)] == x;
      check(is_right, what);
    }
  });
  check(done > 0, "one thread at least gets through");
}

/// A set of one array, started as a permuter is.
template <class Set>
struct set_of_one {
  Set set;
  void start(std::vector<index_t>& chunk) { set.start({chunk}); }
  void wait() { set.wait(); }
  [[nodiscard]] bool test() { return set.test(); }
};

void try_what_is_started() {
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  const unsigned n = 12;
  const auto turned = bmmc::transpose(n / 2, n / 2);
  const auto side = bmmc::grid_axis::local(bmmc::bit(n / 2));
  const bmmc::grid_layout matrix{side, side};
  {
    auto permute = bmmc::make_permuter<index_t>(alone, turned);
    try_started(permute, turned, "a permuter");
    auto move = bmmc::make_transposer<index_t>(alone, matrix, matrix, {1, 0});
    try_started(move, turned, "a redistributor");
    set_of_one<bmmc::permuter_set> arrays{bmmc::make_permuter_set<index_t>(alone, turned)};
    try_started(arrays, turned, "a set");
    set_of_one<bmmc::redistributor_set> grids{
        bmmc::make_redistributor_set<index_t>(alone, matrix, matrix, {1, 0})};
    try_started(grids, turned, "a set of grids");
  }
  MPI_Comm_free(&alone);
}

/// Windows that were made for one communicator and are used on another one: each thread has its
/// own.
void try_windows_of_another_world() {
  const own_worlds worlds;
  const unsigned n = cases::proc_bits() + 8;
  const auto p = cases::sample(n);
  auto made = [&](unsigned k) {
    return bmmc::make_permuter<index_t>(worlds[k], p, {}, bmmc::comm::shared_window());
  };
  std::array permuters{made(0), made(1), made(2)};
  std::vector<bmmc::shared_vector<index_t>> arrays;  // all of the first communicator
  for (unsigned k = 0; k < workers; ++k) arrays.emplace_back(worlds[0], bmmc::bit(8));
  at_once(workers, [&](unsigned k) {
    const auto first = indices(n);
    for (int turn = 0; turn < 200; ++turn) {
      std::copy(first.begin(), first.end(), arrays[k].begin());
      permuters[k](arrays[k]);  // the window of the permuter and that of the array change places
      check(is_moved({arrays[k].begin(), arrays[k].end()}, p), "an array of another communicator");
      auto chunk = first;
      permuters[k](chunk);
      check(is_moved(chunk, p), "a chunk, through such a window");
    }
  });
}

/// On two processes one thread waits in a call for the other process, and a second thread is
/// refused meanwhile: in the first call of all, which makes a duplicate, and in a later one.
void try_second_thread() {
  if (cases::proc_bits() == 0) return;
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  const unsigned n = cases::proc_bits() + 4;
  const auto p = cases::sample(n);
  for (char const* call : {"the first call", "a later call"}) {
    auto chunk = indices(n);
    std::jthread first;
    if (cases::proc() == 0) {
      first = std::jthread([&] { bmmc::permute<index_t>(fresh, chunk, p); });
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      auto untouched = indices(n);
      try {
        bmmc::permute<index_t>(fresh, untouched, p);
        check(false, call);
      } catch (bmmc::bad_value const& refused) {
        check(std::string(refused.what()).starts_with("another thread calls"), refused.what());
      }
      check(untouched == indices(n), call);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (cases::proc() != 0) bmmc::permute<index_t>(fresh, chunk, p);
    if (first.joinable()) first.join();
    check(is_moved(chunk, p), call);
  }
  MPI_Comm_free(&fresh);
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) return 1;
  if (level == MPI_THREAD_MULTIPLE) {
    try {
      try_own_worlds();
      try_handing_over();
      try_one_world();
      try_what_is_started();
      try_windows_of_another_world();
      try_second_thread();
    } catch (std::exception const& error) {
      std::fprintf(stderr, "process %d: %s\n", cases::proc(), error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  } else {
    check(false, "this MPI has no MPI_THREAD_MULTIPLE");
  }
  MPI_Finalize();
  return races::status();
}
