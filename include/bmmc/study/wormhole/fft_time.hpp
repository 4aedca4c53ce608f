// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <tuple>
#include <vector>

#include <bmmc/index/catalogue/bits.hpp>
#include <bmmc/index/permutation.hpp>
#include <bmmc/study/wormhole/simulator.hpp>
#include <bmmc/study/wormhole/traffic.hpp>

namespace bmmc::wormhole {

/// What a hypercube computer takes, in microseconds; those of an nCUBE 2 unless set otherwise.
/// Source  Hou et al. 2001, section 6.2.
struct machine_costs {
  double message = 164;          // software, for each message
  double byte = 0.57;            // one byte through one channel: a cycle
  double butterfly = 5.12;       // both outputs
  double half_butterfly = 4.47;  // one of them
  unsigned element_bytes = 16;   // a complex number of doubles
};

/// A fast Fourier transform of 2^(n+2d) points on 2^n processors: the points whose index has its
/// bits d to d+n-1 equal to x live on process x. After a bit reversal between the processes, stages
/// of butterflies: d inside the processes, n with a neighbour each, d inside. n is 1 to 16, d at
/// most 13.
struct parallel_fft {
  unsigned n = 8, d = 0;
  machine_costs costs{};

  /// Elements of a process: 2^2d.
  [[nodiscard]] constexpr unsigned elements() const noexcept { return 1U << (2 * d); }
  /// A header and one flit for each byte.
  [[nodiscard]] constexpr unsigned flits() const noexcept {
    return 1 + elements() * costs.element_bytes;
  }
  /// d stages inside a process.
  [[nodiscard]] constexpr double inner() const noexcept {
    return d * (elements() / 2) * costs.butterfly;
  }
  /// The work of a stage whose inputs come from two processes.
  [[nodiscard]] constexpr double outer() const noexcept {
    return elements() * costs.half_butterfly;
  }
  [[nodiscard]] constexpr double computation() const noexcept { return 2 * inner() + n * outer(); }
  /// The n exchanges with neighbours, when nothing else travels: one hop each.
  [[nodiscard]] constexpr double neighbours() const noexcept {
    return n * (costs.message + costs.byte * (2 + flits()));
  }
};

/// Microseconds of the bit reversal alone, all processes starting together, process x placed on
/// processor order(x).
template <Routing R>
[[nodiscard]] double reversal_time(parallel_fft const& fft, R routing, permutation<> const& order) {
  std::vector<index_t> senders(bit(fft.n));
  std::iota(senders.begin(), senders.end(), index_t{0});
  const auto cycles =
      burst(fft.n, routing, relocated(bit_reversal(fft.n), order), fft.flits(), senders);
  return fft.costs.message + fft.costs.byte * static_cast<double>(cycles);
}

namespace detail {
/// One run of the program; time() is called once.
template <Routing R>
class fft_run {
 public:
  fft_run(parallel_fft const& fft, R routing, permutation<> const& order)
      : fft_(fft), order_(order), network_(fft.n, routing), processes_(bit(fft.n)) {}

  /// Microseconds until the last process has finished.
  [[nodiscard]] double time() {
    for (index_t x = 0; x < processes_.size(); ++x) {
      processes_[x].arrived.assign(fft_.n + 1, -1);
      if (partner(x, 0) == x) processes_[x].arrived[0] = 0;
      hand_over(x, partner(x, 0) == x ? 0 : fft_.costs.message);
    }
    while (!sends_.empty() || !network_.is_idle()) {
      if (network_.is_idle()) network_.sleep(cycle_of(std::get<0>(sends_.top())));
      for (; !sends_.empty() && cycle_of(std::get<0>(sends_.top())) <= network_.now(); sends_.pop())
        send(sends_.top());
      network_.step();
      for (delivery const& done : network_.delivered()) receive(done);
    }
    return finished_;
  }

 private:
  struct process {
    unsigned stage = 0;           // 0 the bit reversal, k the exchange of bit k - 1
    double handed_over = 0;       // when its message of this stage was
    std::vector<double> arrived;  // when each stage's partner's message was here; -1 not yet
  };
  using event = std::tuple<double, index_t, unsigned>;  // when, process, stage

  [[nodiscard]] index_t partner(index_t x, unsigned stage) const {
    return stage == 0 ? reversal_(x) : x ^ bit(stage - 1);
  }
  [[nodiscard]] cycle_t cycle_of(double time) const {
    return static_cast<cycle_t>(std::ceil(time / fft_.costs.byte));
  }
  /// Process x hands its message over at `time`, and goes on as far as it can.
  void hand_over(index_t x, double time) {
    process& p = processes_[x];
    p.handed_over = time;
    if (partner(x, p.stage) != x) sends_.emplace(time, x, p.stage);
    if (p.arrived[p.stage] >= 0) go_on(x);
  }
  void send(event const& e) {
    const auto [time, x, stage] = e;
    network_.send(order_(x), order_(partner(x, stage)), fft_.flits());
    letters_.push_back(e);
  }
  void receive(delivery const& done) {
    const auto [time, x, stage] = letters_[done.message];
    const index_t y = partner(x, stage);
    processes_[y].arrived[stage] = time + fft_.costs.byte * static_cast<double>(done.latency());
    if (processes_[y].stage == stage) go_on(y);
  }
  /// Both messages of the stage are through: the work, then the next stage.
  void go_on(index_t x) {
    process& p = processes_[x];
    double time = std::max(p.handed_over, p.arrived[p.stage]);
    time += p.stage == 0 ? fft_.inner() : fft_.outer();
    if (p.stage++ == fft_.n)
      finished_ = std::max(finished_, time + fft_.inner());
    else
      hand_over(x, time + fft_.costs.message);
  }

  parallel_fft fft_;
  permutation<> order_, reversal_ = bit_reversal(fft_.n);
  simulator<R> network_;
  std::vector<process> processes_;
  std::priority_queue<event, std::vector<event>, std::greater<>> sends_;
  std::vector<event> letters_;  // by the number of the message
  double finished_ = 0;
};
}  // namespace detail

/// Microseconds of the whole program on the simulated network, process x placed on processor
/// order(x), without any barrier: a process goes on when its own message of a stage has been
/// handed over and its partner's has arrived. Messages enter the network at the next full cycle;
/// their time counts from when they were handed over.
/// Source  Hou et al. 2001, section 6.2 (algorithm Parallel_FFT).
template <Routing R>
[[nodiscard]] double fft_time(parallel_fft const& fft, R routing, permutation<> const& order) {
  return detail::fft_run<R>(fft, routing, order).time();
}

}  // namespace bmmc::wormhole
