// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <boost/mpi/collectives.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/operations.hpp>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

#include <bmmc/error.hpp>

#include "usage.hpp"

namespace example {

/// Something that failed, on whatever process, and of which all processes know: exit code 1.
class failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Collective: waits for all processes and leaves the cores to those that work; MPI's own waiting
/// keeps one busy for each process.
inline void wait_for_all(boost::mpi::communicator const& world) {
  MPI_Request all = MPI_REQUEST_NULL;
  int done = world.size() == 1 || MPI_Ibarrier(world, &all) != MPI_SUCCESS ? 1 : 0;
  for (auto pause = std::chrono::microseconds(50); done == 0;
       pause = std::min(2 * pause, std::chrono::microseconds(5000))) {
    if (MPI_Test(&all, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (done == 0) std::this_thread::sleep_for(pause);
  }
}

/// Collective: where some process has something to complain about, all throw `failure` with the
/// words of the lowest such process. An empty text is no complaint.
inline void agree(boost::mpi::communicator const& world, std::string complaint) {
  wait_for_all(world);
  const int mine = complaint.empty() ? world.size() : world.rank();
  const int first = boost::mpi::all_reduce(world, mine, boost::mpi::minimum<int>());
  if (first == world.size()) return;
  boost::mpi::broadcast(world, complaint, first);
  throw failure(complaint);
}

/// Runs `work` here, and on every process, without communication; if it threw on one, all throw.
template <class Work>
void together(boost::mpi::communicator const& world, Work work) {
  std::string complaint;
  try {
    work();
  } catch (std::exception const& e) {
    complaint = *e.what() != '\0' ? e.what() : "an exception without words";
  }
  agree(world, complaint);
}

/// The body of main(): process 0 tells what went wrong, once, and the exit code is every process's.
/// 0 success, 1 failure, 2 usage. What only one process may have met ends the whole job.
template <class Program>
int run_together(boost::mpi::communicator const& world, std::string const& name, Program program) {
  const auto report = [&](std::exception const& e, std::string const& more) {
    if (world.rank() == 0) std::cerr << name << ": " << e.what() << more << std::endl;
  };
  try {
    return program();
  } catch (usage_error const& e) {
    report(e, "\nTry --help.");
    return 2;
  } catch (failure const& e) {
    report(e, "");
    return 1;
  } catch (std::exception const& e) {
    if (dynamic_cast<bmmc::error const*>(&e) != nullptr) {  // the library throws on all or on none
      report(e, "");
      return 1;
    }
    std::cerr << name << ": process " << world.rank() << ": " << e.what() << std::endl;
    MPI_Abort(world, 1);
    return 1;
  }
}

}  // namespace example
