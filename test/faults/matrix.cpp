// SPDX-License-Identifier: BSL-1.0

// What an entry point does when a call of MPI on one process goes wrong: run by test/faults/run.
//   mpirun -np N ./matrix RESULTS LIMIT_MS WHO FAULTS [ENTRY...]
// Tries each fault of FAULTS (letters, see `all_kinds`) in the first, a middle and the last call of
// each MPI routine that process WHO makes in each entry point, or those named; with a 1 among the
// letters in one of these calls; where the process ends, in one call of one routine. Every process
// writes a line for each into RESULTS:  entry|kind|routine|which call|process|what it did
// What has a line there is not tried again: a process that waits longer than the limit ends itself,
// as one would that has called alarm(2), and the job with it; then the program is started again.

#include <fcntl.h>
#include <sys/time.h>

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "../../docs/examples/support/mpi_file.hpp"
#include "faults/interposed.hpp"
#include "mpi/entry_points.hpp"

namespace {

using cases::entry_point;
using cases::entry_points;

int results = -1;
long limit_ms = 500;

void write_line(std::string const& line) {
  if (::write(results, line.data(), line.size()) < 0) std::abort();
}

// What is written where the time is up.
char late_line[400];
std::size_t late_length = 0;
extern "C" void end_of_time(int) {
  if (::write(results, late_line, late_length) < 0) ::_exit(4);
  ::_exit(3);
}
void set_limit(long ms) {
  itimerval t{};
  t.it_value.tv_sec = ms / 1000;
  t.it_value.tv_usec = ms % 1000 * 1000;
  ::setitimer(ITIMER_REAL, &t, nullptr);
}
void say_when_late(std::string const& cell, char const* what) {
  const std::string line = cell + "|" + std::to_string(cases::proc()) + "|" + what + "\n";
  late_length = std::min(line.size(), sizeof late_line);
  std::memcpy(late_line, line.data(), late_length);
}

/// All that a call may write.
struct state {
  std::vector<int> chunk, target;
  std::vector<std::string> texts, read;
  friend bool operator==(state const&, state const&) = default;
};
state of(entry_points const& e) { return {e.chunk, e.target, e.texts, e.read}; }
void reset(entry_points& e) {
  std::iota(e.chunk.begin(), e.chunk.end(), static_cast<int>(e.first));
  std::fill(e.target.begin(), e.target.end(), -1);
  for (std::size_t i = 0; i < e.texts.size(); ++i) {
    e.texts[i] = "element " + std::to_string(e.first + i) + " of all";
    e.read[i] = "nothing has been read here";
  }
}
/// Elements that are objects are all there: none has been moved from and left.
bool are_whole(entry_points const& e) {
  for (auto const* const all : {&e.texts, &e.read})
    for (std::string const& text : *all)
      if (!text.ends_with(" of all") && !text.ends_with(" here")) return false;
  return true;
}

struct fault {
  faults::kind kind = faults::kind::none;
  std::size_t routine = 0;
  int position = 0;
};

struct fault_kind {
  char letter;
  faults::kind kind;
  char const* name;
};
constexpr std::array all_kinds{fault_kind{'n', faults::kind::not_done, "error, not done"},
                               fault_kind{'d', faults::kind::done, "error, done"},
                               fault_kind{'c', faults::kind::cut, "short message"},
                               fault_kind{'w', faults::kind::swollen, "long message"},
                               fault_kind{'l', faults::kind::late, "held back"},
                               fault_kind{'e', faults::kind::exited, "process exits"},
                               fault_kind{'k', faults::kind::killed, "process killed"},
                               fault_kind{'s', faults::kind::stopped, "process stopped"}};

/// Another call on a communicator that has failed is refused on this process alone.
bool is_refused(entry_points& data, MPI_Comm c) {
  const state before = of(data);
  try {
    bmmc::permute<int>(c, data.chunk, bmmc::target_list{data.list});
  } catch (bmmc::transport_error const&) {
    return of(data) == before;
  }
  return false;
}

/// Calls, and says what came of it.
std::string outcome(entry_points& data, entry_point const& entry, bool is_first_call, MPI_Comm c,
                    state const& before, state const& right) {
  try {
    entry.call(c);
  } catch (bmmc::bad_value const& error) {
    return std::string(of(data) == before ? "bad_value" : "bad_value, data changed") + " (" +
           error.what() + ")";
  } catch (example::failure const& error) {
    return std::string(of(data) == before ? "failure" : "failure, data changed") + " (" +
           error.what() + ")";
  } catch (bmmc::transport_error const&) {
    if (!are_whole(data)) return "transport_error, elements lost";
    // where the library has not even a communicator of its own there is nothing to be refused
    return is_first_call || is_refused(data, c) ? "transport_error"
                                                : "transport_error, and the next call goes on";
  } catch (std::exception const& error) {
    return std::string("another exception (") + error.what() + ")";
  }
  return of(data) == right ? "right" : "WRONG DATA";
}

class matrix {
 public:
  matrix(int who, std::string path) : who_(who), path_(std::move(path)) { read_done(); }

  void try_all(entry_points& data, entry_point const& entry, bool is_first_call,
               std::string letters) {
    reset(data);
    before_ = of(data);
    faults::counts counts{};
    {
      const world c(is_first_call ? nullptr : &entry, true);
      reset(data);
      faults::arm(faults::kind::none, 0, 0);
      entry.call(c.handle());
      counts = faults::disarm();
      right_ = of(data);
    }
    PMPI_Bcast(counts.data(), static_cast<int>(counts.size()), MPI_INT, who_, MPI_COMM_WORLD);
    for (fault_kind const& kind : all_kinds) {
      if (letters.find(kind.letter) == std::string::npos) continue;
      const std::string row =
          std::string(entry.name) + (is_first_call ? ", first call|" : "|") + kind.name + "|";
      for (auto const& [routine, position, which] :
           calls(counts, kind.kind, row, letters.find('1') != std::string::npos)) {
        const std::string name = row + faults::routines[routine] + "|" + which;
        if (!done_.contains(name))
          try_one(data, entry, is_first_call, name, {kind.kind, routine, position});
      }
    }
  }

  /// An operation of a reduction that throws on one process, for elements that travel as bytes:
  /// that process ends, so that nobody adds up what it has not made.
  void try_throwing(entry_points& data) {
    const std::string name = "reduce|operation throws|-|-";
    if (done_.contains(name)) return;
    reset(data);
    const std::string start = name + "|" + std::to_string(cases::proc()) + "|";
    if (cases::proc() == who_) write_line(start + "ended\n");
    say_when_late(name, "waits");
    PMPI_Barrier(MPI_COMM_WORLD);
    set_limit(limit_ms);
    const auto add = [this](int a, int b) {
      if (cases::proc() == who_) throw std::runtime_error("no sum");
      return a + b;
    };
    try {
      bmmc::reduce<int>(MPI_COMM_WORLD, data.chunk, std::span(data.target).first(data.here / 4),
                        bmmc::drop_bits(data.n, data.n - 2, 2), add);
    } catch (std::exception const&) {
    }
    write_line(start + "CAME BACK\n");
    PMPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  /// A duplicate of the world, on which the library has worked before unless told otherwise.
  class world {
   public:
    world(entry_point const* warm, bool is_fatal) {
      PMPI_Comm_dup(MPI_COMM_WORLD, &handle_);
      PMPI_Comm_set_errhandler(handle_, is_fatal ? MPI_ERRORS_ARE_FATAL : MPI_ERRORS_RETURN);
      if (warm != nullptr) warm->call(handle_);
    }
    world(world const&) = delete;
    world& operator=(world const&) = delete;
    ~world() { PMPI_Comm_free(&handle_); }
    [[nodiscard]] MPI_Comm handle() const { return handle_; }

   private:
    MPI_Comm handle_ = MPI_COMM_NULL;
  };

  struct call {
    std::size_t routine;
    int position;
    char const* which;
  };
  /// The calls that go wrong, one after the other: of each routine the first, a middle and the last
  /// one, or one of them; one of all where the process ends. Which one is another for each row.
  [[nodiscard]] static std::vector<call> calls(faults::counts const& counts, faults::kind k,
                                               std::string const& row, bool is_one) {
    const bool is_file = row.starts_with("file");
    std::size_t turn = 0;
    for (const char c : row) turn = 31 * turn + static_cast<unsigned char>(c);
    std::vector<call> all;
    for (std::size_t routine = 0; routine < counts.size(); ++routine) {
      const std::string name = faults::routines[routine];
      if (!applies(k, name) || is_file != name.starts_with("MPI_File")) continue;
      const int count = counts[routine];
      std::vector<call> some;
      if (count > 0) some.push_back({routine, 0, "first"});
      if (count > 2) some.push_back({routine, count / 2, "middle"});
      if (count > 1) some.push_back({routine, count - 1, "last"});
      if (is_one && !some.empty()) some = {some[turn++ % some.size()]};
      all.insert(all.end(), some.begin(), some.end());
    }
    if (k >= faults::kind::exited && !all.empty()) all = {all[turn % all.size()]};
    return all;
  }
  [[nodiscard]] static bool applies(faults::kind k, std::string const& routine) {
    const bool sends =
        routine == "MPI_Isend" || routine == "MPI_Sendrecv" || routine == "MPI_Send_init";
    const bool talks = routine.find("Type_") == std::string::npos && routine != "MPI_Get_count" &&
                       routine != "MPI_Comm_size" && routine != "MPI_Comm_rank" &&
                       routine.find("MPI_Comm_set") == std::string::npos;
    if (k == faults::kind::cut || k == faults::kind::swollen) return sends;
    return k == faults::kind::not_done || k == faults::kind::done || talks;
  }

  void read_done() {
    std::ifstream lines(path_);
    for (std::string line; std::getline(lines, line);) {
      std::size_t end = 0;
      for (int field = 0; field < 4 && end != std::string::npos; ++field)
        end = line.find('|', end + 1);
      if (end != std::string::npos) done_.insert(line.substr(0, end));
    }
    PMPI_Barrier(MPI_COMM_WORLD);  // all have read it
  }

  void try_one(entry_points& data, entry_point const& entry, bool is_first_call,
               std::string const& name, fault f) {
    // what MPI does with errors on the user's own communicator plays no part: in turns
    const world c(is_first_call ? nullptr : &entry, done_.size() % 2 == 0);
    done_.insert(name);
    reset(data);
    if (cases::proc() == who_)
      write_line(name + "|" + std::to_string(who_) +
                 (f.kind >= faults::kind::exited ? "|ended\n" : "|begins\n"));
    say_when_late(name, "waits");
    PMPI_Barrier(MPI_COMM_WORLD);
    faults::arm(cases::proc() == who_ ? f.kind : faults::kind::none, f.routine, f.position);
    set_limit(limit_ms);
    std::string const got = outcome(data, entry, is_first_call, c.handle(), before_, right_);
    set_limit(0);
    faults::disarm();
    const state after = of(data);
    const std::string start = name + "|" + std::to_string(cases::proc()) + "|";
    write_line(start + got + "\n");
    say_when_late(name, "waits for the test");
    set_limit(4 * limit_ms);
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int flag = 0, k = 0; k < 1000; ++k)  // what is still under way comes now
      PMPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    PMPI_Barrier(MPI_COMM_WORLD);
    set_limit(0);
    if (of(data) != after) write_line(start + "DATA CHANGED LATER\n");
  }

  int who_;
  std::string path_;
  std::set<std::string> done_;
  state before_, right_;
};

/// The chunk is written to a file by all processes together, as the example programs do it, and read
/// again. The target is written when all has been read.
entry_point by_file(entry_points& data, std::string const& path) {
  return {"file by MPI-IO", [&data, path](MPI_Comm c) {
            const boost::mpi::communicator comm(c, boost::mpi::comm_attach);
            const example::owned_indices owned(
                bmmc::layout::processor_minor{}.physical(data.n, cases::proc_bits()),
                cases::proc_bits(), static_cast<bmmc::index_t>(cases::proc()));
            std::vector<int> read(data.target.size());
            example::mpi_file written(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR);
            written.write_chunk(std::span<int const>(data.chunk), owned, 0);
            written.read_chunk(std::span(read), owned, 0);
            written.close();
            data.target = read;
          }};
}

int run(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::set<std::string> named(argv + 5, argv + argc);
  results = ::open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0600);
  limit_ms = std::atol(argv[2]);
  std::signal(SIGALRM, end_of_time);
  matrix tried(std::atoi(argv[3]), argv[1]);
  entry_points data(12);
  auto entries = data.all();
  entries.push_back(by_file(data, std::string(argv[1]) + ".file"));
  for (entry_point const& entry : entries) {
    if (!named.empty() && !named.contains(entry.name)) continue;
    if (entry.name == std::string("reduce") && std::strchr(argv[4], 't') != nullptr)
      tried.try_throwing(data);
    tried.try_all(data, entry, false, argv[4]);
    for (char const* const name : {"automatic", "shared_window", "gather", "list"})
      if (entry.name == std::string(name)) tried.try_all(data, entry, true, argv[4]);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (PMPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  const int status = run(argc, argv);
  PMPI_Finalize();
  return status;
}
