// SPDX-License-Identifier: BSL-1.0

// Permutes an array file by y = A x + c over the processes of an MPI job. See --help.

#include <algorithm>
#include <array>
#include <boost/mpi/environment.hpp>
#include <boost/mpi/timer.hpp>
#include <boost/program_options.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include <bmmc.hpp>

#include "support/array_file.hpp"
#include "support/mpi_file.hpp"
#include "support/names.hpp"
#include "support/together.hpp"
#include "support/verify.hpp"

namespace {

namespace mpi = boost::mpi;
using bmmc::index_t;
using layouts = bmmc::layout::between<bmmc::layout::affine<>, bmmc::layout::affine<>>;

struct settings {
  std::string source, target;
  std::vector<std::string> permutations;
  std::string matrix, layout, target_layout, policy;
  unsigned element_bytes = 0, repeat = 1;
  bool help = false, verify = false, verify_only = false, dry_run = false, quiet = false;
};

boost::program_options::options_description options_into(settings& s) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()                                                                      //
      ("help,h", po::bool_switch(&s.help), "this text")                                      //
      ("permutation,p", po::value(&s.permutations)->composing()->value_name("NAME"),         //
       "a permutation from the list below; given again, the next one after it")              //
      ("matrix,m", po::value(&s.matrix)->value_name("FILE"),                                 //
       "a permutation from a file: rows of 0 or . and 1, bit 0 first, and behind a bar, "    //
       "where there is one, the bits of the complement; done after those of --permutation")  //
      ("layout,l", po::value(&s.layout)->default_value("processor_major")->value_name("NAME"),
       "where the elements live while they are permuted")                                   //
      ("target-layout", po::value(&s.target_layout)->value_name("NAME"),                    //
       "where they live afterwards, if elsewhere")                                          //
      ("policy", po::value(&s.policy)->default_value("sendrecv")->value_name("NAME"),       //
       "how they travel: sendrecv, sendrecv_replace or alltoallv")                          //
      ("element-bytes,e", po::value(&s.element_bytes)->value_name("BYTES"),                 //
       "SOURCE is a raw file of elements of 1, 2, 4, 8 or 16 bytes")                        //
      ("repeat,r", po::value(&s.repeat)->default_value(1)->value_name("TIMES"),             //
       "permute so often and tell the median time")                                         //
      ("verify,v", po::bool_switch(&s.verify),                                              //
       "compare the two files element by element")                                          //
      ("verify-only", po::bool_switch(&s.verify_only), "only compare them, write nothing")  //
      ("dry-run,n", po::bool_switch(&s.dry_run), "tell the plan and stop")                  //
      ("quiet,q", po::bool_switch(&s.quiet), "do not tell the plan");
  return options;
}

std::string help_text() {
  settings unused;
  std::ostringstream text;
  text << "Permutes an array file: the element at index x goes to index y = A x + c over GF(2).\n\n"
          "  mpirun -np PROCS permute_file [OPTIONS] SOURCE TARGET\n\n"
          "SOURCE is a .npy file (C order) or a raw one; TARGET becomes one of the same kind. The\n"
          "numbers of elements and of processes are powers of two.\n\n"
       << options_into(unused) << "\nPermutations of an array of 2^n elements\n"
       << example::permutation_names << "\nLayouts on 2^p processes\n"
       << example::layout_names << "\nExit code: 0 success, 1 failure, 2 wrong usage.\n";
  return text.str();
}

/// Throws usage_error.
settings parse(int argc, char** argv) {
  namespace po = boost::program_options;
  settings s;
  po::options_description all = options_into(s);
  all.add_options()("source", po::value(&s.source))("target", po::value(&s.target));
  po::positional_options_description places;
  places.add("source", 1).add("target", 1);
  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(all).positional(places).run(), values);
    po::notify(values);
  } catch (po::error const& e) {
    throw example::usage_error(e.what());
  }
  if (s.help) return s;
  if (s.source.empty()) throw example::usage_error("a SOURCE file is missing");
  if (s.target.empty() && !s.dry_run) throw example::usage_error("a TARGET file is missing");
  if (s.permutations.empty() && s.matrix.empty())
    throw example::usage_error("say --permutation or --matrix");
  if (s.policy != "sendrecv" && s.policy != "sendrecv_replace" && s.policy != "alltoallv")
    throw example::usage_error("there is no policy named '" + s.policy + "'");
  if (s.repeat == 0) throw example::usage_error("--repeat takes 1 or more");
  if (s.target_layout.empty()) s.target_layout = s.layout;
  return s;
}

/// All that is to be done, known to every process before it starts.
struct task {
  example::array_format source, target;
  bmmc::permutation<> permutation;
  layouts where{bmmc::layout::affine<>(bmmc::permutation<>()),
                bmmc::layout::affine<>(bmmc::permutation<>())};
  unsigned proc_bits = 0;
};

/// Collective: what is wrong on one process, all throw.
task make_task(mpi::communicator const& world, settings const& s) {
  task t;
  std::string unknown;
  example::together(world, [&] {
    t.source = example::inspect(s.source, s.element_bytes);
    t.target = t.source;
    const unsigned n = t.source.bits();
    t.permutation = bmmc::identity_permutation(n);
    const auto then = [&](bmmc::permutation<> const& next) {
      if (next.bits() != n)
        throw bmmc::bad_value("a permutation of 2^" + std::to_string(next.bits()) +
                              " elements is not for " + s.source + " with its 2^" +
                              std::to_string(n));
      t.permutation = bmmc::compose(next, t.permutation);
    };
    t.proc_bits = bmmc::proc_bits_of(static_cast<index_t>(world.size()));
    try {
      for (auto const& name : s.permutations)
        then(example::named_permutation(name, n, t.target.shape));
      if (!s.matrix.empty()) then(example::read_permutation(s.matrix));
      t.where = layouts{example::named_layout(s.layout, n, t.proc_bits),
                        example::named_layout(s.target_layout, n, t.proc_bits)};
    } catch (example::unknown_name const& e) {
      unknown = e.what();
    }
    if (s.dry_run) return;
    if (s.verify_only) {
      t.target = example::inspect(s.target, s.element_bytes);
      if (t.target.elements != t.source.elements ||
          t.target.element_bytes != t.source.element_bytes)
        throw std::runtime_error(s.target + ": " + t.target.text() + ", the source has " +
                                 t.source.text());
      return;
    }
    std::error_code ignored;
    if (std::filesystem::equivalent(s.source, s.target, ignored))
      throw std::runtime_error(s.target + ": it is the source itself");
    t.target.data_offset =
        t.source.is_npy() ? example::npy_preamble(t.target.dtype, t.target.shape).size() : 0;
  });
  if (!unknown.empty()) throw example::usage_error(unknown);  // the same words on all processes
  return t;
}

/// Seconds that the slowest process takes for one call: the median of several.
double median_seconds(mpi::communicator const& world, unsigned repeat, auto call) {
  std::vector<double> seconds;
  for (unsigned k = 0; k < repeat; ++k) {
    world.barrier();
    const mpi::timer clock;
    call();
    seconds.push_back(mpi::all_reduce(world, clock.elapsed(), mpi::maximum<double>()));
  }
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// Reads the source, permutes it and writes the target, under another name until it is complete.
template <class T, class Comm>
void permute_file(mpi::communicator const& world, settings const& s, task const& t) {
  const unsigned n = t.source.bits();
  const auto proc = static_cast<index_t>(world.rank());
  const auto owned_by = [&](bmmc::layout::affine<> const& l) {
    return example::owned_indices(l.physical(n, t.proc_bits), t.proc_bits, proc);
  };
  std::vector<T> source, target;
  example::together(world, [&] {
    source.resize(bmmc::bit(n - t.proc_bits));
    target.resize(bmmc::bit(n - t.proc_bits));
  });
  auto permute =
      bmmc::make_permuter<T>(world, t.permutation, t.where, Comm{}, {}, bmmc::calls::between_spans);
  mpi::timer clock;
  example::mpi_file in(world, s.source, MPI_MODE_RDONLY);
  in.read_chunk(std::span<T>(source), owned_by(t.where.source), t.source.data_offset);
  in.close();
  const double reading = clock.elapsed();

  const double seconds = median_seconds(world, s.repeat, [&] { permute(source, target); });

  clock.restart();
  const std::string unfinished = s.target + ".unfinished";
  try {
    example::create_file(
        world, unfinished,
        t.target.is_npy() ? example::npy_preamble(t.target.dtype, t.target.shape) : "",
        t.target.data_offset + t.target.bytes());
    example::mpi_file out(world, unfinished, MPI_MODE_WRONLY);
    out.write_chunk(std::span<T const>(target), owned_by(t.where.target), t.target.data_offset);
    out.close();
    example::together(world, [&] {
      if (world.rank() == 0) std::filesystem::rename(unfinished, s.target);
    });
  } catch (example::failure const&) {
    std::error_code ignored;
    if (world.rank() == 0) std::filesystem::remove(unfinished, ignored);
    throw;
  }
  if (world.rank() != 0) return;
  const double gib = static_cast<double>(t.source.bytes()) / (1U << 30);
  std::cout << std::fixed << std::setprecision(3) << "read in " << reading << " s, permuted in "
            << seconds << " s (" << gib / seconds << " GiB/s"
            << (s.repeat > 1 ? ", median of " + std::to_string(s.repeat) : "") << "), written in "
            << clock.elapsed() << " s\n"
            << s.target << ": " << t.target.text() << std::endl;
}

template <class T>
void with_policy(mpi::communicator const& world, settings const& s, task const& t) {
  namespace comm = bmmc::comm;
  if (s.policy == "alltoallv") return permute_file<T, comm::alltoallv>(world, s, t);
  if (s.policy == "sendrecv_replace") return permute_file<T, comm::sendrecv_replace>(world, s, t);
  permute_file<T, comm::sendrecv>(world, s, t);
}

void with_element(mpi::communicator const& world, settings const& s, task const& t) {
  switch (t.source.element_bytes) {
    case 1:
      return with_policy<std::uint8_t>(world, s, t);
    case 2:
      return with_policy<std::uint16_t>(world, s, t);
    case 4:
      return with_policy<std::uint32_t>(world, s, t);
    case 8:
      return with_policy<std::uint64_t>(world, s, t);
    default:
      return with_policy<std::array<std::uint64_t, 2>>(world, s, t);
  }
}

int program(mpi::communicator const& world, int argc, char** argv) {
  const settings s = parse(argc, argv);
  const bool speaks = world.rank() == 0;
  if (s.help) {
    if (speaks) std::cout << help_text() << std::flush;
    return 0;
  }
  const task t = make_task(world, s);
  if (speaks && !s.quiet)
    std::cout << s.source << ": " << t.source.text() << '\n'
              << bmmc::make_plan(t.permutation, t.where, static_cast<index_t>(world.size()))
              << std::flush;
  if (s.dry_run) return 0;
  if (!s.verify_only) with_element(world, s, t);
  if (!s.verify && !s.verify_only) return 0;
  const index_t compared =
      example::verify_files(world, s.source, t.source, s.target, t.target, t.permutation);
  if (speaks) std::cout << "verified " << compared << " elements of " << s.target << std::endl;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::environment environment(argc, argv);
  const mpi::communicator world;
  return example::run_together(world, "permute_file", [&] { return program(world, argc, argv); });
}
