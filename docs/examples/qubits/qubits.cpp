// SPDX-License-Identifier: BSL-1.0

// Simulates an OpenQASM 2 file over processes:  mpirun -np 4 qubits circuit.qasm
// The point is the moves: gates that only move amplitudes are composed and move none; data moves
// when a gate combines amplitudes of different processes, once for all that was postponed.

#include <boost/program_options.hpp>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "../support/together.hpp"
#include "../support/usage.hpp"
#include "simulator.hpp"

namespace {

using bmmc::index_t;

constexpr unsigned most_compared = 24;  // qubits: gate by gate, on every process

struct options {
  std::vector<std::string> files;
  unsigned probabilities = 8, samples = 0;
  unsigned long seed = 1;
  bool compares = false, only_reads = false;
};

/// Text of a file; throws std::runtime_error where it cannot be read, or is too long for a circuit,
/// as devices are that never end.
std::string text_of(std::string const& name) {
  constexpr std::size_t most = std::size_t{1} << 28, piece = std::size_t{1} << 16;
  std::ifstream in(name, std::ios::binary);
  std::string text;
  while (in && text.size() <= most) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    in.read(text.data() + before, piece);
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) throw std::runtime_error("cannot read " + name);
  if (text.size() > most) throw std::runtime_error(name + " is too long for a circuit");
  return text;
}

/// The same, read by process 0 alone, and handed to all: a pipe has one reader, and all are to have
/// the same circuit. Collective.
std::string shared_text_of(boost::mpi::communicator const& world, std::string const& name) {
  std::string text;
  example::together(world, [&] {
    if (world.rank() == 0) text = text_of(name);
  });
  std::size_t length = text.size();
  boost::mpi::broadcast(world, length, 0);
  example::together(world, [&] { text.resize(length); });
  boost::mpi::broadcast(world, text.data(), static_cast<int>(length), 0);
  return text;
}

/// The index in binary, qubit 0 rightmost.
std::string ket(index_t x, unsigned n) {
  std::string digits;
  for (unsigned j = n; j-- > 0;) digits += (x >> j & 1) != 0 ? '1' : '0';
  return "|" + digits + ">";
}

/// Probabilities by offset, summed up, of this process.
std::vector<double> running_sums(std::span<qubits::amplitude const> chunk) {
  std::vector<double> sums;
  double sum = 0;
  for (auto const& each : chunk) sums.push_back(sum += std::norm(each));
  return sums;
}

/// Draws indices by their probabilities. Collective; each process owns some draws, and says which
/// index each of them is.
std::vector<index_t> samples(boost::mpi::communicator const& world, qubits::simulator const& s,
                             options const& o) {
  const int rank = world.rank(), procs = world.size();
  std::vector<double> sums, totals;
  std::vector<index_t> drawn;
  example::together(world, [&] {
    sums = running_sums(s.state().chunk());
    totals.resize(static_cast<std::size_t>(procs));
    drawn.resize(o.samples);
  });
  const double mine = sums.back();
  MPI_Allgather(&mine, 1, MPI_DOUBLE, totals.data(), 1, MPI_DOUBLE, MPI_COMM_WORLD);
  double before = 0, all = 0;
  for (int k = 0; k < procs; ++k) {
    if (k < rank) before += totals[static_cast<std::size_t>(k)];
    all += totals[static_cast<std::size_t>(k)];
  }
  std::mt19937_64 random(o.seed);
  for (index_t& x : drawn) {  // all processes draw the same numbers
    const double at = all * static_cast<double>(random() >> 11) * 0x1p-53 - before;
    if (at < 0 || at >= mine) continue;
    const auto offset = std::upper_bound(sums.begin(), sums.end(), at) - sums.begin();
    x = s.state().index_at(static_cast<index_t>(offset));
  }
  MPI_Allreduce(MPI_IN_PLACE, drawn.data(), static_cast<int>(drawn.size()), MPI_UINT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  return drawn;
}

/// The largest difference of an amplitude from gate by gate, over all processes.
double difference(boost::mpi::communicator const& world, qubits::simulator const& s,
                  qasm::program const& program) {
  std::vector<qubits::amplitude> expected;
  example::together(world, [&] { expected = qubits::gate_by_gate(program); });
  double most = 0;
  const auto chunk = s.state().chunk();
  const auto back = inverse(s.state().where());
  const index_t first = static_cast<index_t>(world.rank()) * chunk.size();
  for (index_t i = 0; i < chunk.size(); ++i)
    most = std::max(most, std::abs(chunk[i] - expected[back(first | i)]));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/// Collective. What one process may meet alone is done `together`, or others would wait for it.
int run(boost::mpi::communicator const& world, std::string const& file, options const& o) {
  const auto text = shared_text_of(world, file);
  qasm::program program;
  std::optional<qubits::share> own;
  example::together(world, [&] {
    program = qasm::read(text);
    if (o.only_reads) return;
    if (o.compares && program.qubits > most_compared)
      throw bmmc::bad_value("--compare is for " + std::to_string(most_compared) +
                            " qubits at most");
    own.emplace(program, world.size());
  });
  if (o.only_reads) return 0;
  qubits::simulator s(world, std::move(*own));
  s.run();
  const unsigned n = program.qubits;
  const auto shown = s.state().read(0, std::min<index_t>(o.probabilities, bmmc::bit(n)));
  const auto drawn = samples(world, s, o);
  if (world.rank() == 0) {
    std::printf("%s: %u qubits, %zu gates, %d processes\n", file.c_str(), n,
                program.operations.size(), world.size());
    std::printf("exchanges: %zu, gate by gate: %zu\n", s.state().exchanges(),
                qubits::exchanges_gate_by_gate(program, s.state().proc_bits()));
    for (index_t x = 0; x < shown.size(); ++x)
      std::printf("%s  %.6f\n", ket(x, n).c_str(), std::norm(shown[x]));
    for (const index_t x : drawn) std::printf("sample %s\n", ket(x, n).c_str());
  }
  if (!o.compares) return 0;
  const double most = difference(world, s, program);
  if (world.rank() == 0) std::printf("largest difference from gate by gate: %.3g\n", most);
  return most <= 1e-12 ? 0 : 1;
}

/// Runs all files; what is wrong with one does not keep the next from being run.
int run_all(options const& o) {
  const boost::mpi::communicator world;
  int status = 0;
  for (auto const& file : o.files) try {
      status = std::max(status, run(world, file, o));
    } catch (std::exception const& error) {  // the same on all processes
      if (world.rank() == 0) std::cerr << file << ": " << error.what() << '\n';
      status = 2;
    }
  return status;
}

/// False where only help was asked for.
bool read(options& o, int argc, char** argv) {
  namespace po = boost::program_options;
  po::options_description all(
      "Simulates an OpenQASM 2 file over processes:  mpirun -np 4 qubits [OPTIONS] FILE...\n"
      "Exit code: 0 success, 1 a wrong result, 2 a wrong file or usage");
  all.add_options()("help", "show this")("file", po::value(&o.files), "circuits")(
      "probabilities", po::value(&o.probabilities)->default_value(o.probabilities),
      "print the probabilities of this many basis states, from |0...0> on")(
      "samples", po::value(&o.samples)->default_value(0), "basis states to draw at random")(
      "seed", po::value(&o.seed)->default_value(o.seed), "of the random numbers")(
      "compare", po::bool_switch(&o.compares), "compare with gate-by-gate application, to 1e-12")(
      "read-only", po::bool_switch(&o.only_reads), "read the files and simulate nothing");
  po::positional_options_description file;
  file.add("file", -1);
  po::variables_map given;
  example::require_plain(argc, argv);
  po::store(po::command_line_parser(argc, argv).options(all).positional(file).run(), given);
  po::notify(given);
  if (given.count("help") != 0) {
    std::cout << all;
    return false;
  }
  if (o.files.empty()) throw std::invalid_argument("a file is missing; try --help");
  if (o.samples > 1'000'000) throw std::invalid_argument("--samples: 1000000 at most");
  if (o.probabilities > 1'000'000'000)  // or below zero
    throw std::invalid_argument("--probabilities: 0 to 1000000000");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    options o;
    if (read(o, argc, argv)) status = run_all(o);
  } catch (std::exception const& error) {
    if (rank == 0) std::cerr << "qubits: " << error.what() << '\n';
    status = 2;
  }
  MPI_Finalize();
  return status;
}
