// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/index/permutation.hpp>
#include <bmmc/study/wormhole/simulator.hpp>

namespace bmmc::wormhole {

/// The traffic x -> target_of(x) when process x has been placed on processor order(x): the function
/// order . target_of . order^-1.
/// Source  Hou et al. 2001, theorem 2.
template <class F>
[[nodiscard]] auto relocated(F target_of, permutation<> const& order) {
  return [target_of = std::move(target_of), order, back = inverse(order)](index_t processor) {
    return order(target_of(back(processor)));
  };
}

/// How much the processors send: each one whose target is another sends messages of `flits` flits
/// at times whose distances have an exponential distribution, `offered` flits a cycle in the mean.
/// What arrives in `measured` cycles after the first `warm_up` ones is measured.
struct load {
  double offered = 0.1;
  unsigned flits = 20;
  cycle_t warm_up = 5000, measured = 20000;
  std::uint64_t seed = 1;
};

/// What was measured. Rates are flits per cycle and processor, of all 2^n processors.
struct measurement {
  double offered = 0, throughput = 0;  // handed over; delivered
  double latency = 0;                  // mean, in cycles, of the messages delivered
  double queue = 0;                    // the longest at a source when the run ended, in messages
  double share = 0;                    // messages that a source handed over, in the mean

  /// No source is left behind: none has a queue of more than a few messages and 5 % of its share.
  [[nodiscard]] constexpr bool is_sustained() const noexcept { return queue <= 5 + 0.05 * share; }
  friend constexpr bool operator==(measurement const&, measurement const&) = default;
};

/// Times of sending: one exponential clock for each source, all from one generator. They depend on
/// the seed alone, not on the network, so that routings are compared on the same messages.
/// std::exponential_distribution would differ between standard libraries.
class exponential_clocks {
 public:
  exponential_clocks(std::vector<index_t> const& sources, double mean, std::uint64_t seed)
      : mean_(mean), random_(seed) {
    for (const index_t source : sources) next_.emplace(draw(), source);
  }
  /// The next source that sends at `time` or before; false where there is none.
  [[nodiscard]] bool next(double time, index_t& source) {
    if (next_.empty() || next_.top().first > time) return false;
    const auto [at, who] = next_.top();
    next_.pop();
    next_.emplace(at + draw(), who);
    source = who;
    return true;
  }

 private:
  [[nodiscard]] double draw() {
    const double uniform = static_cast<double>(random_() >> 11) * 0x1p-53;  // [0, 1)
    return -mean_ * std::log1p(-uniform);
  }
  using event = std::pair<double, index_t>;

  double mean_;
  std::mt19937_64 random_;
  std::priority_queue<event, std::vector<event>, std::greater<>> next_;
};

/// Runs the traffic x -> target_of(x) on a hypercube of 2^n processors and measures it. A processor
/// that would send to itself sends nothing. The latency counts from the first cycle after a message
/// was made, and with it the time in the queue of its source.
/// Errors  bad_value for an offered load that is not positive; what the simulator throws.
/// Source  Hou et al. 2001, section 6.1.
template <Routing R, class F>
[[nodiscard]] measurement measure(unsigned n, R routing, F target_of, load const& l) {
  if (!(l.offered > 0) || l.flits == 0 || l.measured == 0)
    throw bad_value("a load of " + std::to_string(l.offered) + " flits a cycle, messages of " +
                    std::to_string(l.flits) + ", measured for " + std::to_string(l.measured) +
                    " cycles");
  simulator<R> network(n, routing);
  std::vector<index_t> sources;
  for (index_t x = 0; x < bit(n); ++x)
    if (target_of(x) != x) sources.push_back(x);
  exponential_clocks clocks(sources, l.flits / l.offered, l.seed);

  double made = 0, delivered = 0, latency = 0;
  for (const cycle_t end = l.warm_up + l.measured; network.now() < end;) {
    const bool counts = network.now() >= l.warm_up;
    for (index_t x = 0; clocks.next(static_cast<double>(network.now()), x); made += counts)
      network.send(x, target_of(x), l.flits);
    network.step();
    if (!counts) continue;
    delivered += static_cast<double>(network.delivered().size());
    for (delivery const& d : network.delivered()) latency += static_cast<double>(d.latency());
  }
  std::size_t longest = 0;
  for (const index_t x : sources) longest = std::max(longest, network.queued(x));
  const double rate = l.flits / static_cast<double>(l.measured) / static_cast<double>(bit(n));
  return {made * rate, delivered * rate, latency / std::max(1.0, delivered),
          static_cast<double>(longest), made / std::max(1.0, static_cast<double>(sources.size()))};
}

/// measure(load) for loads that grow by `factor` from `first` on, up to the first that is not
/// sustained, or 1; then the last step is halved `halvings` times, towards the limit. In ascending
/// order of the offered load.
template <class Measure>
[[nodiscard]] std::vector<measurement> sweep(Measure measure, double first, double factor,
                                             unsigned halvings) {
  std::vector<measurement> found;
  double sustained = 0, refused = 0;
  const auto at = [&](double offered) {
    found.push_back(measure(offered));
    (found.back().is_sustained() ? sustained : refused) = offered;
    return found.back().is_sustained();
  };
  double next = first;
  while (at(std::min(next, 1.0)) && next < 1) next *= factor;
  for (unsigned k = 0; k < halvings && refused != 0 && sustained != 0; ++k)
    at((sustained + refused) / 2);
  std::sort(found.begin(), found.end(),
            [](auto const& a, auto const& b) { return a.offered < b.offered; });
  return found;
}

/// The highest throughput that was sustained; 0 where none was.
[[nodiscard]] inline double saturation(std::vector<measurement> const& swept) noexcept {
  double most = 0;
  for (auto const& m : swept)
    if (m.is_sustained()) most = std::max(most, m.throughput);
  return most;
}

/// Cycles until the last of the messages x -> target_of(x), all handed over at once, has arrived.
/// `senders` are all processors in the order in which they hand over, which decides ties; one that
/// would send to itself sends nothing.
template <Routing R, class F>
[[nodiscard]] cycle_t burst(unsigned n, R routing, F target_of, unsigned flits,
                            std::vector<index_t> const& senders) {
  simulator<R> network(n, routing);
  for (const index_t x : senders)
    if (target_of(x) != x) network.send(x, target_of(x), flits);
  cycle_t last = 0;
  while (!network.is_idle()) {
    network.step();
    for (delivery const& done : network.delivered()) last = done.arrived;
  }
  return last;
}

}  // namespace bmmc::wormhole
