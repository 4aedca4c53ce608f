// SPDX-License-Identifier: BSL-1.0

// Networks and what their channels carry, against paths walked from vertex to vertex; the search
// for places, against counting.

#include <bmmc/study.hpp>
#include <bmmc/planning.hpp>
#include <map>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/convert.hpp"
#include "support/paths.hpp"
#include "support/throws.hpp"

namespace {

namespace network = bmmc::network;
namespace cube = bmmc::cube;
using bmmc::index_t;
using bmmc::permutation;

/// A network of the library beside the oracle's paths on it.
template <class N, class Path>
struct twin {
  N net;
  Path path_of;
};
template <class N, class Path>
twin(N, Path) -> twin<N, Path>;

auto hypercube(unsigned n) {
  return twin{network::hypercube(n),
              [n](index_t s, index_t t) { return paths::on_hypercube(n, s, t); }};
}
template <std::size_t Order>
auto torus(std::array<index_t, Order> extents) {
  const std::vector<index_t> list(extents.begin(), extents.end());
  return twin{network::torus(extents),
              [list](index_t s, index_t t) { return paths::on_torus(list, s, t); }};
}
auto fat_tree(index_t leaves, index_t per_leaf, index_t spines) {
  return twin{network::fat_tree(leaves, per_leaf, spines), [=](index_t s, index_t t) {
                return paths::on_fat_tree(leaves, per_leaf, spines, s, t);
              }};
}
/// Calls f with networks of many shapes.
void for_many(auto f) {
  for (const unsigned n : {0U, 1U, 3U, 5U}) f(hypercube(n));
  f(torus<1>({7}));
  f(torus<2>({1, 1}));
  f(torus<2>({2, 3}));
  f(torus<2>({4, 4}));
  f(torus<2>({5, 8}));
  f(torus<3>({2, 2, 2}));
  f(torus<3>({4, 2, 3}));
  f(torus<3>({3, 1, 5}));
  f(fat_tree(1, 1, 1));
  f(fat_tree(1, 6, 2));
  f(fat_tree(4, 4, 2));
  f(fat_tree(5, 3, 4));
  f(fat_tree(8, 4, 4));
}

network::traffic random_traffic(index_t procs, oracle::generator& random) {
  network::traffic all;
  for (index_t k = 0; k < 2 * procs; ++k)
    all.push_back({random() % procs, random() % procs, 1 + random() % 9});
  return all;
}
std::vector<index_t> random_places(index_t nodes, oracle::generator& random) {
  auto places = network::in_place(nodes);
  for (index_t k = nodes; k > 1; --k) std::swap(places[k - 1], places[random() % k]);
  return places;
}

/// What the channels carry is what lies on the oracle's links, and nothing else.
template <class Twin>
void check_counts(Twin const& t, network::traffic const& all, std::vector<index_t> const& places) {
  paths::list moved;
  for (auto const& m : all) moved.push_back({places[m.source], places[m.target], m.size});
  auto expected = paths::count(moved, t.path_of);
  const auto loads = network::count_loads(t.net, all, places);
  REQUIRE(loads.channel.size() == t.net.channels());
  index_t used = 0, most = 0, most_size = 0, total = 0, total_size = 0;
  for (auto const& [link, carried] : expected) {
    ++used;
    most = std::max(most, carried.messages);
    most_size = std::max(most_size, carried.size);
    total += carried.messages;
    total_size += carried.size;
  }
  CHECK(loads.used() == used);
  CHECK(loads.most() == network::load{most, most_size});
  CHECK(loads.total() == network::load{total, total_size});
  for (index_t k = 0; k < t.net.channels(); ++k) {
    if (loads.channel[k] == network::load{}) continue;
    const auto [from, to] = t.net.ends(k);
    auto const& carried = expected[{from, to}];
    REQUIRE(loads.channel[k] == network::load{carried.messages, carried.size});
  }
}

template <class N>
index_t most_messages(N const& net, network::traffic const& all) {
  return network::count_loads(net, all).most().messages;
}

}  // namespace

TEST_CASE("routes: the oracle's paths, channel by channel, between all pairs", "[network]") {
  for_many([](auto const& t) {
    for (index_t s = 0; s < t.net.nodes(); ++s)
      for (index_t d = 0; d < t.net.nodes(); ++d) {
        paths::path walked{s};
        bool joined = true;
        t.net.route(s, d, [&](index_t channel) {
          REQUIRE(channel < t.net.channels());
          joined = joined && t.net.ends(channel).from == walked.back();
          walked.push_back(t.net.ends(channel).to);
        });
        REQUIRE(joined);
        REQUIRE(walked == t.path_of(s, d));
      }
  });
}

TEST_CASE("sizes of networks", "[network]") {
  CHECK(network::hypercube(8).nodes() == 256);
  CHECK(network::hypercube(8).channels() == 8 * 256);
  CHECK(network::torus(8, 8).nodes() == 64);
  CHECK(network::torus(4, 4, 4).channels() == 6 * 64);
  CHECK(network::torus(4, 2, 3).extents() == std::array<index_t, 3>{4, 2, 3});
  CHECK(network::fat_tree(8, 4, 2).nodes() == 32);
  CHECK(network::fat_tree(8, 4, 2).channels() == 2 * (32 + 16));
  CHECK_COMPLAINS(bmmc::bad_value, network::hypercube(33), "not 33");
  CHECK_COMPLAINS(bmmc::bad_value, network::torus(4, 0), "an axis of 0");
  CHECK_COMPLAINS(bmmc::bad_value, network::torus(1 << 20, 1 << 13), "1048576 nodes");
  CHECK_COMPLAINS(bmmc::bad_value, network::fat_tree(8, 0, 2), "not 0");
  CHECK_COMPLAINS(bmmc::bad_value, network::fat_tree(8, 65537, 2), "not 65537");
}

TEST_CASE("counts: random messages from any places", "[network]") {
  oracle::generator random(1);
  for_many([&](auto const& t) {
    for (int turn = 0; turn < 20; ++turn)
      check_counts(t, random_traffic(t.net.nodes(), random), random_places(t.net.nodes(), random));
  });
}

TEST_CASE("counts: any plan on any network, element by element", "[network]") {
  oracle::generator random(2);
  const auto check = [&](auto const& t) {
    for (int turn = 0; turn < 10; ++turn) {
      const unsigned p = 5, n = p + static_cast<unsigned>(random() % 4);
      const auto map = random_affine(n, random);
      const auto plan =
          bmmc::make_plan(to_library(map), bmmc::layout::processor_minor{}, oracle::power(p));
      const auto counted =
          oracle::count_traffic(n, p, map, oracle::processor_minor, oracle::processor_minor);
      paths::list expected;
      for (index_t k = 0; k < plan.procs(); ++k)
        for (index_t l = 0; l < plan.procs(); ++l)
          if (counted.sent[k][l] != 0) expected.push_back({k, l, 8 * counted.sent[k][l]});
      const auto links = paths::count(expected, t.path_of);
      const auto loads = network::count_loads(t.net, network::traffic_of(plan, 8));
      REQUIRE(loads.used() == links.size());
      for (index_t k = 0; k < t.net.channels(); ++k)
        if (loads.channel[k].messages != 0) {
          const auto found = links.find({t.net.ends(k).from, t.net.ends(k).to});
          REQUIRE(found != links.end());
          REQUIRE(found->second.messages == loads.channel[k].messages);
          REQUIRE(found->second.size == loads.channel[k].size);
        }
      network::channel_loads steps{std::vector<network::load>(t.net.channels())};
      for (index_t s = 0; s < plan.messages(); ++s) {
        const auto one = network::count_loads(t.net, network::traffic_of_step(plan, s, 8));
        for (index_t k = 0; k < t.net.channels(); ++k) {
          steps.channel[k].messages += one.channel[k].messages;
          steps.channel[k].size += one.channel[k].size;
        }
      }
      CHECK(steps.channel == loads.channel);
    }
  };
  check(hypercube(5));
  check(torus<2>({8, 4}));
  check(torus<3>({4, 4, 2}));
  check(fat_tree(8, 4, 3));
}

TEST_CASE("counts: bijections that are not affine, on any number of processes", "[network]") {
  for (const index_t size : {6U, 7U, 40U, 100U})
    for (const index_t q : {1U, 3U, 17U, 19U}) {
      if (std::gcd(q, size) != 1) continue;
      const bmmc::stride_permutation stride(size, q, 5);
      const auto holder = [&](index_t x) {  // six blocks, the first ones one element longer
        index_t proc = 0;
        for (index_t end = 0; proc < 6; ++proc)
          if (end += size / 6 + (proc < size % 6 ? 1 : 0); x < end) break;
        return proc;
      };
      std::map<std::pair<index_t, index_t>, index_t> sent;
      for (index_t x = 0; x < size; ++x)
        if (const auto pair = std::pair(holder(x), holder((q * x + 5) % size));
            pair.first != pair.second)
          ++sent[pair];
      const auto all = network::traffic_of(stride, 6, 3);
      REQUIRE(all.size() == sent.size());
      for (auto const& m : all) REQUIRE(m.size == 3 * sent[{m.source, m.target}]);
      check_counts(torus<2>({2, 3}), all, network::in_place(6));
    }
  const auto plan = bmmc::make_plan(bmmc::shuffle(7), bmmc::layout::processor_major{}, 8);
  const network::hypercube net(3);
  CHECK(network::count_loads(net, network::traffic_of(bmmc::shuffle(7), 8)).channel ==
        network::count_loads(net, network::traffic_of(plan)).channel);
}

TEST_CASE("counts on a hypercube equal the formula", "[network]") {
  oracle::generator random(3);
  for (int turn = 0; turn < 200; ++turn) {
    const auto n = 1 + static_cast<unsigned>(random() % 6);
    const oracle::matrix a = oracle::random_matrix(n, n + static_cast<unsigned>(turn % 3), random);
    const bmmc::affine_map map{to_library(a), random() % oracle::power(n)};
    for (auto const& c : {cube::push(map), cube::pull(map)})
      REQUIRE(most_messages(network::hypercube(n), network::traffic_of(c)) == cube::contention(c));
  }
}

TEST_CASE("eight messages of a bit reversal meet where the paper says", "[network]") {
  const network::hypercube net(8);
  const auto loads =
      network::count_loads(net, network::traffic_of(cube::push(bmmc::bit_reversal(8))));
  index_t found = 0;
  for (index_t k = 0; k < net.channels(); ++k)
    if (net.ends(k) == network::channel_ends{8, 0}) found = loads.channel[k].messages;
  CHECK(found == 8);
}

TEST_CASE("bad places and messages", "[network]") {
  const network::torus net(2, 2);
  const std::vector<index_t> twice{0, 1, 1, 3}, beyond{0, 1, 2, 4}, few{2, 1};
  CHECK_COMPLAINS(bmmc::bad_value, network::count_loads(net, {}, twice), "node 1 of 4");
  CHECK_COMPLAINS(bmmc::bad_value, network::count_loads(net, {}, beyond), "node 4 of 4");
  CHECK_COMPLAINS(bmmc::bad_value, network::count_loads(net, {{0, 2, 1}}, few), "from process 0",
                  "to 2", "among 2");
  CHECK_COMPLAINS(bmmc::bad_value, network::place(net, {{4, 0, 1}}), "from process 4");
  CHECK(network::count_loads(net, {{0, 1, 1}}, few).total().messages == 2);  // node 2 to node 1
}

TEST_CASE("places: a permutation of the nodes that never carries more", "[network]") {
  oracle::generator random(4);
  for_many([&](auto const& t) {
    const auto all = random_traffic(t.net.nodes(), random);
    const auto found = network::place(t.net, all, {7, 2000});
    auto sorted = found.node_of;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == network::in_place(t.net.nodes()));
    CHECK(found.loads.channel == network::count_loads(t.net, all, found.node_of).channel);
    CHECK(found.loads.most().size <= network::count_loads(t.net, all).most().size);
    const auto again = network::place(t.net, all, {7, 2000});
    CHECK(again.node_of == found.node_of);
    check_counts(t, all, found.node_of);
  });
}

TEST_CASE("places: no swaps change nothing; another seed finds another way", "[network]") {
  const network::torus net(4, 4);
  const auto all = network::traffic_of(16, bmmc::bit_reversal(4));
  CHECK(network::place(net, all, {1, 0}).node_of == network::in_place(16));
  CHECK(network::place(net, all, {1, 3000}).node_of != network::place(net, all, {2, 3000}).node_of);
  oracle::generator random(8);
  const auto start = random_places(16, random);  // a start of the caller's, few processes on many
  CHECK(network::place(net, all, {1, 0}, start).node_of == start);
  const std::vector<index_t> corner{5, 15, 0};
  const auto three = network::place(net, {{0, 1, 1}, {1, 2, 1}}, {1, 100}, corner);
  auto places = three.node_of;
  std::sort(places.begin(), places.end());
  CHECK(places == std::vector<index_t>{0, 5, 15});
  CHECK_COMPLAINS(bmmc::bad_value, network::place(net, all, {1, 9}, {3, 3}), "node 3 of 16");
}

TEST_CASE("places: annealing finds what is known to be there", "[network]") {
  // corollary 1: on a hypercube every affine permutation has places without contention
  oracle::generator random(5);
  for (int turn = 0; turn < 5; ++turn) {
    const auto p = bmmc::random_permutation(5, random);
    const auto all = network::traffic_of(32, p);
    CHECK(network::place(network::hypercube(5), all).loads.most().messages == 1);
  }
  // a ring in a scrambled order can be unrolled
  const auto places = random_places(16, random);
  network::traffic ring;
  for (index_t k = 0; k < 16; ++k) ring.push_back({places[k], places[(k + 1) % 16], 100'000});
  const network::torus net(16);
  CHECK(network::count_loads(net, ring).most().messages > 1);
  const auto found = network::place(net, ring, {3, 200'000});
  CHECK(found.loads.most() == network::load{1, 100'000});
  CHECK(found.loads.total().messages <= 32);
}

TEST_CASE("places: what no walk at random would find", "[network]") {
  const network::torus net(8, 8);
  for (auto const& p : {bmmc::bit_reversal(6), bmmc::shuffle(6), bmmc::transpose(3, 3)}) {
    const auto all = network::traffic_of(64, p);
    CHECK(network::count_loads(net, all).most().messages == 4);
    CHECK(network::place(net, all).loads.most().messages == 1);
  }
}

TEST_CASE("places: the best ones of a search, not its last", "[network]") {
  const network::torus net(4, 4);
  oracle::generator random(9);
  const auto all = random_traffic(16, random);
  const auto energy = [&](network::channel_loads const& loads) {
    index_t sum = 0;
    for (auto const& l : loads.channel) sum += l.size * l.size * l.size * l.size;
    return sum;
  };
  const auto good = network::place(net, all, {1, 20'000});
  CHECK(energy(good.loads) < energy(network::count_loads(net, all)));
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto found = network::place(net, all, {seed, 10}, good.node_of);
    CHECK(energy(found.loads) <= energy(good.loads));
  }
}

TEST_CASE("places: a plan on a hypercube by dynamic programming", "[network]") {
  oracle::generator random(6);
  for (int turn = 0; turn < 50; ++turn) {
    const unsigned p = 1 + static_cast<unsigned>(random() % 5),
                   n = p + static_cast<unsigned>(turn % 3);
    const auto plan = bmmc::make_plan(bmmc::random_permutation(n, random),
                                      bmmc::layout::processor_major{}, bmmc::bit(p));
    const network::hypercube net(p);
    const auto found = network::place(net, plan);
    index_t least = ~index_t{0};  // all orders of the dimensions, each counted
    std::vector<unsigned> order(p);
    for (unsigned k = 0; k < p; ++k) order[k] = k;
    do {
      std::vector<index_t> places;
      for (index_t x = 0; x < oracle::power(p); ++x) {
        index_t y = 0;
        for (unsigned k = p; k-- > 0;) y = 2 * y + (x >> order[k]) % 2;
        places.push_back(y);
      }
      const auto loads = network::count_loads(net, network::traffic_of(plan), places);
      least = std::min(least, loads.most().messages);
    } while (std::next_permutation(order.begin(), order.end()));
    REQUIRE(found.loads.most().messages == least);
  }
  const auto plan = bmmc::make_plan(bmmc::shuffle(4), bmmc::layout::processor_major{}, 8);
  CHECK_COMPLAINS(bmmc::bad_value, network::place(network::hypercube(4), plan), "8 processes",
                  "16 nodes");
}
