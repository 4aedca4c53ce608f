// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <boost/program_options.hpp>
#include <iostream>
#include <stdexcept>

#include "support/arena.hpp"
#include "support/numbers.hpp"

namespace measure {

/// The command line of the distributed benchmarks.
struct options {
  unsigned first = 10, last = 25, step = 5;
  limits limit{};
  bool qubits = false, single_calls = false, shared = false;

  /// False where only help was asked for. Throws std::exception for what cannot be read.
  [[nodiscard]] bool read(int argc, char** argv, char const* what) {
    namespace po = boost::program_options;
    std::string csv;
    po::options_description all(what);
    all.add_options()("help", "show this")("first", po::value(&first)->default_value(first),
                                           "smallest chunk, lg of its bytes (4 at least)")(
        "last", po::value(&last)->default_value(last), "largest chunk, lg of its bytes")(
        "step", po::value(&step)->default_value(step), "step between the two")(
        "rounds", po::value(&limit.rounds)->default_value(limit.rounds), "timed rounds at most")(
        "seconds", po::value(&limit.seconds)->default_value(limit.seconds),
        "time limit for one permutation at one size; three rounds are timed at least")(
        "qubits", po::bool_switch(&qubits),
        "measure instead 24 qubits of complex<double>: a circuit, a reversal, and both")(
        "single-calls", po::bool_switch(&single_calls),
        "beside automatic kept only calls that never come again, with memory that others have left "
        "and without")(
        "shared", po::bool_switch(&shared),
        "only shared_vectors, beside a pass over an array of all elements by as many "
        "threads of one process")("csv", po::value(&csv),
                                  "append to this file: processes,bytes,permutation,way,ms,ratio");
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(all).positional({}).run(), given);
    po::notify(given);
    if (given.count("help") != 0) {
      if (rank() == 0) std::cout << all;
      return false;
    }
    if (first < 4 || step < 1 || limit.rounds < 1)
      throw std::invalid_argument("--first must be 4 at least, --step and --rounds 1 at least");
    limit.csv = open_table(csv);
    return true;
  }
};

/// main of such a benchmark: work(options) between MPI_Init and MPI_Finalize.
template <class Work>
int run_benchmark(int argc, char** argv, char const* what, Work work) {
  options o;
  return run_on_all(
      argc, argv, [&] { return o.read(argc, argv, what); },
      [&] {
        if (rank() == 0) std::printf("%s; %d processes\n", machine().c_str(), procs());
        work(o);
        if (o.limit.csv != nullptr) std::fclose(o.limit.csv);
        return 0;
      });
}

}  // namespace measure
