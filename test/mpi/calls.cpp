// SPDX-License-Identifier: BSL-1.0

// What calls of permute() leave for the next ones: that they are right in any order, what a
// repeated one costs, what is kept and when it is given back; and how automatic tries its ways.

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <bmmc/execution/tried_ways.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

/// While there is one, MPI_Wtime() stands still but for what is said to pass.
class stopped_clock {
 public:
  stopped_clock() { now = 1; }
  stopped_clock(stopped_clock const&) = delete;
  stopped_clock& operator=(stopped_clock const&) = delete;
  ~stopped_clock() { now = 0; }
  static void pass(double ms) { now += 1e-3 * ms; }
  static inline double now = 0;
};

}  // namespace

double MPI_Wtime() { return stopped_clock::now != 0 ? stopped_clock::now : PMPI_Wtime(); }

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;
using cases::after;
using cases::before;
using cases::own_world;

/// One call in place and one between arrays, both right.
template <class T, class Comm = comm::automatic, class L = bmmc::layout::processor_major>
void check(MPI_Comm c, bmmc::permutation<> const& p, Comm const& policy = {}, L const& l = {}) {
  const auto first = before<T>(p.bits());
  auto chunk = first;
  std::vector<T> target(chunk.size());
  bmmc::permute<T>(c, chunk, target, p, l, policy);
  CHECK(chunk == first);
  bmmc::permute<T>(c, chunk, p, l, policy);
  CHECK(chunk == target);
  if constexpr (std::same_as<L, bmmc::layout::processor_major>) {
    CHECK(chunk == after<T>(p));
  } else {  // a permuter of its own
    bmmc::make_permuter<T>(c, p, l, policy)(first, target);
    CHECK(chunk == target);
  }
}

}  // namespace

TEST_CASE("a repeated call with a short array on one process throws on all", "[mpi]") {
  const own_world world;
  const auto p = bmmc::bit_reversal(cases::proc_bits() + 4);
  std::vector<double> chunk(16), other(cases::proc() == 0 ? 8 : 16);
  for (int call = 0; call < 3; ++call) bmmc::permute<double>(world, chunk, p);
  CHECK_COMPLAINS(bmmc::bad_value, bmmc::permute<double>(world, other, p), "elements");
  bmmc::permute<double>(world, chunk, p);
}

TEST_CASE("calls in any order are right, whatever the ones before have left", "[mpi]") {
  const own_world world;
  oracle::generator random(13);
  std::vector<bmmc::permutation<>> maps;
  for (unsigned k = 0; k < 6; ++k)  // chunks that grow and shrink
    maps.push_back(bmmc::random_permutation(cases::proc_bits() + 3 + 5 * k % 7, random));
  for (unsigned step = 0; step < 60; ++step) {
    auto const& p = maps[random() % (step < 30 ? 2 : maps.size())];
    switch (random() % 7) {
      case 0:
        check<index_t>(world, p, comm::shared_window());
        break;
      case 1:
        check<index_t>(world, p, comm::sendrecv());
        break;
      case 2:
        check<cases::record>(world, p);
        break;
      case 3:
        check<float>(world, p, comm::pipelined{64});
        break;
      case 4:
        check<std::string>(world, p);
        break;
      case 5:
        check<index_t>(world, p, comm::sendrecv(),
                       bmmc::layout::banded(1 + static_cast<unsigned>(random() % 2)));
        break;
      default:
        check<index_t>(world, p);
    }
  }
}

TEST_CASE("a repeated call costs one reduction and allocates nothing", "[mpi]") {
  const own_world world;
  const unsigned n = cases::proc_bits() + 8;
  oracle::generator random(14);
  const auto p = bmmc::random_permutation(n, random), q = bmmc::random_permutation(n, random);
  auto chunk = before<index_t>(n);
  std::vector<index_t> target(chunk.size());
  const auto all = [&] {
    bmmc::permute<index_t>(world, chunk, p, {}, comm::pipelined{});
    bmmc::permute<index_t>(world, chunk, target, p, {}, comm::pipelined{});
    bmmc::permute<index_t>(world, chunk, q, {}, comm::pipelined{});
  };
  all();
  for (int round = 0; round < 3; ++round) {
    counted = {};
    all();
    const auto sums = counted;
    CHECK(sums.allocations == 0);
    CHECK(sums.reductions == 3);
  }
}

TEST_CASE("a repeated call by automatic costs one reduction more than its permuter", "[mpi]") {
  const own_world world;
  const unsigned p = cases::proc_bits(), n = p + 8;
  oracle::generator random(14);
  const auto map = bmmc::random_permutation(n, random);
  auto chunk = before<index_t>(n);
  std::vector<index_t> target(chunk.size());
  const auto both = [&] {
    counted = {};
    bmmc::permute<index_t>(world, chunk, map);
    bmmc::permute<index_t>(world, chunk, target, map);
  };
  for (int call = 0; call < agreed::calls_that_try; ++call) both();
  auto kept = bmmc::make_permuter<index_t>(world, map);  // by the same ways
  for (int round = 0; round < 3; ++round) {
    both();
    const auto calls = counted;
    counted = {};
    kept(chunk);
    kept(chunk, target);
    CHECK(calls.reductions == 2);
    CHECK(counted.reductions == 0);
    CHECK(calls.allocations == 0);
    CHECK(calls.messages == counted.messages);
    CHECK(calls.barriers <= counted.barriers);
  }
  for (std::size_t const piece_bytes : {std::size_t{0}, sizeof(index_t) << 20}) {
    const comm::shared_window window{.piece_bytes = piece_bytes};
    const auto call = [&] { bmmc::permute<index_t>(world, chunk, target, map, {}, window); };
    call();
    counted = {};
    for (int round = 0; round < 3; ++round) call();
    CHECK(counted.reductions == 3);
    CHECK(counted.barriers == (p == 0 ? 0 : 3));  // nobody waits until all have read
  }
}

TEST_CASE("what is kept stays within its limits, and is given back", "[mpi]") {
  const own_world world;
  const unsigned p = cases::proc_bits();
  oracle::generator random(15);
  for (unsigned k = 0; k < 12; ++k) {
    check<index_t>(world, bmmc::random_permutation(p + 6, random), comm::shared_window());
    CHECK(world.memory().calls() <= 8);
  }
  CHECK(world.memory().calls() == 8);
  CHECK(world.memory().bytes() >= 64 * sizeof(index_t));

  bmmc::limit_calls(world, {.permuters = 2});
  CHECK(world.memory().calls() == 0);
  CHECK(world.memory().bytes() == 0);
  for (unsigned k = 0; k < 5; ++k)
    check<index_t>(world, bmmc::random_permutation(p + 6, random), comm::sendrecv());
  CHECK(world.memory().calls() == 2);
  bmmc::forget_calls(world);
  CHECK(world.memory().calls() == 0);
  CHECK(world.memory().bytes() == 0);
  CHECK(world.memory().limits() == bmmc::call_limits{.permuters = 2});

  // at most two chunks of scratch for sendrecv, and room for a window
  bmmc::limit_calls(world, {.bytes = 64 * sizeof(index_t) * 3});
  check<index_t>(world, bmmc::bit_reversal(p + 6), comm::sendrecv());
  check<index_t>(world, bmmc::bit_reversal(p + 6), comm::sendrecv());
  CHECK(world.memory().calls() == 2);
  check<index_t>(world, bmmc::bit_reversal(p + 7), comm::sendrecv());
  CHECK(world.memory().bytes() <= 64 * sizeof(index_t) * 3);
  CHECK(world.memory().calls() == 2);  // what does not fit leaves the others alone

  for (const bmmc::call_limits none : {bmmc::call_limits{.permuters = 0}, {.bytes = 0}}) {
    bmmc::limit_calls(world, none);
    check<index_t>(world, bmmc::bit_reversal(p + 6));
    CHECK(world.memory().calls() == 0);
    CHECK(world.memory().bytes() == 0);
  }
}

TEST_CASE("workspace grows once, and windows with it; both go with the communicator", "[mpi]") {
  std::weak_ptr<comm::window> small, large;
  {
    const own_world world;
    const unsigned p = cases::proc_bits();
    oracle::generator random(16);
    for (unsigned k = 0; k < 5; ++k) {
      check<index_t>(world, bmmc::random_permutation(p + 9, random), comm::shared_window());
      if (k == 0) small = world.memory().window();
      CHECK(small.lock() == world.memory().window());
    }
    check<index_t>(world, bmmc::random_permutation(p + 5, random), comm::shared_window());
    CHECK(small.lock() == world.memory().window());  // a part of it is enough
    check<index_t>(world, bmmc::random_permutation(p + 10, random), comm::shared_window());
    large = world.memory().window();
    CHECK(small.expired());  // with all permuters that used it
    CHECK_FALSE(large.expired());
    CHECK(world.memory().calls() == 2);
  }
  CHECK(large.expired());

  const own_world world;  // permuters go with the workspace that they used, too
  for (const unsigned bits : {5U, 6U}) {
    check<index_t>(world, bmmc::bit_reversal(cases::proc_bits() + bits), comm::sendrecv());
    CHECK(world.memory().calls() == 2);
  }
}

TEST_CASE("calls that never come again take a window when as many have come before", "[mpi]") {
  const unsigned p = cases::proc_bits(), n = p + 17;  // 1 MiB each, more than two pieces
  if (p == 0) return;                                 // nothing travels
  const std::size_t chunk = sizeof(index_t) << (n - p);
  comm::automatic dear;  // so that messages and touching memory are
  dear.costs = comm::cost_model{.message = 1,
                                .message_together = 1,
                                .copied_byte = 1e-10,
                                .barrier = 0,
                                .window = 0,
                                .window_byte = 3e-10};
  const auto reversal = bmmc::bit_reversal(n);
  auto data = before<index_t>(n);
  std::vector<index_t> target(data.size());
  for (const bool in_place : {false, true}) {
    const own_world world;
    for (const int turn : {0, 1}) {
      for (index_t k = 0; k < 9; ++k) {
        const bmmc::permutation<> each(reversal.matrix(), k);
        std::vector<index_t> chunk_now = data;
        if (in_place)
          bmmc::permute<index_t>(world, chunk_now, each, {}, dear);
        else
          bmmc::permute<index_t>(world, data, target, each, {}, dear);
        CHECK((in_place ? chunk_now : target) == after<index_t>(each));
        // A window is worth it where (3.4 - 3) copies of a call, and one more in place, are more
        // than its first touch, divided by the calls that are expected.
        const index_t first = in_place ? 2 : 7;
        CHECK((world.memory().window()->part_bytes() >= chunk) == (k >= first));
      }
      INFO(turn);
      bmmc::forget_calls(MPI_Comm(world));
    }
  }
}

TEST_CASE("communicators keep their own", "[mpi]") {
  const own_world first, second;
  const unsigned n = cases::proc_bits() + 6;
  oracle::generator random(17);
  const auto p = bmmc::random_permutation(n, random), q = bmmc::random_permutation(n, random);
  for (int round = 0; round < 3; ++round) {
    check<index_t>(first, p);
    check<index_t>(second, q);
    check<index_t>(second, p);
  }
  CHECK(first.memory().calls() == 2);
  CHECK(second.memory().calls() == 4);
  {
    const own_world third;
    check<index_t>(third, p);
  }
  check<index_t>(first, q);
}

TEST_CASE("threads may call on communicators of their own", "[mpi]") {
  int level = 0;
  MPI_Query_thread(&level);
  const unsigned n = cases::proc_bits() + 6;
  const own_world first, second;
  const auto work = [n](MPI_Comm c, unsigned seed, bool& good) {
    oracle::generator random(seed);
    const auto p = bmmc::random_permutation(n, random), q = bmmc::random_permutation(n, random);
    good = true;
    for (int round = 0; round < 20; ++round)
      for (auto const& each : {p, q, p}) {
        auto chunk = before<index_t>(n);
        bmmc::permute<index_t>(c, chunk, each);
        good = good && chunk == after<index_t>(each);
      }
  };
  (void)cases::spots(0, n, cases::proc_bits());  // a table that threads only read
  bool is_right[2] = {};
  if (level == MPI_THREAD_MULTIPLE) {
    std::thread other([&] { work(second, 2, is_right[1]); });
    work(first, 1, is_right[0]);
    other.join();
  } else {  // one after the other is all that MPI allows here
    work(second, 2, is_right[1]);
    work(first, 1, is_right[0]);
  }
  CHECK(is_right[0]);
  CHECK(is_right[1]);
}

TEST_CASE("two threads do not call on one communicator at a time", "[mpi]") {
  const own_world world;
  const unsigned n = cases::proc_bits() + 6;
  const auto p = bmmc::bit_reversal(n);
  auto permute = bmmc::make_permuter<index_t>(world, p);
  auto gather = bmmc::make_gatherer<index_t>(world, bmmc::as_map(p));
  auto toffoli = bmmc::make_permuter<index_t>(world, bmmc::controlled(bmmc::flip(n, n - 1), 1));
  auto set = bmmc::make_permuter_set<index_t>(world, p);
  const index_t procs = bmmc::bit(cases::proc_bits());
  const bmmc::grid_layout blocks{bmmc::grid_axis::blocks(bmmc::bit(n), procs)};
  const bmmc::grid_layout cyclic{bmmc::grid_axis::cyclic(bmmc::bit(n), procs)};
  auto redistribute = bmmc::make_redistributor<index_t>(world, blocks, cyclic);
  auto grid_set = bmmc::make_redistributor_set<index_t>(world, blocks, cyclic, {0});
  auto chunk = before<index_t>(n);
  const auto untouched = chunk;
  std::vector<index_t> target(chunk.size());
  int refused = 0;
  {
    const comm::exclusive_use mine(*comm::communicator::of(world));
    check<index_t>(world, p);  // this thread goes on
    std::thread([&] {
      const std::vector<std::function<void()>> calls{
          [&] { bmmc::permute<index_t>(world, chunk, p); },
          [&] { permute(chunk); },
          [&] { permute(chunk, target); },
          [&] { gather(chunk, target); },
          [&] { permute.start(chunk); },
          [&] { toffoli(chunk); },
          [&] { set({chunk}); },
          [&] { redistribute(chunk); },
          [&] { redistribute.start(chunk, target); },
          [&] { grid_set({chunk}); },
          [&] { (void)bmmc::make_permuter<index_t>(world, p); },
          [&] { (void)bmmc::make_redistributor_set<index_t>(world, blocks, cyclic, {0}); }};
      for (auto const& call : calls) try {
          call();
        } catch (bmmc::bad_value const& error) {
          refused += std::string(error.what()).starts_with("another thread calls") ? 1 : 0;
        }
    }).join();
  }
  CHECK(refused == 12);
  CHECK(chunk == untouched);
  permute(chunk);
  CHECK(chunk == after<index_t>(p));
}

TEST_CASE("processes that repeat different calls all throw, and go on", "[mpi]") {
  const int procs = agreed::procs();
  if (procs == 1) return;
  const own_world world;
  const unsigned n = cases::proc_bits() + 5;
  const auto p = bmmc::bit_reversal(n), q = bmmc::gray_encode(n);
  for (int round = 0; round < 2; ++round) {
    check<index_t>(world, p);
    check<index_t>(world, q);
    const auto first = before<index_t>(n);
    auto chunk = first;
    const auto other = cases::proc() == 1 ? q : p;
    CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::permute<index_t>(world, chunk, other); }),
                        "processes disagree on the permutation or the layout"));
    const auto unknown = cases::proc() == 1 ? bmmc::vector_reversal(n) : p;
    CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::permute<index_t>(world, chunk, unknown); }),
                        "processes disagree on the permutation or the layout"));
    CHECK(chunk == first);
    chunk.resize(chunk.size() + (cases::proc() == 1 ? 1 : 0));
    CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::permute<index_t>(world, chunk, p); }),
                        "process 1: the chunk must hold"));
    const bmmc::call_limits limits{.permuters = cases::proc() == 1 ? 3U : 4U};
    CHECK(agreed::holds(agreed::agreed_text([&] { bmmc::limit_calls(world, limits); }),
                        "processes disagree on the number of permuters: process 1 has 3"));
  }
}

TEST_CASE("each way has its calls in a row, and the slowest process tells", "[mpi]") {
  const own_world world;
  const auto c = comm::communicator::of(world);
  const stopped_clock clock;
  bmmc::detail::trial t(4, 3);
  std::vector<std::size_t> used;
  while (!t.is_over() && used.size() < 30)
    t.measure(*c, [&] {
      used.push_back(t.next());
      // way 1 is the fastest on every process but the last, where it is the slowest; ways 2 and 3
      // are alike, but way 2 is slow in its second turn
      const bool is_last = cases::proc() + 1 == agreed::procs();
      const bool is_late = used.size() > 12;
      const int odd = used.size() % 3 == 0 ? 2 : 0;  // the last call of a turn
      const int ms[4] = {9, is_last ? 15 : 1, (is_late ? 8 : 2) + odd, 4 - odd};
      stopped_clock::pass(ms[t.next()]);
    });
  CHECK(used == std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 2, 2, 2, 3, 3, 3});
  // way 2 had 2 and 4 ms, then 8 and 10; way 3 had 4 and 2 both times
  CHECK(t.seconds()[2] == Approx(3e-3));
  CHECK(t.seconds()[3] == Approx(3e-3));
  CHECK(t.fastest() == 2);
  CHECK(agreed::all_alike(std::to_string(t.seconds()[0]) + " " + std::to_string(t.seconds()[1])));
  CHECK(bmmc::detail::trial().is_over());
}

/// A trial of ways that take so many microseconds where they begin at a barrier, and so many right
/// after a call; this process does something else for `apart` microseconds between two calls.
struct short_calls {
  std::array<double, 3> alone, in_a_row;
  double apart = 0;
  std::vector<std::size_t> used{};
  std::uint64_t barriers = 0;  // of this process

  void run(comm::communicator const& c, bmmc::detail::trial& t) {
    const auto before = counted.barriers;
    auto last = before;
    while (!t.is_over() && used.size() < 1000) {
      t.measure(c, [&] {
        const bool is_first = used.empty() || counted.barriers != last;
        stopped_clock::pass(1e-3 * (is_first ? alone : in_a_row)[t.next()]);
        used.push_back(t.next());
        last = counted.barriers;
      });
      stopped_clock::pass(1e-3 * apart);
    }
    barriers = counted.barriers - before;
  }
};

TEST_CASE("short calls are measured several in a row, as programs make them", "[mpi]") {
  const own_world world;
  const auto c = comm::communicator::of(world);
  const stopped_clock clock;
  // alone the first two are alike, in a row the second one is faster and the first one slower; the
  // third one has lost soon
  const bool is_first = cases::proc() == 0;
  bmmc::detail::trial t(3, 3);
  short_calls calls{{10, 10, 40}, {12, 6, 1}, is_first ? 9.0 : 3.0};
  calls.run(*c, t);
  CHECK(t.calls_in_a_row() == 32);
  CHECK(calls.used.size() == 3 * 3 + 2 * 3 * 32);
  CHECK(calls.barriers == 2 * (3 * 3 + 2 * 3));
  CHECK(t.fastest() == 1);
  CHECK(t.seconds()[0] == Approx((10 + 31 * 12) / 32.0 * 1e-6));
  CHECK(t.seconds()[1] == Approx((10 + 31 * 6) / 32.0 * 1e-6));
  CHECK(t.seconds()[2] == Approx(40e-6));

  for (auto const& [microseconds, row] :
       {std::pair(100, 4U), std::pair(240, 2U), std::pair(260, 1U)}) {
    const double each = microseconds;
    bmmc::detail::trial longer(2, 3);
    short_calls few{{each, each, 0}, {each, each, 0}};
    few.run(*c, longer);
    CHECK(longer.calls_in_a_row() == row);
  }
}

TEST_CASE("calls are measured one by one where one process does other work between them", "[mpi]") {
  const own_world world;
  const auto c = comm::communicator::of(world);
  const stopped_clock clock;
  bmmc::detail::trial t(2, 3);
  short_calls calls{{10, 9, 0}, {10, 20, 0}, cases::proc() + 1 == agreed::procs() ? 11.0 : 0.0};
  calls.run(*c, t);
  CHECK(t.calls_in_a_row() == 1);
  CHECK(calls.used.size() == 2 * 2 * 3);
  CHECK(calls.barriers == 2 * calls.used.size());
  CHECK(t.fastest() == 1);
  CHECK(t.seconds()[1] == Approx(9e-6));
}

/// A way that takes so many milliseconds, or units, by the clock of this test for calls of the two
/// kinds.
struct slow_way {
  static constexpr std::array<char const*, 2> calls{"first kind", "second kind"};
  static inline double unit = 1;
  std::array<int, 2> ms;
  std::vector<slow_way const*>* alive;
  std::vector<int>* used;

  slow_way(std::array<int, 2> times, std::vector<slow_way const*>& those, std::vector<int>& log)
      : ms(times), alive(&those), used(&log) {
    alive->push_back(this);
  }
  slow_way(slow_way const&) = delete;
  slow_way& operator=(slow_way const&) = delete;
  ~slow_way() { std::erase(*alive, this); }
  void open() {}
  void operator()(std::size_t kind) const {
    used->push_back(ms[0]);
    stopped_clock::pass(ms[kind] * unit);
  }
};

TEST_CASE("ways that have lost are given back, the fastest is remembered", "[mpi]") {
  using bmmc::detail::way;
  const own_world world;
  const auto c = comm::communicator::of(world);
  const auto memory = comm::surroundings::of(*c);
  const stopped_clock clock;
  std::vector<slow_way const*> alive;
  std::vector<int> used;
  // Predicted in this order; 9 loses clearly, 4 and 5 are near each other.
  using times = std::array<std::array<int, 2>, 3>;
  const auto ways = [&](bool is_tried, std::uint64_t key = 77,
                        times const& ms = {{{9, 1}, {4, 6}, {5, 3}}}) {
    std::vector<bmmc::detail::candidate> possible;
    for (std::size_t k = 0; k < ms.size(); ++k)
      possible.push_back({static_cast<way>(k), {.messages = 1 + 0.1 * static_cast<double>(k)}});
    return bmmc::detail::tried_ways<slow_way>(
        bmmc::detail::choice(possible, {}, 1e9), is_tried ? memory : nullptr, key, 1 << 24,
        [&](bmmc::detail::candidate const& each) {
          return std::make_unique<slow_way>(ms[static_cast<std::size_t>(each.name)], alive, used);
        });
  };
  const auto call = [&](auto& each, std::size_t kind) {
    each.run(*c, kind, [&](slow_way& r) { r(kind); });
  };
  {
    auto each = ways(false);
    CHECK(alive.size() == 1);
    call(each, 0);
    CHECK(used == std::vector{9});
    CHECK(each.text().find("kind") == std::string::npos);
  }
  used.clear();
  {
    auto each = ways(true);
    CHECK(alive.size() == 3);
    for (int k = 0; k < 2; ++k) call(each, 1);  // a trial that is begun anew
    for (int k = 0; k < 16; ++k) call(each, 0);
    CHECK(used == std::vector{9, 9, 9, 9, 9, 4, 4, 4, 5, 5, 5, 4, 4, 4, 5, 5, 5, 4});
    CHECK(alive.size() == 2);
    CHECK(agreed::holds(each.text(),
                        "second kind: will be tried in the first such calls, next pipelined\n"));
    used.clear();
    for (int k = 0; k < 3; ++k) call(each, 1);
    CHECK(agreed::holds(each.text(), "in the first such calls, next radix_exchange\n"));
    for (int k = 0; k < 4; ++k) call(each, 1);
    CHECK(used == std::vector{4, 4, 4, 5, 5, 5, 5});
    call(each, 0);
    CHECK(used.back() == 4);
    CHECK(alive.size() == 2);  // each is the fastest of a kind
    CHECK(agreed::holds(each.text(), "first kind: pipelined; measured ms: shared_window 9"));
  }
  {  // the ways of one kind are clearly slower than one: the other kind has no choice left
    auto each = ways(true, 80, {{{9, 1}, {2, 6}, {5, 3}}});
    for (int k = 0; k < 12; ++k) call(each, 0);
    CHECK(alive.size() == 1);
    CHECK(agreed::holds(each.text(), "second kind: pipelined\n"));
    used.clear();
    call(each, 1);
    CHECK(used == std::vector{2});
  }
  {  // microseconds
    slow_way::unit = 1e-3;
    auto each = ways(true, 84);
    for (int k = 0; k < 3 * 3 + 2 * 3 * 32; ++k) call(each, 0);
    slow_way::unit = 1;
    CHECK(agreed::holds(each.text(),
                        "first kind: pipelined; measured ms, the fastest in rows of 32 calls: "
                        "shared_window 0.009; pipelined 0.004; radix_exchange 0.005\n"));
  }
  used.clear();
  auto again = ways(true);
  CHECK(alive.size() == 2);
  CHECK(agreed::holds(again.text(), "second kind: radix_exchange, known from another call"));
  used.clear();
  call(again, 1);
  call(again, 0);
  CHECK(used == std::vector{5, 4});
}

TEST_CASE("gather and reduce try their ways, too", "[mpi]") {
  const own_world world;
  const unsigned n = cases::proc_bits() + 10;
  const auto p = bmmc::bit_reversal(n);
  const auto first = before<index_t>(n), last = after<index_t>(p);
  std::vector<index_t> target(first.size());
  auto reduce = bmmc::make_reducer<index_t>(world, bmmc::as_map(p));
  auto gather = bmmc::make_gatherer<index_t>(world, bmmc::as_map(p));
  const auto scatter = [&] {
    reduce(first, target);
    CHECK(target == last);
  };
  const auto collect = [&] {
    std::vector<index_t> back(first.size());
    gather(last, back);
    CHECK(back == first);
  };
  agreed::settle(reduce, scatter, "from a span: ");
  agreed::settle(gather, collect, "from a span: ");
  for (std::string const& told : {reduce.choice(), gather.choice()}) {
    CHECK(told.find("from a span: will be tried") == std::string::npos);
    CHECK(agreed::all_alike(told.substr(told.find('\n') + 1)));
  }
}

TEST_CASE("ways are tried in the first calls, and all processes keep to the same", "[mpi]") {
  const own_world world;
  const unsigned n = cases::proc_bits() + 10;
  oracle::generator random(18);
  const auto p = bmmc::random_permutation(n, random);
  auto permute = bmmc::make_permuter<index_t>(world, p);
  const auto first = before<index_t>(n), last = after<index_t>(p);
  std::vector<index_t> target(first.size());
  const bool is_tried = permute.choice().find("will be tried") != std::string::npos;
  agreed::settle(permute, [&] {
    auto chunk = first;
    permute(chunk);
    CHECK(chunk == last);
    permute(first, target);
    CHECK(target == last);
  });
  CHECK(permute.choice().find("will be tried") == std::string::npos);
  const std::string told = permute.choice();
  CHECK(agreed::all_alike(told.substr(told.find('\n'))));
  if (!is_tried) return;  // no way comes near the one predicted to be the fastest
  CHECK(agreed::holds(told, "in place: "));
  CHECK(agreed::holds(told, "measured ms: "));
  counted = {};
  permute(first, target);
  CHECK(counted.reductions == 0);
  CHECK(agreed::holds(bmmc::make_permuter<index_t>(world, p).choice(), "known from another call"));

  comm::automatic given;
  given.costs = comm::cost_model{};
  CHECK(bmmc::make_permuter<index_t>(world, p, {}, given).choice().find("tried") ==
        std::string::npos);
}
