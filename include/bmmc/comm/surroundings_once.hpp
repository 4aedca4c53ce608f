// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include <bmmc/comm/surroundings.hpp>

namespace bmmc::comm {

/// The kinds measured last, and the lock on them.
struct known_costs::list {
  struct entry {
    int processes = 0, on_a_node = 0;
    cost_model costs{};
  };
  std::array<entry, 32> all;
  std::mutex mutex;

  static list& of_process() {
    static list known;
    return known;
  }
};

BMMC_ONCE std::optional<cost_model> known_costs::of(int processes, int on_a_node) {
  list& known = list::of_process();
  const std::lock_guard<std::mutex> alone(known.mutex);
  for (list::entry const& each : known.all)
    if (each.processes == processes && each.on_a_node == on_a_node) return each.costs;
  return std::nullopt;
}

BMMC_ONCE void known_costs::add(int processes, int on_a_node, cost_model const& costs) {
  list& known = list::of_process();
  const std::lock_guard<std::mutex> alone(known.mutex);
  list::entry next{processes, on_a_node, costs};
  for (list::entry& each : known.all) {  // what was first becomes second, and so on
    std::swap(each, next);
    if (next.processes == processes && next.on_a_node == on_a_node) return;
  }
}

BMMC_ONCE std::shared_ptr<surroundings const> surroundings::of(communicator const& c) {
  auto& known = c.surroundings();
  if (!known) {
    std::shared_ptr<surroundings> made;
    objection against;
    against.attempt("no memory to measure what messages cost",
                    [&] { made = std::make_shared<surroundings>(); });
    agree(c, against);
    made->node_ = node::agreed(c);
    made->all_ = made->node_->processes() == c.size() ? made->node_ : node::of_all(c);
    known = std::move(made);
  }
  return std::static_pointer_cast<surroundings const>(known);
}

BMMC_ONCE std::shared_ptr<node const> surroundings::node_of(communicator const& c, int processes) {
  return processes <= 0 ? of(c)->node() : node::agreed(c, processes);
}

BMMC_ONCE surroundings::surroundings() { trials_.reserve(most_trials); }

BMMC_ONCE cost_model const& surroundings::costs(communicator const& c) const {
  if (costs_) return *costs_;
  const auto known = known_costs::of(c.size(), node_->processes());
  auto figures = known.value_or(cost_model{.message = never});
  take_slowest(c, figures);
  if (figures.message >= never) {
    figures = measured(c);
    take_slowest(c, figures);
    known_costs::add(c.size(), node_->processes(), figures);
  }
  costs_ = figures;
  return *costs_;
}

BMMC_ONCE std::optional<unsigned> surroundings::fastest(std::uint64_t key) const noexcept {
  for (auto const& [known, way] : trials_)
    if (known == key) return way;
  return std::nullopt;
}

BMMC_ONCE void surroundings::remember(std::uint64_t key, unsigned way) const {
  if (trials_.size() == most_trials) trials_.erase(trials_.begin());
  trials_.emplace_back(key, way);
}

double surroundings::seconds(auto const& work) {
  double least = 0;
  for (int k = 0; k <= repetitions; ++k) {
    const double start = MPI_Wtime();
    work();
    const double time = MPI_Wtime() - start;
    least = k <= 1 ? time : std::min(least, time);
  }
  return least;
}

BMMC_ONCE void surroundings::take_slowest(communicator const& c, cost_model& m) {
  check(MPI_Allreduce(MPI_IN_PLACE, &m, sizeof m / sizeof(double), MPI_DOUBLE, MPI_MAX, c.handle()),
        "MPI_Allreduce");
}

BMMC_ONCE cost_model surroundings::measured(communicator const& c) const {
  const int partner = c.rank() ^ std::max(1, c.size() / 2);
  std::vector<char> from, to;
  objection against;
  against.attempt("no memory to measure what messages cost", [&] {
    from.resize(2 * probe_bytes);
    to.resize(2 * probe_bytes);
  });
  agree(c, against);
  cost_model m;
  m.copied_byte = seconds([&] { std::memcpy(to.data(), from.data(), to.size()); }) /
                  static_cast<double>(to.size());
  m.barrier = seconds([&] { MPI_Barrier(node_->handle()); });
  if (partner < c.size()) {
    const auto send = [&](int bytes) {
      MPI_Sendrecv(from.data(), bytes, MPI_BYTE, partner, 0, to.data(), bytes, MPI_BYTE, partner, 0,
                   c.handle(), MPI_STATUS_IGNORE);
    };
    const auto replace = [&] {
      MPI_Sendrecv_replace(from.data(), probe_bytes, MPI_BYTE, partner, 0, partner, 0, c.handle(),
                           MPI_STATUS_IGNORE);
    };
    m.message = seconds([&] { send(1); });
    m.message_together = seconds([&] { send_together(c, partner, from, to); }) / together;
    m.message_byte = std::max(0.0, seconds([&] { send(probe_bytes); }) - m.message) / probe_bytes;
    m.replaced_byte = std::max(0.0, seconds(replace) - m.message) / probe_bytes;
  }
  const double start = MPI_Wtime();
  try {
    const window w = agreed_window(c, node_, probe_bytes);
    m.window = MPI_Wtime() - start;
    std::memset(w.part(), 1, probe_bytes);
    m.window_byte = (MPI_Wtime() - start - m.window) / probe_bytes;
  } catch (bad_value const&) {
    m.window = never;
  }
  return m;
}

BMMC_ONCE void surroundings::send_together(communicator const& c, int partner,
                                           std::vector<char>& from, std::vector<char>& to) {
  std::array<MPI_Request, 2 * together> requests{};
  for (int k = 0; k < together; ++k) {
    MPI_Irecv(&to[static_cast<std::size_t>(k)], 1, MPI_BYTE, partner, 0, c.handle(),
              &requests[2 * static_cast<std::size_t>(k)]);
    MPI_Isend(&from[static_cast<std::size_t>(k)], 1, MPI_BYTE, partner, 0, c.handle(),
              &requests[2 * static_cast<std::size_t>(k) + 1]);
  }
  MPI_Waitall(2 * together, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace bmmc::comm
