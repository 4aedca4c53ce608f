// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/study/contention.hpp>
#include <bmmc/study/cube/mapping_set.hpp>
#include <bmmc/study/topology/hypercube.hpp>

namespace bmmc::network {

/// Where processes stand, and what the channels carry then.
struct placed {
  std::vector<index_t> node_of;  // process k stands on node node_of[k]
  channel_loads loads;
};

/// How long to search. The same seed gives the same result on every machine: all is done with
/// whole numbers.
struct annealing {
  std::uint64_t seed = 1;
  index_t swaps = 100'000;
};

namespace detail {

/// Two processes change places, again and again. The energy is the sum of fourth powers of the
/// sizes that channels carry, so that the fullest ones count most; a swap that raises it by d at
/// temperature t is kept with probability 2^-ceil(d / t).
/// Source  Kirkpatrick, Gelatt, Vecchi, Science 220, 1983.
template <Network N>
class annealer {
 public:
  annealer(N const& net, traffic const& all, std::vector<index_t> start)
      : net_(net), messages_(all), node_of_(std::move(start)), touching_(node_of_.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      touching_[all[i].source].push_back(i);
      if (all[i].target != all[i].source) touching_[all[i].target].push_back(i);
    }
    // sizes of 10 bits, so that fourth powers have 40
    const index_t most = count_loads(net, all, node_of_).most().size;
    while (most >> shift_ >= bit(10)) ++shift_;
    size_.resize(net.channels());
    for (message const& m : all) route(m, true);
  }

  std::vector<index_t> run(annealing const& how) {
    std::mt19937_64 random(how.seed);
    auto best = node_of_;
    auto least = energy_;
    const std::uint64_t hottest = typical_change(random);
    for (index_t k = 0; k < how.swaps && node_of_.size() > 1; ++k) {
      const index_t left = how.swaps - k;
      const std::uint64_t temperature =
          (hottest / how.swaps * left + hottest % how.swaps * left / how.swaps) / 32 + 1;
      const auto [a, b] = pair(random);
      const auto before = energy_;
      swap(a, b);
      const auto bound = temperature * static_cast<std::uint64_t>(std::countl_zero(random()));
      if (energy_ > before && energy_ - before > bound)
        swap(a, b);
      else if (energy_ < least)
        least = energy_, best = node_of_;
    }
    return best;
  }

 private:
  std::pair<index_t, index_t> pair(std::mt19937_64& random) const {
    const index_t nodes = node_of_.size(), a = random() % nodes;
    return {a, (a + 1 + random() % (nodes - 1)) % nodes};
  }
  /// Mean change of the energy by a swap.
  std::uint64_t typical_change(std::mt19937_64& random) {
    constexpr unsigned tries = 64;
    std::uint64_t sum = 0;
    for (unsigned k = 0; k < tries && node_of_.size() > 1; ++k) {
      const auto [a, b] = pair(random);
      const auto before = energy_;
      swap(a, b);
      sum += (energy_ > before ? energy_ - before : before - energy_) / tries;
      swap(a, b);
    }
    return sum;
  }

  void swap(index_t a, index_t b) {
    each_touching(a, b, false);
    std::swap(node_of_[a], node_of_[b]);
    each_touching(a, b, true);
  }
  void each_touching(index_t a, index_t b, bool add) {
    for (const std::size_t i : touching_[a]) route(messages_[i], add);
    for (const std::size_t i : touching_[b])
      if (messages_[i].source != a && messages_[i].target != a) route(messages_[i], add);
  }
  void route(message const& m, bool add) {
    net_.route(node_of_[m.source], node_of_[m.target], [&](index_t channel) {
      index_t& size = size_[channel];
      energy_ -= fourth_power(size);
      size = add ? size + m.size : size - m.size;
      energy_ += fourth_power(size);
    });
  }
  [[nodiscard]] std::uint64_t fourth_power(index_t size) const noexcept {
    const std::uint64_t square = (size >> shift_) * (size >> shift_);
    return square * square;
  }

  N const& net_;
  traffic const& messages_;
  std::vector<index_t> node_of_;
  std::vector<std::vector<std::size_t>> touching_;  // messages of each process
  std::vector<index_t> size_;                       // of each channel
  unsigned shift_ = 0;
  std::uint64_t energy_ = 0;
};

}  // namespace detail

/// Looks for places of the processes that lower the size on the fullest channel of any network, by
/// annealing from `start`, which is kept where nothing better is found. No bound on the result is
/// known.
/// Cost    for each swap the routes of the messages of two processes, twice.
/// Errors  bad_value unless start gives each process a node of its own, and messages are theirs.
template <Network N>
[[nodiscard]] placed place(N const& net, traffic const& all, annealing const& how,
                           std::vector<index_t> start) {
  auto before = count_loads(net, all, start);
  auto node_of = detail::annealer<N>(net, all, start).run(how);
  auto loads = count_loads(net, all, node_of);
  if (before.most().size < loads.most().size) return {std::move(start), std::move(before)};
  return {std::move(node_of), std::move(loads)};
}
/// The same from process k on node k.
template <Network N>
[[nodiscard]] placed place(N const& net, traffic const& all, annealing const& how = {}) {
  return place(net, all, how, in_place(net.nodes()));
}

/// The best reordering of the dimensions of a hypercube for a plan whose messages all travel at
/// once: exact, by dynamic programming. For steps that follow one another one order makes each
/// free of contention: cube::find_mapping(cube::step(p, 0)).
/// Errors  bad_value where the plan has another number of processes, or over 2^20.
[[nodiscard]] inline placed place(hypercube const& net, plan const& p) {
  if (net.nodes() != p.procs())
    throw bad_value("a plan for " + std::to_string(p.procs()) + " processes has no place on " +
                    std::to_string(net.nodes()) + " nodes");
  const auto all = cube::all_steps(p);
  auto node_of = in_place(cube::find_mapping(std::span(&all, 1)).q);
  auto loads = count_loads(net, traffic_of(p), node_of);
  return {std::move(node_of), std::move(loads)};
}

}  // namespace bmmc::network
