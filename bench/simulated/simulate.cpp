// SPDX-License-Identifier: BSL-1.0

// How long every way to exchange the blocks of a plan takes on a machine that is simulated: the
// schedules of all processes (bmmc/study/schedules/message_schedule.hpp) run as actors of SimGrid's
// S4U, below its MPI, so that thousands of processes fit one; or what they take follows from the
// loads of links. --help says more.

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <exception>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <bmmc/planning.hpp>

#include <bmmc/execution/choice.hpp>
#include <bmmc/study.hpp>
#include <boost/program_options.hpp>

#include "fluid.hpp"
#include "loads.hpp"
#include "machines.hpp"
#include "permutations.hpp"

namespace {

namespace s4u = simgrid::s4u;
namespace po = boost::program_options;
using bmmc::index_t;

constexpr auto about =
    "Simulates the exchange of one permutation of doubles by every way and prints, as CSV:\n"
    "machine,processes,bytes of a chunk,permutation,way,microseconds\n"
    "  automatic at first    the way that is predicted to be the fastest\n"
    "  automatic                the fastest of those that it tries\n"
    "  bound                    no way can be faster: what must cross a cut of the machine at its\n"
    "                           bandwidth, or latencies and overheads of the fewest rounds\n"
    "  busiest link             what goes over it by the machine's routes, at its bandwidth\n"
    "Local passes are left out; what is packed and unpacked between messages is in, and the two\n"
    "passes and four barriers (1 microsecond each) that windows of several nodes take more.\n"
    "With --loads messages do not share links as fluids do, which takes hours where there are\n"
    "many: a message has come when each link of its route has carried all messages of that "
    "round.\n\n"
    "  simulate [OPTIONS]\n";

struct options {
  std::string machine = "fat-tree", permutation = "reversal", ways;
  machines::named_machine known_machine{};  // what that says
  unsigned lg_procs = 6;
  index_t bytes = 8192;
  machines::processor costs;
  bool is_by_loads = false;
  double barrier = 1e-6;
  index_t most_messages = index_t{1} << 17;
};

/// Simulated seconds until the last process has ended.
template <class ScheduleOf>
double seconds(options const& o, std::vector<s4u::Host*> const& hosts, ScheduleOf schedule_of) {
  return o.is_by_loads ? loads::seconds(hosts, o.costs, schedule_of)
                       : fluid::seconds(hosts, o.costs, schedule_of);
}

/// What bmmc measures before it chooses, measured on the simulated machine: everybody exchanges
/// with the process half of all away.
bmmc::comm::cost_model costs(options const& o, std::vector<s4u::Host*> const& hosts) {
  const auto exchange = [&](index_t messages, index_t bytes) {
    return seconds(o, hosts, [&](index_t k) {
      const index_t partner = k ^ hosts.size() / 2;
      bmmc::message_schedule s{k, {{}}};
      s.steps[0].sent.assign(messages, {partner, 0, bytes / sizeof(double)});
      s.steps[0].received = s.steps[0].sent;
      return s;
    });
  };
  constexpr index_t probe = index_t{1} << 18;
  bmmc::comm::cost_model c;
  c.message = exchange(1, 0);
  c.message_together = exchange(8, 0) / 8;
  c.message_byte = (exchange(1, probe) - c.message) / static_cast<double>(probe);
  c.copied_byte = o.costs.copied_byte;
  c.barrier = o.barrier;
  return c;
}

/// Bytes that leave the 2^bits processes with the same high bits, where they are most: 2^m elements
/// on each process.
double leaving(bmmc::plan const& plan, unsigned m, unsigned bits) {
  auto const& map = plan.physical();
  const unsigned low = m + bits, n = plan.bits();
  const auto crossing = submatrix(map.matrix(), low, n - low, 0, low);
  const auto kept = submatrix(map.matrix(), low, n - low, low, n - low);
  double all = std::ldexp(sizeof(double), static_cast<int>(low)), most = 0;
  const double staying = std::ldexp(all, -static_cast<int>(matrix_rank(crossing)));
  for (index_t v = 0; v < bmmc::bit(n - low); ++v) {
    const bool some_stay = solve(crossing, v ^ kept * v ^ map.complement() >> low).has_value();
    most = std::max(most, some_stay ? all - staying : all);
  }
  return most;
}

/// No way is faster: what must cross the machine's cuts at their bandwidth, and the fewest of
/// latencies and overheads that rounds of some radix have.
double bound(options const& o, bmmc::plan const& plan) {
  const unsigned m = plan.bits() - plan.proc_bits();
  double bandwidth = 0, latency = std::numeric_limits<double>::infinity();
  auto const& [network, node] = o.known_machine;
  for (machines::cut const& cut : machines::cuts(network, o.lg_procs - node))
    bandwidth =
        std::max(bandwidth, leaving(plan, m, cut.bits + node) / (cut.links * machines::bandwidth));
  const auto consider = [&](bmmc::radix_plan const& rounds) {
    const double messages = static_cast<double>(rounds.sent(0).messages);
    latency =
        std::min(latency, rounds.rounds() * machines::latency + messages * 2 * o.costs.overhead);
  };
  for (unsigned bits = 1; bits <= std::max(1U, plan.rank()); ++bits) consider({plan, bits});
  const bmmc::node_plan nodes(plan, node);
  for (unsigned bits = 1; node != 0 && bits <= o.lg_procs; ++bits)
    consider({nodes.moves(), plan.proc_bits(), bits});
  return std::max(bandwidth, latency);
}

/// Seconds of the link over which most bytes go where each block goes straight, by the machine's
/// routes.
double busiest_link(std::vector<s4u::Host*> const& hosts, bmmc::plan const& plan) {
  std::unordered_map<s4u::Link const*, double> loads;
  std::vector<s4u::Link*> route;
  const auto bytes = static_cast<double>(plan.message_elements() * sizeof(double));
  double most = 0;
  for (index_t k = 0; k < hosts.size(); ++k)
    for (index_t s = 0; s < plan.messages(); ++s) {
      const index_t to = plan.target(k, s);
      if (to == k) continue;
      route.clear();
      hosts[k]->route_to(hosts[to], route, nullptr);
      for (auto const* link : route) most = std::max(most, loads[link] += bytes);
    }
  return most / machines::bandwidth;
}

/// Runs the ways and prints what they take.
class contest {
 public:
  contest(options const& o, std::vector<s4u::Host*> hosts) : o_(o), hosts_(std::move(hosts)) {}

  void run() {
    const unsigned lg_elements = bmmc::proc_bits_of(o_.bytes / sizeof(double));
    const unsigned n = lg_elements + o_.lg_procs;
    const bmmc::plan plan(simulated_permutation(o_.permutation, n, o_.lg_procs), o_.lg_procs);
    if (plan.is_local()) return;
    bound_ = bound(o_, plan);
    report("bound", bound_);
    if (plan.messages() * hosts_.size() <= o_.most_messages)
      report("busiest link", busiest_link(hosts_, plan));
    const auto c = costs(o_, hosts_);
    const unsigned node = o_.known_machine.node_bits;
    std::vector<bmmc::detail::candidate> possible;
    const auto offer = [&](bmmc::detail::way w, unsigned bits = 0) {
      possible.push_back({w, work_of(w, plan, o_.bytes, node, bits), bits});
    };
    if (node != 0) {
      const index_t messages = bmmc::node_plan(plan, node).messages();
      for (unsigned bits = 0; bits == 0 || bmmc::bit(bits) <= messages; ++bits)
        offer(bmmc::detail::way::window, bits);
    }
    if (plan.messages() * hosts_.size() <= o_.most_messages) offer(bmmc::detail::way::pipelined);
    for (unsigned bits = 1; bits < plan.rank(); ++bits) offer(bmmc::detail::way::rounds, bits);
    if (possible.empty()) return;
    const bmmc::detail::choice choice(possible, c, 1000);

    run(plan, "sendrecv", bmmc::comm::sendrecv{});
    run(plan, "dimension_exchange", bmmc::comm::dimension_exchange{});
    const auto way = [&](bmmc::detail::candidate const& each, bool is_needed = true) {
      const auto number = bmmc::detail::choice::name(each.number());
      if (each.name == bmmc::detail::way::pipelined)
        return run(plan, number, bmmc::comm::pipelined{}, is_needed);
      if (each.name == bmmc::detail::way::rounds)
        return run(plan, number, bmmc::comm::radix_exchange{each.bits}, is_needed);
      const bmmc::comm::shared_window window{.processes_per_node = 1 << node, .bits = each.bits};
      return run(plan, number, window, is_needed, 4 * o_.barrier);
    };
    for (auto const& each : possible) way(each, false);
    if (const auto first = way(choice.chosen())) report("automatic at first", *first);
    std::optional<double> best;
    for (auto const& each : choice.rivals())
      if (const auto time = way(each)) best = std::min(time.value(), best.value_or(*time));
    if (best) report("automatic", *best);
  }

 private:
  /// Nothing where there are too many messages, but for ways that `automatic` needs, and by loads
  /// for those that may be the best.
  template <class Policy>
  std::optional<double> run(bmmc::plan const& plan, std::string const& name, Policy const& policy,
                            bool is_needed = false, double barriers = 0) {
    const auto among = [&](std::string const& names) {
      return (',' + names + ',').find(',' + name + ',') != std::string::npos;
    };
    if (!o_.ways.empty() && !among(o_.ways)) return std::nullopt;
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    const auto first = schedule_of(plan, 0, sizeof(double), policy);
    constexpr index_t few = 36;  // of a process
    const index_t messages = first.sent().messages;
    if (!is_needed && !may_be_best(messages) && messages > few &&
        messages * hosts_.size() > o_.most_messages)
      return std::nullopt;
    const double time = barriers + seconds(o_, hosts_, [&](index_t k) {
                          return schedule_of(plan, k, sizeof(double), policy);
                        });
    known_.emplace(name, time);
    best_ = std::min(time, best_.value_or(time));
    report(name, time);
    return time;
  }
  /// By more than a hundredth: neither do the overheads alone take longer than the best way so far,
  /// nor is that within a hundredth of the bound.
  [[nodiscard]] bool may_be_best(index_t messages) const {
    const double overheads = static_cast<double>(messages) * 2 * o_.costs.overhead;
    return o_.is_by_loads && best_ && std::max(overheads, 1.01 * bound_) < *best_;
  }
  void report(std::string const& name, double time) const {
    std::printf("%s,%llu,%llu,%s,%s,%.6g\n", o_.machine.c_str(),
                static_cast<unsigned long long>(hosts_.size()),
                static_cast<unsigned long long>(o_.bytes), o_.permutation.c_str(), name.c_str(),
                time * 1e6);
    std::fflush(stdout);
  }

  options o_;
  std::vector<s4u::Host*> hosts_;
  std::map<std::string, double> known_;
  std::optional<double> best_;  // of these
  double bound_ = 0;
};

/// Nothing where only help was asked for.
std::optional<options> read(int argc, char** argv) {
  options o;
  po::options_description known("Options");
  unsigned procs = 64;
  double overhead = 0.4, gigabytes = 10;
  known.add_options()("help,h", "prints this")(
      "machine,m", po::value(&o.machine)->default_value(o.machine),
      "fat-tree, dragonfly or torus, /16 for nodes of 16 processes: bench/simulated/machines.hpp")(
      "procs,p", po::value(&procs)->default_value(procs), "processes, a power of two")(
      "bytes,b", po::value(&o.bytes)->default_value(o.bytes),
      "of doubles on each process, a power of two from 8 on")(
      "permutation", po::value(&o.permutation)->default_value(o.permutation),
      "reversal, random, transpose, shuffle, gray or half (half of the largest rank)")(
      "ways", po::value(&o.ways), "only ways of this list, separated by commas")(
      "overhead", po::value(&overhead)->default_value(overhead),
      "microseconds of a processor for a message that it sends or receives")(
      "copy", po::value(&gigabytes)->default_value(gigabytes),
      "GB/s at which a processor copies; 0: in no time")("loads", po::bool_switch(&o.is_by_loads),
                                                         "times by the loads of links")(
      "most", po::value(&o.most_messages)->default_value(o.most_messages),
      "leaves out ways of more messages in all, but for those that automatic tries and, with "
      "--loads, those that may be the best");
  po::variables_map given;
  po::store(po::command_line_parser(argc, argv).options(known).positional({}).run(), given);
  if (given.count("help") != 0) {
    std::cout << about << known;
    return std::nullopt;
  }
  po::notify(given);
  o.known_machine = machines::read(o.machine);
  o.lg_procs = bmmc::proc_bits_of(procs);
  o.costs.overhead = overhead * 1e-6;
  o.costs.copied_byte = gigabytes > 0 ? 1e-9 / gigabytes : 0;
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    int no_arguments = 1;  // SimGrid would take what it knows from ours
    s4u::Engine engine(&no_arguments, argv);
    const auto o = read(argc, argv);
    if (!o) return 0;
    machines::configure();
    const auto hosts = machines::make(o->known_machine, o->lg_procs);
    std::exception_ptr failed;  // SimGrid would end the actor, and nothing else
    s4u::Actor::create("contest", hosts.front(), [&] {
      try {
        contest(*o, hosts).run();
      } catch (std::exception const&) {
        failed = std::current_exception();
      }
    });
    engine.run();
    if (failed) std::rethrow_exception(failed);
  } catch (std::exception const& e) {
    std::cerr << "simulate: " << e.what() << '\n';
    return 2;
  }
  return 0;
}
