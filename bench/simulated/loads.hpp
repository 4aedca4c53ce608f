// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <bmmc/study.hpp>

#include "machines.hpp"

/// Schedules of all processes by LogGP (Alexandrov et al., J. Parallel Distrib. Comput. 44, 1997),
/// in which the time of a byte follows from the loads of links: a message ends when the last of the
/// links on its route has carried all that goes over it in that step, and the latencies have
/// passed. So no message waits for what another one takes, and one walk over all of them is enough.
/// Cost  a look at the route of each message, about a microsecond, and 4 bytes for each of its
/// links.
namespace loads {

namespace s4u = simgrid::s4u;
using bmmc::index_t;

/// The links of a machine, numbered as they are met, and what goes over them in a step.
class links {
 public:
  /// Takes a message that starts then into account. Returns the latency of its route, and appends
  /// the numbers of its links.
  double add(s4u::Host const& from, s4u::Host const& to, double bytes, double start,
             std::vector<std::uint32_t>& numbers) {
    double latency = 0;
    route_.clear();
    from.route_to(&to, route_, &latency);
    for (s4u::Link const* each : route_) {
      const auto [found, is_new] =
          numbers_.try_emplace(each, static_cast<std::uint32_t>(known_.size()));
      if (is_new) known_.push_back({each->get_bandwidth(), is_shared(*each)});
      numbers.push_back(found->second);
      link& one = known_[found->second];
      one.start = one.bytes > 0 ? std::min(one.start, start) : start;
      one.bytes += bytes;
    }
    return latency;
  }
  /// When such a message has left a link.
  [[nodiscard]] double end(std::uint32_t number, double bytes, double start) const {
    link const& one = known_[number];
    const double alone = start + bytes / one.bandwidth;
    return one.is_shared ? std::max(alone, one.start + one.bytes / one.bandwidth) : alone;
  }
  void clear_loads() {
    for (link& each : known_) each.bytes = 0;
  }

 private:
  struct link {
    double bandwidth;
    bool is_shared;
    double bytes = 0, start = 0;
  };
  static bool is_shared(s4u::Link const& one) {
    return one.get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE;
  }

  std::unordered_map<s4u::Link const*, std::uint32_t> numbers_;
  std::vector<link> known_;
  std::vector<s4u::Link*> route_;
};

/// What several steps send and copy. (What they receive is what others send.)
[[nodiscard]] inline bmmc::message_step sum(std::vector<bmmc::message_step> const& steps) {
  bmmc::message_step all;
  for (bmmc::message_step const& each : steps) {
    all.sent.insert(all.sent.end(), each.sent.begin(), each.sent.end());
    all.copied += each.copied;
  }
  return all;
}

/// A clock for each process, seconds.
class processes {
 public:
  processes(std::vector<s4u::Host*> const& hosts, machines::processor const& costs)
      : hosts_(hosts), costs_(costs), clocks_(hosts.size()) {}

  /// Everybody carries out a step: `step_of(k)` is that of process k.
  template <class StepOf>
  void run(StepOf step_of) {
    const std::vector<double> begin = clocks_;
    links_.clear_loads();
    for (index_t k = 0; k < clocks_.size(); ++k) send(k, step_of(k), begin);
    std::vector<std::vector<double>> arrivals(clocks_.size());
    std::vector<double> delivered(clocks_.size());
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      message const& one = messages_[i];
      const double end = arrival(i);
      arrivals[one.to].push_back(end);
      if (one.bytes >= double{machines::eager})
        delivered[one.from] = std::max(delivered[one.from], end);
    }
    for (std::size_t k = 0; k < clocks_.size(); ++k) {
      std::sort(arrivals[k].begin(), arrivals[k].end());
      for (const double end : arrivals[k]) clocks_[k] = std::max(clocks_[k], end) + costs_.overhead;
      clocks_[k] = std::max(clocks_[k], delivered[k]);
    }
    messages_.clear(), numbers_.clear();
  }
  [[nodiscard]] double last() const { return *std::max_element(clocks_.begin(), clocks_.end()); }

 private:
  struct message {
    index_t from, to;
    double bytes, start, latency;
    std::size_t first_link;
  };

  /// A message starts when it is sent and expected.
  void send(index_t k, bmmc::message_step const& step, std::vector<double> const& begin) {
    for (bmmc::message const& one : step.sent) {
      const auto bytes = static_cast<double>(one.elements * sizeof(double));
      const double start = std::max(clocks_[k] += costs_.overhead, begin[one.proc]);
      const std::size_t first = numbers_.size();
      const double latency = links_.add(*hosts_[k], *hosts_[one.proc], bytes, start, numbers_);
      messages_.push_back({k, one.proc, bytes, start, latency, first});
    }
    clocks_[k] += costs_.copied_byte * static_cast<double>(step.copied * sizeof(double));
  }
  [[nodiscard]] double arrival(std::size_t i) const {
    message const& one = messages_[i];
    const std::size_t end =
        i + 1 < messages_.size() ? messages_[i + 1].first_link : numbers_.size();
    double last = one.start;
    for (std::size_t j = one.first_link; j < end; ++j)
      last = std::max(last, links_.end(numbers_[j], one.bytes, one.start));
    return last + one.latency;
  }

  std::vector<s4u::Host*> const& hosts_;
  machines::processor costs_;
  std::vector<double> clocks_;
  links links_;
  std::vector<message> messages_;
  std::vector<std::uint32_t> numbers_;  // links of all messages, one after the other
};

/// Seconds until the last process has ended. Steps that are under way together are taken as one.
template <class ScheduleOf>
double seconds(std::vector<s4u::Host*> const& hosts, machines::processor const& costs,
               ScheduleOf schedule_of) {
  std::vector<bmmc::message_schedule> all;
  std::size_t steps = 0;
  for (index_t k = 0; k < hosts.size(); ++k) {
    auto& steps_of_k = all.emplace_back(schedule_of(k)).steps;
    if (all[k].in_flight > 1) steps_of_k = {sum(steps_of_k)};
    steps = std::max(steps, steps_of_k.size());
  }
  processes run(hosts, costs);
  const bmmc::message_step nothing;
  for (std::size_t j = 0; j < steps; ++j)
    run.run([&](index_t k) -> auto const& {
      return j < all[k].steps.size() ? all[k].steps[j] : nothing;
    });
  return run.last();
}

}  // namespace loads
