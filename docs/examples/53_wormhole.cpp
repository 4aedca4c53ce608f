// SPDX-License-Identifier: BSL-1.0

// How much a wormhole-routed hypercube carries of a pattern, for several routings and for processes
// placed by a mapping (figures 5 to 7 of Hou et al.). See --help, and docs/theory/wormhole.md.

#include <algorithm>
#include <array>
#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "support/progress.hpp"
#include "support/usage.hpp"

namespace {

namespace cube = bmmc::cube;
namespace wormhole = bmmc::wormhole;
using bmmc::index_t;
using bmmc::permutation;
using example::usage_error;
using wormhole::measurement;

const std::vector<std::string> all_patterns{"transpose", "bit-reversal", "reverse-flip"};
const std::vector<std::string> all_strategies{"e-cube", "p-cube", "ascending-falls", "M-S", "M-G"};

struct settings {
  std::vector<std::string> patterns, strategies;
  double load = 0;
  unsigned dimensions = 8, flits = 20, seeds = 1;
  std::uint64_t seed = 1, cycles = 40000;
  bool help = false, quick = false, data = false, quiet = false;
};

boost::program_options::options_description options_into(settings& s) {
  namespace po = boost::program_options;
  po::options_description options("Options");
  options.add_options()                                                                         //
      ("help,h", po::bool_switch(&s.help), "this text")                                         //
      ("pattern,p", po::value(&s.patterns)->composing()->value_name("NAME"),                    //
       "transpose, bit-reversal or reverse-flip; may be given again; all unless given")         //
      ("strategy,s", po::value(&s.strategies)->composing()->value_name("NAME"),                 //
       "e-cube, p-cube, ascending-falls, M-S (e-cube, processes placed for this pattern) or "   //
       "M-G (e-cube, placed for all three); may be given again; all unless given")              //
      ("load,l", po::value(&s.load)->value_name("FLITS"),                                       //
       "only at this load, offered per cycle and sending processor; else up to the limit")      //
      ("dimensions,n", po::value(&s.dimensions)->default_value(8), "2 to 16")                   //
      ("flits,f", po::value(&s.flits)->default_value(20), "of a message, the header included")  //
      ("seed", po::value(&s.seed)->default_value(1), "of the first run")                        //
      ("seeds", po::value(&s.seeds)->default_value(1)->value_name("RUNS"),                      //
       "runs at each load, with consecutive seeds; their mean is printed")                      //
      ("cycles,c", po::value(&s.cycles)->default_value(40000), "measured in each run")          //
      ("quick", po::bool_switch(&s.quick), "a tenth of the cycles")                             //
      ("data", po::bool_switch(&s.data), "a table for bench/pictures/draw")                     //
      ("quiet,q", po::bool_switch(&s.quiet), "print no progress");
  return options;
}

/// Throws usage_error.
settings parse(int argc, char** argv) {
  namespace po = boost::program_options;
  settings s;
  example::require_plain(argc, argv);
  try {
    po::variables_map values;
    po::store(po::command_line_parser(argc, argv).options(options_into(s)).positional({}).run(),
              values);
    po::notify(values);
  } catch (po::error const& e) {
    throw usage_error(e.what());
  }
  const auto complete = [](auto& chosen, auto const& all) {
    for (auto const& name : chosen)
      if (std::find(all.begin(), all.end(), name) == all.end())
        throw usage_error("there is nothing named '" + name + "'");
    if (chosen.empty()) chosen = all;
  };
  complete(s.patterns, all_patterns);
  complete(s.strategies, all_strategies);
  if (s.dimensions < 2 || s.dimensions > wormhole::most_dimensions)
    throw usage_error("--dimensions takes 2 to 16");
  // A negative number is a large one by now, and of what is no number nothing is true.
  if (s.seeds == 0 || s.cycles == 0 || s.flits == 0 || !(s.load >= 0 && s.load <= 1000) ||
      s.seeds > 1000000 || s.flits > 1000000 || s.cycles > 1000000000000)
    throw usage_error(
        "--seeds, --cycles, --flits and --load take what is positive, up to 10^6, 10^12, 10^6 and "
        "1000");
  if (s.quick) s.cycles = (s.cycles + 9) / 10;
  return s;
}

permutation<> pattern_named(std::string const& name, unsigned n) {
  if (name == "transpose") return bmmc::transpose(n / 2, n - n / 2);
  if (name == "bit-reversal") return bmmc::bit_reversal(n);
  return permutation<>(bmmc::bit_reversal(n).matrix(), bmmc::low_bits(n));
}

/// Where a strategy places the processes.
permutation<> placing(std::string const& strategy, permutation<> const& pattern) {
  const unsigned n = pattern.bits();
  if (strategy == "M-S") return cube::find_mapping(cube::push(pattern)).q;
  if (strategy != "M-G") return bmmc::identity_permutation(n);
  std::vector<cube::communication> set;
  for (auto const& name : all_patterns) set.push_back(cube::push(pattern_named(name, n)));
  return cube::find_mapping(std::span<cube::communication const>(set)).q;
}

measurement mean(std::vector<measurement> const& runs) {
  measurement sum;
  for (auto const& run : runs) {
    sum.offered += run.offered / static_cast<double>(runs.size());
    sum.throughput += run.throughput / static_cast<double>(runs.size());
    sum.latency += run.latency / static_cast<double>(runs.size());
    sum.queue += run.queue / static_cast<double>(runs.size());
    sum.share += run.share / static_cast<double>(runs.size());
  }
  return sum;
}

/// One curve of a figure: measures a strategy on a pattern at any load.
class curve {
 public:
  curve(settings const& s, std::string const& pattern, std::string const& strategy)
      : settings_(s),
        strategy_(strategy),
        pattern_(pattern_named(pattern, s.dimensions)),
        order_(placing(strategy, pattern_)) {}

  measurement operator()(double offered) const {
    std::vector<measurement> runs;
    for (unsigned k = 0; k < settings_.seeds; ++k)
      runs.push_back(
          run({offered, settings_.flits, std::max<std::uint64_t>(settings_.cycles / 4, 500),
               settings_.cycles, settings_.seed + k}));
    return mean(runs);
  }
  std::vector<measurement> up_to_the_limit() const { return wormhole::sweep(*this, 0.02, 1.15, 4); }
  index_t contention() const {
    return cube::contention(cube::remapped(cube::push(pattern_), order_));
  }

 private:
  measurement run(wormhole::load const& l) const {
    const auto traffic = wormhole::relocated(pattern_, order_);
    if (strategy_ == "p-cube") return measure(settings_.dimensions, wormhole::p_cube{}, traffic, l);
    if (strategy_ == "ascending-falls")
      return measure(settings_.dimensions, wormhole::ascending_falls{}, traffic, l);
    return measure(settings_.dimensions, wormhole::e_cube{}, traffic, l);
  }

  settings settings_;
  std::string strategy_;
  permutation<> pattern_, order_;
};

void print_one(settings const& s) {
  std::printf("pattern        strategy         offered  delivered  latency  longest queue\n");
  for (auto const& pattern : s.patterns)
    for (auto const& strategy : s.strategies) {
      const auto m = curve(s, pattern, strategy)(s.load);
      std::printf("%-14s %-15s %8.4f %10.4f %8.1f %14.1f%s\n", pattern.c_str(), strategy.c_str(),
                  m.offered, m.throughput, m.latency, m.queue,
                  m.is_sustained() ? "" : ", not sustained");
    }
}

void print_figures(settings const& s) {
  const std::array<double, 7> loads{0.02, 0.05, 0.08, 0.11, 0.2, 0.4, 0.8};
  std::printf("2^%u processors, messages of %u flits; flits per cycle and processor\n",
              s.dimensions, s.flits);
  example::progress told("curves measured", s.patterns.size() * s.strategies.size(), !s.quiet);
  std::uint64_t done = 0;
  for (auto const& pattern : s.patterns) {
    std::printf("%-16s paths over    highest | latency at an offered load of\n", pattern.c_str());
    std::printf("%-16s a channel  throughput |", "");
    for (const double load : loads) std::printf("%7.2f", load);
    std::printf("\n");
    for (auto const& strategy : s.strategies) {
      const curve measured(s, pattern, strategy);
      const bool fixed = strategy != "p-cube" && strategy != "ascending-falls";
      std::printf("  %-15s", strategy.c_str());
      fixed ? std::printf("%8llu", static_cast<unsigned long long>(measured.contention()))
            : std::printf("%8s", "");
      std::printf("   %9.3f |", wormhole::saturation(measured.up_to_the_limit()));
      bool sustained = true;
      for (const double load : loads) {
        const auto m = sustained ? measured(load) : measurement{};
        sustained = sustained && m.is_sustained();
        sustained ? std::printf("%7.1f", m.latency) : std::printf("%7s", "-");
      }
      std::printf("\n");
      std::fflush(stdout);
      told.reached(++done);
    }
  }
}

/// The table bench/measured/wormhole.csv; only what is sustained.
void print_data(settings const& s) {
  example::progress told("curves measured", s.patterns.size() * s.strategies.size(), !s.quiet);
  std::uint64_t done = 0;
  std::printf("# Simulated by 53_wormhole --data\npattern,routing,throughput,latency\n");
  for (auto const& pattern : s.patterns)
    for (auto const& strategy : s.strategies) {
      for (auto const& m : curve(s, pattern, strategy).up_to_the_limit())
        if (m.is_sustained())
          std::printf("%s,%s,%.5f,%.2f\n", pattern.c_str(), strategy.c_str(), m.throughput,
                      m.latency);
      told.reached(++done);
    }
}

int program(int argc, char** argv) {
  const settings s = parse(argc, argv);
  if (s.help) {
    settings unused;
    std::cout << "Simulates messages on a hypercube with wormhole routing.\n\n"
                 "  53_wormhole [OPTIONS]\n\n"
              << options_into(unused) << "\nExit code: 0 success, 1 failure, 2 wrong usage.\n";
  } else if (s.data) {
    print_data(s);
  } else if (s.load > 0) {
    print_one(s);
  } else {
    print_figures(s);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return program(argc, argv);
  } catch (usage_error const& e) {
    std::cerr << "53_wormhole: " << e.what() << "; see --help\n";
    return 2;
  } catch (std::exception const& e) {
    std::cerr << "53_wormhole: " << e.what() << '\n';
    return 1;
  }
}

// Prints:
// 2^8 processors, messages of 20 flits; flits per cycle and processor
// transpose        paths over    highest | latency at an offered load of
//                  a channel  throughput |   0.02   0.05   0.08   0.11   0.20   0.40   0.80
//   e-cube                8       0.078 |   27.5   34.4   63.5      -      -      -      -
//   p-cube                        0.070 |   27.2   34.8      -      -      -      -      -
//   ascending-falls               0.081 |   26.5   29.8   37.8      -      -      -      -
//   M-S                   1       0.752 |   25.4   25.9   26.3   26.6   28.0   32.9   77.4
//   M-G                   2       0.356 |   25.7   26.6   27.5   28.6   33.3      -      -
// bit-reversal     paths over    highest | latency at an offered load of
//                  a channel  throughput |   0.02   0.05   0.08   0.11   0.20   0.40   0.80
//   e-cube                8       0.098 |   26.6   29.9   37.7      -      -      -      -
//   p-cube                        0.065 |   27.3   35.8      -      -      -      -      -
//   ascending-falls               0.118 |   26.2   28.1   31.2   36.3      -      -      -
//   M-S                   1       0.752 |   25.4   25.9   26.3   26.6   28.0   32.9   77.4
//   M-G                   1       0.752 |   25.4   25.9   26.3   26.6   28.0   32.9   77.4
// reverse-flip     paths over    highest | latency at an offered load of
//                  a channel  throughput |   0.02   0.05   0.08   0.11   0.20   0.40   0.80
//   e-cube                8       0.099 |   26.6   30.0   36.0      -      -      -      -
//   p-cube                        0.199 |   25.6   26.5   27.4   28.7   39.6      -      -
//   ascending-falls               0.113 |   26.1   28.2   31.4   41.8      -      -      -
//   M-S                   1       0.752 |   25.5   25.9   26.3   26.6   27.9   32.9   77.4
//   M-G                   1       0.752 |   25.5   25.9   26.3   26.6   27.9   32.9   77.4
