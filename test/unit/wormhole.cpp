// SPDX-License-Identifier: BSL-1.0

// The wormhole simulator: cases counted by hand, a simulator that moves every flit by itself, the
// rules of arbitration and of each routing by trying all pairs, and the figures of Hou et al.

#include <algorithm>
#include <array>
#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/flits.hpp"
#include "support/throws.hpp"

namespace {

namespace wormhole = bmmc::wormhole;
using bmmc::index_t;
using bmmc::permutation;
using wormhole::ascending_falls;
using wormhole::e_cube;
using wormhole::p_cube;
using wormhole::simulator;

unsigned ones(unsigned x) { return x == 0 ? 0 : x % 2 + ones(x / 2); }
bool has(unsigned x, unsigned d) { return (x >> d) % 2 == 1; }

/// The routings once more, by their definitions, as lists of dimensions.
oracle::flit_network::set plain_e_cube(unsigned at, unsigned target) {
  for (unsigned d = 0;; ++d)
    if (has(at, d) != has(target, d)) return {d};
}
oracle::flit_network::set plain_p_cube(unsigned at, unsigned target) {
  oracle::flit_network::set falling, rising;
  for (unsigned d = 0; d < 16; ++d) {
    if (has(at, d) && !has(target, d)) falling.push_back(d);
    if (!has(at, d) && has(target, d)) rising.push_back(d);
  }
  return falling.empty() ? rising : falling;
}
/// A dimension is refused when a lower one must fall later.
oracle::flit_network::set plain_ascending_falls(unsigned at, unsigned target) {
  oracle::flit_network::set found;
  for (unsigned d = 0; d < 16; ++d) {
    if (has(at, d) != has(target, d)) found.push_back(d);
    if (has(at, d) && !has(target, d)) return found;
  }
  return found;
}
/// Without any rule: shortest routes, which may wait for each other in a circle.
struct lawless {
  index_t permitted(index_t at, index_t target) const noexcept { return at ^ target; }
};
/// Around the square 0, 1, 3, 2 where both low bits are wrong.
struct clockwise {
  index_t permitted(index_t at, index_t target) const noexcept {
    const index_t wrong = at ^ target;
    if ((wrong & 3) != 3) return wormhole::lowest_of(wrong);
    return (at & 3) == 0 || (at & 3) == 3 ? 1 : 2;
  }
};
struct lost {
  index_t permitted(index_t, index_t) const noexcept { return 0; }
};
struct astray {
  index_t permitted(index_t at, index_t target) const noexcept { return at & target; }
};

/// Latencies of messages {cycle, source, target, flits}, in this order.
struct job {
  wormhole::cycle_t when;
  index_t source, target;
  unsigned flits;
};
template <class R>
std::vector<wormhole::cycle_t> latencies(unsigned n, std::vector<job> const& jobs) {
  simulator<R> network(n);
  std::vector<wormhole::cycle_t> found(jobs.size());
  std::size_t next = 0;
  while (next < jobs.size() || !network.is_idle()) {
    for (; next < jobs.size() && jobs[next].when <= network.now(); ++next)
      network.send(jobs[next].source, jobs[next].target, jobs[next].flits);
    network.step();
    for (auto const& d : network.delivered()) found[d.message] = d.latency();
  }
  return found;
}

/// The most e-cube paths of x -> f(x) over one channel, by walking them all.
template <class F>
unsigned most_paths(unsigned n, F f) {
  std::map<std::pair<unsigned, unsigned>, unsigned> paths;
  unsigned most = 0;
  for (unsigned x = 0; x < 1U << n; ++x)
    for (unsigned at = x, y = static_cast<unsigned>(f(x)); at != y;) {
      const unsigned d = plain_e_cube(at, y)[0];
      most = std::max(most, ++paths[{at, d}]);
      at ^= 1U << d;
    }
  return most;
}

/// x' = Q x with a 1 in row k, column order[k], as the paper writes orders.
permutation<> reordering(std::array<unsigned, 8> const& order) {
  std::array<unsigned, 8> target_of{};
  for (unsigned k = 0; k < 8; ++k) target_of[order[k]] = k;
  return bmmc::bit_permutation(target_of);
}
const permutation<> in_place = bmmc::identity_permutation(8);
const permutation<> transpose = bmmc::transpose(4, 4), reversal = bmmc::bit_reversal(8);
const permutation<> reverse_flip(bmmc::bit_reversal(8).matrix(), 255);
const auto for_transpose = reordering({0, 4, 2, 6, 1, 5, 3, 7});  // example 4
const auto for_reversal = reordering({0, 7, 1, 6, 2, 5, 3, 4});
const auto for_all = reordering({3, 4, 0, 7, 2, 5, 1, 6});  // example 6

}  // namespace

TEST_CASE("wormhole: a message alone takes hops + 1 + flits cycles", "[wormhole]") {
  for (unsigned n : {1U, 4U, 6U})
    for (index_t target = 0; target < bmmc::bit(n); ++target)
      for (unsigned flits : {1U, 2U, 3U, 20U, 300U}) {
        const index_t source = target / 3;
        const auto alone = ones(static_cast<unsigned>(source ^ target)) + 1 + flits;
        CHECK(latencies<e_cube>(n, {{0, source, target, flits}})[0] == alone);
        CHECK(latencies<p_cube>(n, {{7, source, target, flits}})[0] == alone);
        CHECK(latencies<ascending_falls>(n, {{1, source, target, flits}})[0] == alone);
      }
}

TEST_CASE("wormhole: messages that contend, by hand", "[wormhole]") {
  // 0 -> 2 takes channel 0 -> 2 in cycle 1, gives it back in cycle f + 1. 1 -> 2 has come to router
  // 0 in cycle 1, takes the channel in cycle f + 2 and the one to the processor in cycle f + 3; f -
  // 1 flits follow, and the last one is there at 2 f + 3.
  for (unsigned f : {1U, 2U, 20U}) {
    const auto both = latencies<e_cube>(2, {{0, 0, 2, f}, {0, 1, 2, f}});
    CHECK(both == std::vector<wormhole::cycle_t>{f + 2, 2 * f + 3});
  }
  // A processor sends its messages one by one, f + 1 cycles apart.
  CHECK(latencies<e_cube>(3, {{0, 5, 6, 10}, {0, 5, 4, 10}, {3, 5, 5, 1}}) ==
        std::vector<wormhole::cycle_t>{13, 11 + 12, 22 - 3 + 2});
}

TEST_CASE("wormhole: who comes to the router first goes first", "[wormhole]") {
  // 1 -> 8, 2 -> 8 and 4 -> 8 meet at router 0 for its channel of dimension 3: alone 13 cycles.
  const std::vector<index_t> sources{1, 2, 4};
  std::vector<unsigned> order{0, 1, 2};
  do {
    std::vector<job> jobs;
    for (unsigned k = 0; k < 3; ++k) jobs.push_back({k, sources[order[k]], 8, 10});
    CHECK(latencies<e_cube>(4, jobs) == std::vector<wormhole::cycle_t>{13, 24 - 1, 35 - 2});
  } while (std::next_permutation(order.begin(), order.end()));
  // One cycle's arrivals keep the order of handing over.
  CHECK(latencies<e_cube>(4, {{0, 4, 8, 10}, {0, 1, 8, 10}, {0, 2, 8, 10}}) ==
        std::vector<wormhole::cycle_t>{13, 24, 35});
}

TEST_CASE("wormhole: a header takes the lowest dimension that is free", "[wormhole]") {
  // 4 -> 1 goes through router 0 and holds its channel of dimension 0 from cycle 2 on. 0 -> 3 takes
  // that one when it is earlier, else turns aside into dimension 1.
  for (const wormhole::cycle_t when : {0U, 2U}) {
    simulator<p_cube> network(3);
    std::vector<std::uint32_t> path;
    for (wormhole::cycle_t cycle = 0; cycle < 8; ++cycle) {
      if (cycle == 0) network.send(4, 1, 30);
      if (cycle == when) network.send(0, 3, 30);
      network.step();
      network.for_each_worm([&](wormhole::worm const& w) {
        if (w.about.message == 1) path.assign(w.path.begin(), w.path.begin() + w.channels);
      });
    }
    const unsigned first = when == 0 ? 0 : 1;
    CHECK(path == std::vector<std::uint32_t>{network.channel(0, 4), network.channel(0, first),
                                             network.channel(1U << first, 1 - first),
                                             network.channel(3, 3)});
  }
}

TEMPLATE_TEST_CASE("wormhole: equal to a simulator that moves each flit", "[wormhole]", e_cube,
                   p_cube, ascending_falls) {
  const oracle::flit_network::rule rule = std::is_same_v<TestType, e_cube> ? plain_e_cube
                                          : std::is_same_v<TestType, p_cube>
                                              ? plain_p_cube
                                              : plain_ascending_falls;
#ifdef BMMC_TEST_FEWER
  const unsigned rounds = 4;
#else
  const unsigned rounds = 40;
#endif
  for (unsigned round = 0; round < rounds; ++round) {
    std::mt19937_64 random(round);
    const unsigned n = 1 + round % 5, nodes = 1U << n;
    const unsigned longest = 1 + static_cast<unsigned>(random() % 9), rate = 2 + round % 7;
    simulator<TestType> network(n);
    oracle::flit_network flits(n, rule);
    std::size_t sent = 0, arrived = 0;
    bool same = true, exclusive = true;
    for (unsigned cycle = 0; cycle < 300 || !network.is_idle(); ++cycle) {
      for (unsigned x = 0; x < nodes && cycle < 300; ++x) {
        if (random() % (4 * longest) >= rate) continue;
        const auto target = static_cast<unsigned>(random() % nodes);
        const auto length = 1 + static_cast<unsigned>(random() % longest);
        same &= network.send(x, target, length) == flits.send(x, target, length);
        ++sent;
      }
      network.step();
      flits.step();
      std::vector<oracle::flit_network::arrival> here;
      for (auto const& d : network.delivered()) here.push_back({d.message, d.arrived});
      auto there = flits.arrived();
      std::sort(here.begin(), here.end(), [](auto a, auto b) { return a.message < b.message; });
      std::sort(there.begin(), there.end(), [](auto a, auto b) { return a.message < b.message; });
      same &= here == there;
      arrived += here.size();
      // Every flit of every message in its buffer, by the description of a worm.
      std::vector<oracle::flit_network::buffer> buffers(flits.buffers().size());
      network.for_each_worm([&](wormhole::worm const& w) {
        for (unsigned k = 0; k < w.flits && k < w.shifts; ++k) {
          if (w.shifts - 1 - k >= w.channels) continue;  // at its target
          auto& buffer = buffers[w.path[w.shifts - 1 - k]];
          exclusive &= buffer.owner < 0;
          buffer = {static_cast<int>(w.about.message), static_cast<int>(k)};
        }
      });
      for (std::size_t c = 0; c < buffers.size(); ++c)
        same &= buffers[c].flit == flits.buffers()[c].flit &&
                (buffers[c].flit < 0 || buffers[c] == flits.buffers()[c]);
    }
    CAPTURE(round, n, longest, sent);
    CHECK(same);
    CHECK(exclusive);
    CHECK(arrived == sent);
    CHECK(sent > 0);
  }
}

TEST_CASE("wormhole: every message arrives once, at its target, in the order of its pair",
          "[wormhole]") {
  for (unsigned seed : {1U, 2U, 3U}) {
    std::mt19937_64 random(seed);
    simulator<e_cube> network(6);
    std::vector<std::pair<index_t, index_t>> ends;
    std::vector<unsigned> times_seen;
    std::map<std::pair<index_t, index_t>, std::uint64_t> last;
    bool right = true;
    for (unsigned cycle = 0; cycle < 2000 || !network.is_idle(); ++cycle) {
      if (cycle < 2000 && random() % 4 != 0) {
        ends.emplace_back(random() % 64, random() % 8);
        right &= network.send(ends.back().first, ends.back().second,
                              1 + static_cast<unsigned>(random() % 30)) +
                     1 ==
                 ends.size();
      }
      network.step();
      times_seen.resize(ends.size());
      for (auto const& d : network.delivered()) {
        const auto pair = std::pair(d.source, d.target);
        right &= ends[d.message] == pair && ++times_seen[d.message] == 1;
        right &= last.find(pair) == last.end() || last[pair] < d.message;
        last[pair] = d.message;
      }
    }
    CHECK(right);
    CHECK(std::count(times_seen.begin(), times_seen.end(), 1U) ==
          static_cast<std::ptrdiff_t>(ends.size()));
  }
}

namespace {

unsigned factorial(unsigned k) { return k < 2 ? 1 : k * factorial(k - 1); }

/// The routes that a routing allows from x to y; 0 where one ends before y or leads away.
template <class R>
unsigned routes(R const& routing, unsigned x, unsigned y) {
  if (x == y) return 1;
  const index_t permitted = routing.permitted(x, y);
  unsigned count = 0;
  for (unsigned d = 0; d < 16; ++d)
    if (has(static_cast<unsigned>(permitted), d)) {
      if (has(x, d) == has(y, d)) return 0;
      const unsigned rest = routes(routing, x ^ (1U << d), y);
      if (rest == 0) return 0;
      count += rest;
    }
  return count;
}
/// Orders of the dimensions in which x and y differ in which no bit falls after a higher dimension.
unsigned lawful_orders(unsigned x, unsigned y) {
  std::vector<unsigned> dimensions;
  for (unsigned d = 0; d < 16; ++d)
    if (has(x, d) != has(y, d)) dimensions.push_back(d);
  unsigned count = 0;
  do {
    bool lawful = true;
    for (std::size_t k = 0; k < dimensions.size(); ++k)
      for (std::size_t before = 0; before < k; ++before)
        lawful &= !(has(x, dimensions[k]) && dimensions[before] > dimensions[k]);
    count += lawful;
  } while (std::next_permutation(dimensions.begin(), dimensions.end()));
  return count;
}

/// A route from x to y leaves out the channel by which dimension d leaves `router`.
template <class R>
bool can_avoid(R const& routing, unsigned x, unsigned y, unsigned router, unsigned d) {
  if (x == y) return true;
  for (unsigned e = 0; e < 16; ++e)
    if (has(static_cast<unsigned>(routing.permitted(x, y)), e) && !(x == router && e == d) &&
        can_avoid(routing, x ^ (1U << e), y, router, d))
      return true;
  return false;
}

/// Some messages on a hypercube of 2^n could wait for each other in a circle.
template <class R>
bool has_circle(R const& routing, unsigned n) {
  const unsigned nodes = 1U << n;
  std::map<unsigned, std::set<unsigned>> waits;  // channel -> channels that its holder may want
  for (unsigned x = 0; x < nodes; ++x)
    for (unsigned y = 0; y < nodes; ++y) {
      std::set<unsigned> seen, open{x};
      while (!open.empty()) {
        const unsigned at = *open.begin();
        open.erase(open.begin());
        if (at == y || !seen.insert(at).second) continue;
        const auto permitted = static_cast<unsigned>(routing.permitted(at, y));
        for (unsigned d = 0; d < n; ++d)
          if (has(permitted, d)) {
            const unsigned next = at ^ (1U << d);
            open.insert(next);
            auto& wanted = waits[at * n + d];
            if (next == y) continue;
            for (unsigned e = 0; e < n; ++e)
              if (has(static_cast<unsigned>(routing.permitted(next, y)), e))
                wanted.insert(next * n + e);
          }
      }
    }
  for (bool removed = true; removed;) {  // channels that wait for none, and so on
    removed = false;
    for (auto channel = waits.begin(); channel != waits.end();)
      if (channel->second.empty()) {
        for (auto& [other, wanted] : waits) wanted.erase(channel->first);
        channel = waits.erase(channel);
        removed = true;
      } else {
        ++channel;
      }
  }
  return !waits.empty();
}

}  // namespace

TEST_CASE("wormhole: each routing allows what its definition says", "[wormhole]") {
  for (unsigned x = 0; x < 64; ++x)
    for (unsigned y = 0; y < 64; ++y) {
      CHECK(routes(e_cube{}, x, y) == 1);
      CHECK(routes(p_cube{}, x, y) == factorial(ones(x & ~y)) * factorial(ones(y & ~x)));
      CHECK(routes(ascending_falls{}, x, y) == lawful_orders(x, y));
      CHECK(routes(lawless{}, x, y) == factorial(ones(x ^ y)));
    }
  for (unsigned x = 0; x < 256; ++x)
    for (unsigned y = 0; y < 256; ++y) {
      if (x == y) continue;
      const auto mask = [](oracle::flit_network::set const& dimensions) {
        unsigned set = 0;
        for (const unsigned d : dimensions) set += 1U << d;
        return set;
      };
      CHECK(e_cube{}.permitted(x, y) == mask(plain_e_cube(x, y)));
      CHECK(p_cube{}.permitted(x, y) == mask(plain_p_cube(x, y)));
      CHECK(ascending_falls{}.permitted(x, y) == mask(plain_ascending_falls(x, y)));
    }
}

TEST_CASE("wormhole: no routing can close a circle, but shortest routes without a rule can",
          "[wormhole]") {
  for (unsigned n : {2U, 3U, 4U, 5U}) {
    CHECK(!has_circle(e_cube{}, n));
    CHECK(!has_circle(p_cube{}, n));
    CHECK(!has_circle(ascending_falls{}, n));
    CHECK(has_circle(lawless{}, n));
    CHECK(has_circle(clockwise{}, n));
  }
}

TEST_CASE("wormhole: a deadlock is reported, not waited for", "[wormhole]") {
  simulator<clockwise> square(2);
  for (const index_t x : {0U, 1U, 3U, 2U}) square.send(x, x ^ 3, 5);
  CHECK_COMPLAINS(
      wormhole::deadlock,
      [&] {
        while (true) square.step();
      }(),
      "4 messages", "cycle 3");

  // The same square while others travel on: found all the same.
  simulator<clockwise> busy(3);
  for (const index_t x : {0U, 1U, 3U, 2U}) busy.send(x, x ^ 3, 5);
  CHECK_COMPLAINS(
      wormhole::deadlock,
      [&] {
        while (busy.now() < 2000) {
          busy.send(4, 5, 3);
          busy.step();
        }
      }(),
      "4 messages", "cycle 1024");

  // Three of the four close no circle.
  simulator<clockwise> three(2);
  for (const index_t x : {0U, 1U, 3U}) three.send(x, x ^ 3, 5);
  while (!three.is_idle()) three.step();
  CHECK(three.travelling() == 0);
}

TEST_CASE("wormhole: what cannot be simulated is refused", "[wormhole]") {
  CHECK_COMPLAINS(bmmc::bad_value, simulator<e_cube>(0), "dimensions, not 0");
  CHECK_COMPLAINS(bmmc::bad_value, simulator<e_cube>(17), "1 to 16", "17");
  simulator<e_cube> network(3);
  CHECK_COMPLAINS(bmmc::bad_value, network.send(8, 0, 1), "processor 8 to 0 of 8");
  CHECK_COMPLAINS(bmmc::bad_value, network.send(0, 8, 1), "processor 0 to 8 of 8");
  CHECK_COMPLAINS(bmmc::bad_value, network.send(0, 1, 0), "of 0 flits");
  CHECK_COMPLAINS(bmmc::bad_value, network.send(0, 1, (1U << 31) + 1), "of 2147483649 flits");
  network.send(0, 1, 1);
  CHECK_COMPLAINS(bmmc::bad_value, network.sleep(9), "under way");

  const auto run = [](auto wrong, index_t source, index_t target) {
    wrong.send(source, target, 1);
    for (int k = 0; k < 4; ++k) wrong.step();
  };
  CHECK_COMPLAINS(bmmc::bad_value, run(simulator<lost>(3), 0, 5), "from 0 to 5", "dimensions 0");
  CHECK_COMPLAINS(bmmc::bad_value, run(simulator<astray>(3), 1, 5), "from 1 to 5", "dimensions 1");
  CHECK_COMPLAINS(bmmc::bad_value, wormhole::measure(3, e_cube{}, bmmc::bit_reversal(3), {0}),
                  "0.0");
  CHECK_COMPLAINS(bmmc::bad_value, wormhole::measure(3, e_cube{}, bmmc::bit_reversal(3), {1, 0}),
                  "messages of 0");
}

TEST_CASE("wormhole: a network sleeps only when nothing is under way", "[wormhole]") {
  simulator<e_cube> network(3);
  network.sleep(100);
  CHECK(network.now() == 100);
  network.sleep(50);
  CHECK(network.now() == 100);
  network.send(0, 7, 4);
  CHECK(network.queued() == 1);
  network.step();
  CHECK(network.queued() == 0);
  CHECK(network.travelling() == 1);
  while (network.delivered().empty()) network.step();
  CHECK(network.delivered()[0] == wormhole::delivery{0, 0, 7, 100, 108});
}

TEST_CASE("wormhole: exponential clocks", "[wormhole]") {
  // Fixed by the seed: the first draw of a generator is known.
  std::mt19937_64 random(5);
  const double first = -40 * std::log(1 - static_cast<double>(random() >> 11) / 9007199254740992.0);
  wormhole::exponential_clocks one({3}, 40, 5);
  index_t who = 0;
  CHECK(!one.next(first - 1e-6, who));
  CHECK((one.next(first + 1e-6, who) && who == 3));

  // Mean and variance of what is drawn, and no source is forgotten.
  wormhole::exponential_clocks clocks({0, 1, 2, 3}, 40, 1);
  std::array<double, 4> last{};
  double sum = 0, squares = 0, count = 0;
  for (double time = 0; time < 1e6; time += 0.125)
    for (index_t x = 0; clocks.next(time, x); last[x] = time) {
      sum += time - last[x];
      squares += (time - last[x]) * (time - last[x]);
      ++count;
    }
  for (const double time : last) CHECK(time > 0.99e6);
  CHECK(sum / count == Approx(40).epsilon(0.01));
  CHECK(squares / count == Approx(2 * 40 * 40).epsilon(0.03));
  CHECK(!wormhole::exponential_clocks({}, 40, 1).next(1e9, who));
}

TEST_CASE("wormhole: a measurement is repeated exactly by its seed, and by no other",
          "[wormhole]") {
  const auto with = [](std::uint64_t seed) {
    return wormhole::measure(6, ascending_falls{}, bmmc::bit_reversal(6),
                             {0.1, 20, 500, 3000, seed});
  };
  CHECK(with(1) == with(1));
  CHECK(with(1) != with(2));
  CHECK(with(7).offered > 0);
}

TEST_CASE("wormhole: at a low load a measurement shows the load and the way", "[wormhole]") {
  const auto found = wormhole::measure(8, e_cube{}, transpose, {0.004, 20, 1000, 60000, 3});
  CHECK(found.is_sustained());
  CHECK(found.offered == Approx(0.004 * 240 / 256).epsilon(0.05));  // 16 processors are fixed
  CHECK(found.throughput == Approx(found.offered).epsilon(0.02));
  double hops = 0;
  for (unsigned x = 0; x < 256; ++x) hops += ones(x ^ static_cast<unsigned>(transpose(x)));
  CHECK(found.latency > hops / 240 + 21);
  CHECK(found.latency < hops / 240 + 21 + 1.5);
  // A message's way through a network that knows it by another name is as long.
  const auto moved = wormhole::measure(8, e_cube{}, wormhole::relocated(transpose, for_transpose),
                                       {0.004, 20, 1000, 60000, 3});
  CHECK(moved.latency == Approx(found.latency).epsilon(0.03));
}

TEST_CASE("wormhole: who would send to itself sends nothing", "[wormhole]") {
  CHECK(wormhole::measure(5, e_cube{}, bmmc::identity_permutation(5), {0.5, 20, 100, 1000, 1}) ==
        wormhole::measurement{});
  // Of two processors that change places with nobody else, both send, and all that they send.
  const auto one_pair = [](index_t x) { return x < 2 ? 1 - x : x; };
  const auto pair = wormhole::measure(5, e_cube{}, one_pair, {0.5, 20, 1000, 100000, 1});
  CHECK(pair.offered == Approx(0.5 * 2 / 32).epsilon(0.05));
  CHECK(pair.throughput == Approx(pair.offered).epsilon(0.01));
}

TEST_CASE("wormhole: placing processes elsewhere", "[wormhole]") {
  std::mt19937_64 random(3);
  for (int k = 0; k < 20; ++k) {
    const auto p = bmmc::random_permutation(8, random), q = bmmc::random_permutation(8, random);
    const auto moved = wormhole::relocated(p, q);
    bool right = true;
    for (index_t x = 0; x < 256; ++x) right &= moved(q(x)) == q(p(x));
    CHECK(right);
  }
  // Any function, such as a gather.
  const auto gather = wormhole::relocated([](index_t x) { return x & 6; }, bmmc::flip(3, 0));
  CHECK(gather(6) == 7);
  CHECK(gather(0) == 1);
  CHECK(gather(3) == 3);
}

TEST_CASE("wormhole: a sweep goes up to the limit and halves the last step", "[wormhole]") {
  std::vector<double> asked;
  const auto limit = [&](double capacity) {
    return [&asked, capacity](double offered) {
      asked.push_back(offered);
      return wormhole::measurement{offered, std::min(offered, capacity), 1,
                                   offered <= capacity ? 9.9 : 10.1, 100};
    };
  };
  const auto found = wormhole::sweep(limit(0.3), 0.1, 2, 3);
  CHECK(asked == std::vector<double>{0.1, 0.2, 0.4, 0.30000000000000004, 0.25, 0.275});
  CHECK(wormhole::saturation(found) == 0.275);
  CHECK(std::is_sorted(found.begin(), found.end(),
                       [](auto const& a, auto const& b) { return a.offered < b.offered; }));
  asked.clear();
  CHECK(wormhole::sweep(limit(2), 0.1, 2, 3).size() == 5);
  CHECK(asked.back() == 1);
  CHECK(wormhole::saturation(wormhole::sweep(limit(0.05), 0.1, 2, 3)) == 0);
}

TEST_CASE("wormhole: contention bounds what e-cube carries, and an order of dimensions lifts it",
          "[wormhole]") {
  const auto carries = [](auto const& target_of) {
    const auto at = [&](double offered) {
      return wormhole::measure(8, e_cube{}, target_of, {offered, 20, 1500, 6000, 1});
    };
    return wormhole::saturation(wormhole::sweep(at, 0.06, 1.15, 2));
  };
  for (auto const& p : {transpose, reversal, reverse_flip}) {
    CHECK(most_paths(8, p) == 8);
    const double found = carries(p);
    CHECK(found < 0.125);
    CHECK(found > 0.07);
  }
  const auto single = wormhole::relocated(transpose, for_transpose);
  CHECK(most_paths(8, single) == 1);
  CHECK(carries(single) > 0.6);
  const auto set = wormhole::relocated(transpose, for_all);
  CHECK(most_paths(8, set) == 2);
  CHECK(carries(set) < 0.5);
  CHECK(carries(set) > 0.3);
  for (auto const& p : {reversal, reverse_flip}) {
    CHECK(most_paths(8, wormhole::relocated(p, for_reversal)) == 1);
    CHECK(most_paths(8, wormhole::relocated(p, for_all)) == 1);
    CHECK(carries(wormhole::relocated(p, for_all)) > 0.6);
  }
}

TEST_CASE("wormhole: adaptive routing on the paper's patterns", "[wormhole]") {
  const auto carries = [](auto routing, permutation<> const& p) {
    const auto at = [&](double offered) {
      return wormhole::measure(8, routing, p, {offered, 20, 1500, 6000, 1});
    };
    return wormhole::saturation(wormhole::sweep(at, 0.05, 1.15, 2));
  };
  // P-cube: well for reverse-flip, worst for bit reversal (section 6.1).
  CHECK(carries(p_cube{}, reverse_flip) > 2 * carries(e_cube{}, reverse_flip));
  CHECK(carries(p_cube{}, reversal) < 0.9 * carries(e_cube{}, reversal));
  CHECK(carries(ascending_falls{}, transpose) > carries(e_cube{}, transpose));
  CHECK(carries(ascending_falls{}, reversal) < 0.125);
}

TEST_CASE("wormhole: eight pairs of bit reversal have no way around one channel", "[wormhole]") {
  // From 8 to 0 by dimension 3: what section 2.3 says of the routings of Chiu et al. and of Li.
  const auto forced = [](auto const& routing) {
    unsigned count = 0;
    for (unsigned x = 0; x < 256; ++x) {
      const auto y = static_cast<unsigned>(reversal(x));
      count += x != y && !can_avoid(routing, x, y, 8, 3);
    }
    return count;
  };
  CHECK(forced(e_cube{}) == 8);
  CHECK(forced(ascending_falls{}) == 8);
  CHECK(forced(lawless{}) < 8);
  CHECK(forced(p_cube{}) < 8);
}

namespace {

/// A row of the paper's tables 1 and 2, in microseconds.
struct printed {
  unsigned d;
  double computation, neighbours, e_cube, mapping, total, mapped_total, speedup;
};
const std::vector<printed> tables{
    {0, 35.8, 1398.6, 248.9, 178.8, 1683.3, 1613.2, 1.39},
    {1, 163.5, 1617.5, 467.8, 206.2, 2248.9, 1987.2, 2.27},
    {2, 736.0, 2493.0, 1343.3, 315.6, 4572.4, 3544.7, 4.26},
    {3, 3271.7, 5995.1, 4845.4, 753.4, 14112.2, 10020.2, 6.43},
};

}  // namespace

TEST_CASE("wormhole: tables 1 and 2 of the paper, to the last digit printed", "[wormhole]") {
  for (auto const& row : tables) {
    const wormhole::parallel_fft fft{8, row.d};
    const double before = wormhole::reversal_time(fft, e_cube{}, in_place);
    const double after = wormhole::reversal_time(fft, e_cube{}, for_reversal);
    CHECK(fft.computation() == Approx(row.computation).margin(0.051));
    CHECK(fft.neighbours() == Approx(row.neighbours).margin(0.051));
    CHECK(before == Approx(row.e_cube).margin(0.051));
    CHECK(after == Approx(row.mapping).margin(0.051));
    CHECK(before / after == Approx(row.speedup).margin(0.0051));
    const double rest = fft.computation() + fft.neighbours();
    CHECK(rest + before == Approx(row.total).margin(0.11));
    CHECK(rest + after == Approx(row.mapped_total).margin(0.11));
    // Every order without contention does it.
    CHECK(wormhole::reversal_time(fft, e_cube{}, for_all) == after);
  }
}

TEST_CASE("wormhole: the printed time of P-cube is among those that ties allow", "[wormhole]") {
  std::mt19937_64 random(1);
  std::vector<index_t> senders(256);
  std::iota(senders.begin(), senders.end(), index_t{0});
  std::set<wormhole::cycle_t> found;
  for (int k = 0; k < 200; ++k) {
    for (std::size_t i = senders.size(); i > 1; --i)
      std::swap(senders[i - 1], senders[random() % i]);
    found.insert(wormhole::burst(8, p_cube{}, reversal, 65, senders));
    CHECK(wormhole::burst(8, e_cube{}, reversal, 65, senders) == 8 * 64 + 21);
  }
  CHECK(found.count(14 * 64 + 33) == 1);  // 693.5 microseconds in table 1
  CHECK(*found.rbegin() == 16 * 64 + 37);
}

TEST_CASE("wormhole: the FFT without barriers, by hand", "[wormhole]") {
  const double byte = 0.57, message = 164;
  for (unsigned d : {0U, 1U, 2U}) {
    // Two processes: bit reversal leaves them alone.
    const wormhole::parallel_fft two{1, d};
    CHECK(wormhole::fft_time(two, e_cube{}, bmmc::identity_permutation(1)) ==
          Approx(two.computation() + two.neighbours()));
    // Four: 1 and 2 exchange, two hops. 0 and 3 have nothing to send and go on to their neighbours
    // 1 and 2, with d = 0 at once: they hold the last channel there for f + 1 cycles, and the
    // reversal ends at 3 + 2 f instead of 3 + f. With d > 0 they have work to do first and come too
    // late.
    const wormhole::parallel_fft four{2, d};
    const unsigned reversal_cycles = 3 + (d == 0 ? 2 : 1) * four.flits();
    CHECK(wormhole::fft_time(four, e_cube{}, bmmc::identity_permutation(2)) ==
          Approx(four.computation() + four.neighbours() + message + byte * reversal_cycles));
  }
  // Where nothing meets the program takes the sum of its parts.
  for (unsigned d : {1U, 2U, 3U}) {
    const wormhole::parallel_fft fft{8, d};
    CHECK(wormhole::fft_time(fft, e_cube{}, for_reversal) ==
          Approx(fft.computation() + fft.neighbours() +
                 wormhole::reversal_time(fft, e_cube{}, for_reversal)));
  }
}
