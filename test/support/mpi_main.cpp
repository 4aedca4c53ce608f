// SPDX-License-Identifier: BSL-1.0

// Main of the tests that run on several processes:  mpirun -np N ./test --procs N [Catch2 options]
// Every process runs every test; process 0 reports. All exit with the same status. A failed
// REQUIRE, which would leave the other processes waiting for a message, aborts them all.

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "runner.hpp"

namespace {

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

#if __has_include(<catch2/catch_all.hpp>)
using listener_base = Catch::EventListenerBase;
using listener_result = void;
#else
using listener_base = Catch::TestEventListenerBase;
using listener_result = bool;
#endif

/// Tells of a failure on any process, and ends all of them where this one cannot go on.
struct fail_fast : listener_base {
  using listener_base::listener_base;

  listener_result assertionEnded(Catch::AssertionStats const& stats) override {
    auto const& result = stats.assertionResult;
    if (!result.isOk()) report(stats);
    return listener_result(false);
  }

 private:
  static void report(Catch::AssertionStats const& stats) {
    auto const& result = stats.assertionResult;
    const auto at = result.getSourceInfo();
    std::fprintf(stderr, "process %d: %s:%u: FAILED: %s\n  with: %s\n", world_rank(), at.file,
                 static_cast<unsigned>(at.line), result.getExpressionInMacro().c_str(),
                 result.getExpandedExpression().c_str());
    for (auto const& info : stats.infoMessages)
      std::fprintf(stderr, "  %s\n", info.message.c_str());
    std::fflush(stderr);
    if (leaves_the_test(result)) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  /// CHECK goes on; REQUIRE and an exception that no test expected do not.
  static bool leaves_the_test(Catch::AssertionResult const& result) {
    return result.getResultType() == Catch::ResultWas::ThrewException ||
           result.getResultType() == Catch::ResultWas::ExplicitFailure ||
           macro_name(result).rfind("REQUIRE", 0) == 0 || macro_name(result).rfind("FAIL", 0) == 0;
  }
  static std::string macro_name(Catch::AssertionResult const& result) {
    return std::string(result.getExpressionInMacro());
  }
};
CATCH_REGISTER_LISTENER(fail_fast)

/// Takes `--procs N` out of the arguments; 0 where there is none.
int take_expected_procs(std::vector<char const*>& arguments) {
  for (std::size_t i = 1; i + 1 < arguments.size(); ++i)
    if (std::strcmp(arguments[i], "--procs") == 0) {
      const int procs = std::atoi(arguments[i + 1]);
      const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(i);
      arguments.erase(at, at + 2);
      return procs;
    }
  return 0;
}

/// 1 unless this job has the size it was meant to have: under a wrong launcher each process is a
/// job of its own, in which every test passes.
int wrong_launcher(int expected) {
  int procs = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  if (procs == expected) return 0;
  std::fprintf(stderr, "this job has %d processes where --procs says %d\n", procs, expected);
  return 1;
}

int run_on_all(std::vector<char const*> arguments) {
  if (world_rank() != 0)
    arguments.insert(arguments.end(), {"--out", "/dev/null"});  // failures still reach stderr
  int failed = run_tests(static_cast<int>(arguments.size()), arguments.data()) == 0 ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return failed;
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level) != MPI_SUCCESS) return 1;
  std::vector<char const*> arguments(argv, argv + argc);
  const int expected = take_expected_procs(arguments);
  const int status = wrong_launcher(expected) != 0 ? 1 : run_on_all(std::move(arguments));
  MPI_Finalize();
  return status;
}
