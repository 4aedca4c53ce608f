// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/program_options.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/measure_all.hpp"

namespace measure {

/// main of a distributed benchmark, between MPI_Init and MPI_Finalize: read() reads the command
/// line, and is false where only help was asked for; then work() runs, and gives the exit code.
/// What they throw, all processes alike, process 0 tells.
template <class Read, class Work>
int run_on_all(int argc, char** argv, Read read, Work work) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    if (read()) status = work();
  } catch (std::bad_alloc const& error) {  // of one process, perhaps: the others may wait for it
    std::cerr << argv[0] << ": process " << rank() << ": " << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  } catch (std::exception const& error) {
    if (rank() == 0) std::cerr << argv[0] << ": " << error.what() << std::endl;
    status = 2;
  }
  MPI_Finalize();
  return status;
}

/// The table that process 0 appends its figures to; null on the others, and without a name. Throws
/// on all where it cannot be opened.
[[nodiscard]] inline std::FILE* open_table(std::string const& name) {
  if (name.empty()) return nullptr;
  std::FILE* const table = rank() == 0 ? std::fopen(name.c_str(), "a") : nullptr;
  int is_open = table != nullptr ? 1 : 0;
  MPI_Bcast(&is_open, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (is_open == 0) throw std::runtime_error("cannot write " + name);
  return table;
}

/// An argument of a benchmark that is told a few numbers; `value` holds what is taken without it.
struct number {
  char const* name;
  int* value;
  int least, most;
  char const* what;
};

/// Reads them, and the name of a file: `BENCH 12 9 FILE` or `BENCH --repetitions 9`. False where
/// only help was asked for. Throws std::exception for what cannot be read.
[[nodiscard]] inline bool read_numbers(int argc, char** argv, std::string const& what,
                                       std::vector<number> const& numbers,
                                       std::string* file = nullptr) {
  namespace po = boost::program_options;
  po::options_description all(what);
  po::positional_options_description places;
  all.add_options()("help", "show this");
  for (auto const& n : numbers) {
    all.add_options()(n.name, po::value(n.value)->default_value(*n.value), n.what);
    places.add(n.name, 1);
  }
  if (file != nullptr) {
    all.add_options()("file", po::value(file), "append the figures to this table");
    places.add("file", 1);
  }
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(all).positional(places).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    if (rank() == 0) std::cout << all << std::flush;
    return false;
  }
  for (auto const& n : numbers)
    if (*n.value < n.least || *n.value > n.most)
      throw std::invalid_argument(std::string("--") + n.name + " is " + std::to_string(n.least) +
                                  " to " + std::to_string(n.most) + ", not " +
                                  std::to_string(*n.value));
  return true;
}

}  // namespace measure
