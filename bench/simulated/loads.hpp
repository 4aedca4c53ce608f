// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include <bmmc/study.hpp>

#include "machines.hpp"

/// Schedules of all processes by LogGP (Alexandrov et al., J. Parallel Distrib. Comput. 44, 1997),
/// in which the time of a byte follows from the loads of links: a message ends when the last of the
/// links on its route has carried all that goes over it in that step, and the latencies have
/// passed. So no message waits for what another one takes, and two walks over all of them are
/// enough: one for the loads, one for the ends.
/// Cost    two looks at the route of each message, one to five microseconds.
/// Memory  16 to 24 bytes for a message, so that 2^27 fit.
namespace loads {

namespace s4u = simgrid::s4u;
using bmmc::index_t;

/// The links of a machine and what goes over them in a step.
class links {
 public:
  /// Takes a message that starts then into account.
  void add(s4u::Host const& from, s4u::Host const& to, double bytes, double start) {
    find_route(from, to);
    for (s4u::Link const* each : route_) {
      link& one =
          known_.try_emplace(each, link{each->get_bandwidth(), is_shared(*each)}).first->second;
      one.start = one.bytes > 0 ? std::min(one.start, start) : start;
      one.bytes += bytes;
    }
  }
  /// When such a message has come, all of the step taken into account.
  [[nodiscard]] double arrival(s4u::Host const& from, s4u::Host const& to, double bytes,
                               double start) {
    const double latency = find_route(from, to);
    double last = start;
    for (s4u::Link const* each : route_) {
      link const& one = known_.at(each);
      last = std::max(last, start + bytes / one.bandwidth);
      if (one.is_shared) last = std::max(last, one.start + one.bytes / one.bandwidth);
    }
    return last + latency;
  }
  void clear_loads() {
    for (auto& [pointer, each] : known_) each.bytes = 0;
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
  /// Returns the latency.
  double find_route(s4u::Host const& from, s4u::Host const& to) {
    double latency = 0;
    route_.clear();
    from.route_to(&to, route_, &latency);
    return latency;
  }

  std::unordered_map<s4u::Link const*, link> known_;
  std::vector<s4u::Link*> route_;
};

/// What one process sends, short: the messages of all steps one after the other.
class sends {
 public:
  explicit sends(bmmc::message_schedule const& whole) {
    std::size_t messages = 0;
    for (bmmc::message_step const& each : whole.steps) messages += each.sent.size();
    sent_.reserve(messages);
    for (bmmc::message_step const& each : whole.steps) {
      for (bmmc::message const& one : each.sent) {
        if (one.elements >> 32 != 0)
          throw std::length_error("--loads: a message has less than 2^32 elements; fewer --bytes");
        sent_.push_back(
            {static_cast<std::uint32_t>(one.proc), static_cast<std::uint32_t>(one.elements)});
      }
      if (steps_.empty() || whole.in_flight == 1) steps_.push_back({sent_.size(), 0});
      steps_.back().end = sent_.size();
      steps_.back().copied += each.copied;
    }
  }
  struct message {
    std::uint32_t to, elements;
    [[nodiscard]] double bytes() const { return elements * double{sizeof(double)}; }
  };
  struct step {
    std::span<message const> sent;
    index_t copied = 0;
  };
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  /// Step j, and no messages after the last one. Steps that are under way together are one.
  [[nodiscard]] step operator[](std::size_t j) const {
    if (j >= steps_.size()) return {};
    const std::size_t begin = j == 0 ? 0 : steps_[j - 1].end;
    return {std::span(sent_).subspan(begin, steps_[j].end - begin), steps_[j].copied};
  }

 private:
  struct step_end {
    std::size_t end;
    index_t copied;
  };
  std::vector<message> sent_;
  std::vector<step_end> steps_;
};

/// A clock for each process, seconds.
class processes {
 public:
  processes(std::vector<s4u::Host*> const& hosts, machines::processor const& costs)
      : hosts_(hosts), costs_(costs), clocks_(hosts.size()) {}

  /// Everybody carries out step j.
  void run(std::vector<sends> const& all, std::size_t j) {
    links_.clear_loads();
    for_messages(all, j, [&](index_t k, sends::message const& one, double start) {
      links_.add(*hosts_[k], *hosts_[one.to], one.bytes(), start);
    });
    std::vector<std::vector<double>> arrivals(clocks_.size());
    std::vector<double> delivered(clocks_.size());
    for_messages(all, j, [&](index_t k, sends::message const& one, double start) {
      const double end = links_.arrival(*hosts_[k], *hosts_[one.to], one.bytes(), start);
      arrivals[one.to].push_back(end);
      if (one.bytes() >= double{machines::eager}) delivered[k] = std::max(delivered[k], end);
    });
    for (std::size_t k = 0; k < clocks_.size(); ++k) {
      clocks_[k] = ready(all[k][j], clocks_[k]);
      std::sort(arrivals[k].begin(), arrivals[k].end());
      for (const double end : arrivals[k]) clocks_[k] = std::max(clocks_[k], end) + costs_.overhead;
      clocks_[k] = std::max(clocks_[k], delivered[k]);
    }
  }
  [[nodiscard]] double last() const { return *std::max_element(clocks_.begin(), clocks_.end()); }

 private:
  /// Calls each(from, message, start) for the messages of a step. One starts when it is sent and
  /// expected.
  template <class Each>
  void for_messages(std::vector<sends> const& all, std::size_t j, Each each) const {
    for (index_t k = 0; k < clocks_.size(); ++k) {
      double clock = clocks_[k];
      for (sends::message const& one : all[k][j].sent)
        each(k, one, std::max(clock += costs_.overhead, clocks_[one.to]));
    }
  }
  /// When a process has sent and copied.
  [[nodiscard]] double ready(sends::step const& step, double clock) const {
    return clock + costs_.overhead * static_cast<double>(step.sent.size()) +
           costs_.copied_byte * static_cast<double>(step.copied * sizeof(double));
  }

  std::vector<s4u::Host*> const& hosts_;
  machines::processor costs_;
  std::vector<double> clocks_;
  links links_;
};

/// Seconds until the last process has ended.
template <class ScheduleOf>
double seconds(std::vector<s4u::Host*> const& hosts, machines::processor const& costs,
               ScheduleOf schedule_of) {
  std::vector<sends> all;
  std::size_t steps = 0;
  for (index_t k = 0; k < hosts.size(); ++k)
    steps = std::max(steps, all.emplace_back(schedule_of(k)).steps());
  processes run(hosts, costs);
  for (std::size_t j = 0; j < steps; ++j) run.run(all, j);
  return run.last();
}

}  // namespace loads
