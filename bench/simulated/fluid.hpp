// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/study.hpp>

#include "machines.hpp"

/// Schedules of all processes as actors of SimGrid's S4U: messages share links as fluids do.
/// Cost  grows faster than the number of messages that are under way: minutes for 10^5 on a network
///       that has symmetry, hours on others.
namespace fluid {

namespace s4u = simgrid::s4u;
using bmmc::index_t;

/// One process: starts the messages of its steps and waits for them.
class process {
 public:
  process(bmmc::message_schedule schedule, machines::processor const& costs)
      : schedule_(std::move(schedule)), costs_(costs), steps_(schedule_.steps.size()) {}

  void operator()() {
    const std::size_t count = steps_.size(), depth = schedule_.in_flight;
    for (std::size_t j = 0; j < count + depth; ++j) {
      if (j >= depth) finish(j - depth);
      if (j < count) start(j);
    }
    for (auto const& comm : forgotten_) comm->wait();
  }

 private:
  struct under_way {
    std::vector<s4u::CommPtr> received, sent;
  };
  static s4u::Mailbox* between(index_t from, index_t to) {
    return s4u::Mailbox::by_name(std::to_string(from) + '>' + std::to_string(to));
  }
  void busy(double seconds) const {
    if (seconds > 0) s4u::this_actor::sleep_for(seconds);
  }
  void start(std::size_t j) {
    static int nothing = 0;
    static int* received = nullptr;
    auto const& step = schedule_.steps[j];
    for (bmmc::message const& one : step.received)
      steps_[j].received.push_back(between(one.proc, schedule_.proc)->get_async<int>(&received));
    for (bmmc::message const& one : step.sent) {
      busy(costs_.overhead);
      const auto comm =
          between(schedule_.proc, one.proc)->put_init(&nothing, one.elements * sizeof(double));
      comm->start();
      if (one.elements * sizeof(double) < machines::eager)
        forgotten_.push_back(comm);
      else
        steps_[j].sent.push_back(comm);
    }
    busy(costs_.copied_byte * static_cast<double>(step.copied * sizeof(double)));
  }
  void finish(std::size_t j) {
    auto& due = steps_[j].received;  // in the order in which they come, as MPI_Waitall takes them
    while (!due.empty()) {
      const auto came = std::erase_if(due, [&](s4u::CommPtr const& one) {
        if (!one->test()) return false;
        busy(costs_.overhead);
        return true;
      });
      if (came != 0) continue;
      due.erase(due.begin() + s4u::Comm::wait_any(due));
      busy(costs_.overhead);
    }
    for (auto const& comm : steps_[j].sent) comm->wait();
    steps_[j] = {};
    while (!forgotten_.empty() && forgotten_.front()->test()) forgotten_.pop_front();
  }

  bmmc::message_schedule schedule_;
  machines::processor costs_;
  std::vector<under_way> steps_;
  // Nobody waits for these but in the end. (After detach() SimGrid searches all messages for each.)
  std::deque<s4u::CommPtr> forgotten_;
};

/// Simulated seconds until the last process has ended.
template <class ScheduleOf>
double seconds(std::vector<s4u::Host*> const& hosts, machines::processor const& costs,
               ScheduleOf schedule_of) {
  const double start = s4u::Engine::get_clock();
  std::vector<s4u::ActorPtr> all;
  for (index_t k = 0; k < hosts.size(); ++k)
    all.push_back(s4u::Actor::create("process", hosts[k], process(schedule_of(k), costs)));
  for (auto const& one : all) one->join();
  return s4u::Engine::get_clock() - start;
}

}  // namespace fluid
