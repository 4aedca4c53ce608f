// SPDX-License-Identifier: BSL-1.0

// Files larger than memory: a permutation by a plan beside a copy by the same requests in the same
// order, and a sequential copy, all in one run. See --help.

#include <sys/resource.h>

#include <bmmc/file/explain.hpp>
#include <bmmc/file/in_place.hpp>
#include <bmmc/index/catalogue.hpp>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <random>
#include <string>
#include <vector>
#ifdef WITH_URING
#include <bmmc/file/uring.hpp>
#endif

#include "support/measure.hpp"

namespace {

using namespace bmmc;

struct settings {
  std::string folder = ".", io = "threads", csv;
  std::vector<std::string> maps{"bit_reversal"};
  unsigned bits = 30, depth = 16, rounds = 1;
  index_t memory_mib = 1024, block_kib = 0, request_cost = 24576;
  bool in_place = false, copy = false, sequential = false;
};

permutation<> map_named(std::string const& name, unsigned n) {
  if (name == "bit_reversal") return bit_reversal(n);
  if (name == "transpose") return transpose(n / 2, n - n / 2);
  std::mt19937_64 random(18);
  if (name == "random") return random_permutation(n, random);
  throw std::invalid_argument("there is no map '" + name + "'");
}

/// Elements that hold their own indices.
template <file::Transfer X>
void make_source(std::string const& path, unsigned n, X const& transfer) {
  ::unlink(path.c_str());
  const file::stored_file out(path, file::access::create);
  out.reserve(index_t{8} << n);
  const index_t piece = std::min(bit(n), index_t{1} << 23);
  const file::tile_buffer memory(piece * 8);
  auto* const words = reinterpret_cast<index_t*>(memory.data());
  for (index_t first = 0; first < bit(n); first += piece) {
    for (index_t k = 0; k < piece; ++k) words[k] = first + k;
    const file::run all{first * 8, memory.data(), piece * 8};
    transfer(file::direction::write, out, {&all, 1});
  }
  out.sync();
}

void check_some(std::string const& path, permutation<> const& p) {
  const file::stored_file in(path, file::access::read);
  std::mt19937_64 random(1);
  for (int k = 0; k < 4096; ++k) {
    const index_t x = random() & low_bits(p.bits());
    index_t found = 0;
    in.read_at(p(x) * 8, &found, 8);
    if (found != x) throw std::runtime_error("the result is wrong");
  }
}

/// Seconds for a call, once the disk has done with what was written and removed before.
double seconds(auto call) {
  ::sync();
  ::sleep(2);
  const double begin = measure::now();
  call();
  return measure::now() - begin;
}

/// The requests of a plan, in its order, without permuting: what the disk alone takes.
template <file::Transfer X>
void copy_by(file::plan const& p, std::string const& source, std::string const& target,
             X const& transfer) {
  const file::stored_file in(source, file::access::read);
  ::unlink(target.c_str());
  const file::stored_file out(target, file::access::create);
  out.reserve(p.bytes());
  for (auto const& t : p.passes()) {
    index_t tiles = 0;
    file::stream(
        file::coset_tiles{t, p.element_bytes(), 0, 0}, p.buffers(), in, out, {}, 0, transfer,
        [&](index_t, unsigned char const* from, unsigned char* to) {  // no page stays empty
          if (tiles++ < 2) std::memcpy(to, from, p.element_bytes() << t.tile_bits());
        },
        [](index_t) {});
  }
  out.sync();
}

/// Runs both in turn, and prints every time and the ratio of the medians.
template <file::Transfer X>
void measure_map(settings const& s, std::string const& name, X const& transfer) {
  const std::string source = s.folder + "/bench.source", target = s.folder + "/bench.target",
                    copy = s.folder + "/bench.copy";
  const auto p = map_named(name, s.bits);
  file::resources given{.memory = s.memory_mib << 20, .block = s.block_kib << 10};
  given.costs.request = s.request_cost;
  const auto between = file::make_plan(p, 8, given);
  const auto straight = file::make_plan(identity_permutation(s.bits), 8, given);
  given.in_place = s.in_place;
  const auto plan = file::make_plan(p, 8, given);
  std::cout << name << ": " << plan << std::flush;
  std::vector<double> permuting, copying, sequential;
  const auto rate = [](file::plan const& moved, double time) {
    return static_cast<double>(moved.moves().bytes()) * 1e-9 / time;
  };
  const auto tell = [&](char const* what, file::plan const& moved, double time) {
    std::printf("  %s in %.2f s, %.3f GB/s\n", what, time, rate(moved, time));
    std::fflush(stdout);
  };
  for (unsigned round = 0; round < s.rounds; ++round) {
    permuting.push_back(seconds([&] {
      if (s.in_place)
        file::permute_in_place(plan, source, 0, "", {}, transfer);
      else
        file::permute_between(plan, source, 0, target, {}, {}, transfer);
    }));
    tell("permuted", plan, permuting.back());
    if (round == 0 || !s.in_place) check_some(s.in_place ? source : target, p);
    ::unlink(target.c_str());
    if (s.copy) {
      copying.push_back(seconds([&] { copy_by(between, source, copy, transfer); }));
      tell("copied by the same requests", between, copying.back());
      ::unlink(copy.c_str());
    }
    if (s.sequential) {
      sequential.push_back(seconds([&] { copy_by(straight, source, copy, transfer); }));
      tell("copied in sequence", straight, sequential.back());
      ::unlink(copy.c_str());
    }
  }
  const double mine = rate(plan, measure::median(permuting));
  if (s.copy)
    std::printf("  seconds for a byte, to a copy by the same requests: %.3f\n",
                rate(between, measure::median(copying)) / mine);
  if (s.sequential)
    std::printf("  to a copy in sequence: %.3f\n",
                rate(straight, measure::median(sequential)) / mine);
  if (!s.csv.empty())
    if (std::FILE* const out = std::fopen(s.csv.c_str(), "a")) {
      std::fprintf(out, "%s,%llu,%llu,%s,%.3f,%.3f,%.3f\n", name.c_str(),
                   static_cast<unsigned long long>(plan.bytes()),
                   static_cast<unsigned long long>(given.memory),
                   s.in_place ? "in place" : "between", measure::median(permuting),
                   s.copy ? measure::median(copying) : 0,
                   s.sequential ? measure::median(sequential) : 0);
      std::fclose(out);
    }
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  std::printf("  peak resident memory so far %.1f MiB\n",
              static_cast<double>(use.ru_maxrss) / 1024);
}

template <file::Transfer X>
void measure_all(settings const& s, X const& transfer) {
  const std::string source = s.folder + "/bench.source";
  for (auto const& name : s.maps) {
    // In place the source is another one afterwards.
    if (s.in_place || ::access(source.c_str(), F_OK) != 0) make_source(source, s.bits, transfer);
    measure_map(s, name, transfer);
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace po = boost::program_options;
  settings s;
  bool help = false, keep = false;
  po::options_description all("Permutes a file of 2^bits doubles beside copies of it");
  all.add_options()("help", po::bool_switch(&help), "show this")(
      "folder", po::value(&s.folder), "where the files are made: 24 bytes for each element")(
      "bits", po::value(&s.bits), "lg of the number of doubles (30)")(
      "map", po::value(&s.maps)->multitoken(), "bit_reversal, transpose, random")(
      "memory", po::value(&s.memory_mib), "MiB for tiles (1024)")(
      "block", po::value(&s.block_kib), "KiB of a block (the plan's choice)")(
      "request-cost", po::value(&s.request_cost), "bytes that a request costs")(
      "io", po::value(&s.io), "threads or uring")(
      "depth", po::value(&s.depth), "requests at a time")("in-place", po::bool_switch(&s.in_place),
                                                          "permute the file in place")(
      "sequential", po::bool_switch(&s.sequential), "also copy the file in sequence")(
      "copy", po::bool_switch(&s.copy), "also copy it by the same requests in the same order")(
      "rounds", po::value(&s.rounds), "times each is done, in turn (1)")(
      "keep", po::bool_switch(&keep), "leave the source for the next run")(
      "csv", po::value(&s.csv), "append to this file: map,bytes,memory,way,seconds of each");
  try {
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(all).positional({}).run(), given);
    po::notify(given);
    if (help) {
      std::cout << all;
      return 0;
    }
    std::cout << measure::machine() << ", by " << s.io << ", " << s.depth
              << " requests at a time\n";
#ifdef WITH_URING
    if (s.io == "uring") measure_all(s, file::uring(s.depth));
#endif
    if (s.io == "threads") measure_all(s, file::threads{s.depth});
    if (!keep) ::unlink((s.folder + "/bench.source").c_str());
  } catch (std::exception const& e) {
    std::cerr << argv[0] << ": " << e.what() << '\n';
    return 2;
  }
}
