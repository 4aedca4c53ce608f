// SPDX-License-Identifier: BSL-1.0

// The one choice of `automatic`, and passes whose element type only their maker knows.

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <random>
#include <vector>

#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/handover.hpp>
#include <bmmc/index/catalogue.hpp>
#include <bmmc/index/maps.hpp>

#include "support/catch.hpp"

namespace {

using bmmc::index_t;
using bmmc::detail::choice;
using bmmc::detail::way;
using bmmc::detail::work_of;
using bmmc::detail::workload;

/// What is chosen for a plan of 2^n bytes on 2^p processes of one node.
way chosen(unsigned n, unsigned p, bmmc::comm::cost_model const& costs, double calls = 1e9) {
  const bmmc::plan made(bmmc::bit_reversal(n), p);
  std::vector<bmmc::detail::candidate> possible;
  for (const way w : {way::window, way::pipelined, way::rounds})
    possible.push_back({w, work_of(w, made, made.chunk_elements(), p, w == way::rounds ? 1 : 0)});
  return choice(possible, costs, calls).chosen().name;
}

/// Time that passes where a test says so.
struct set_clock {
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<set_clock>;
  static inline time_point time{};
  static time_point now() { return time; }
};
using handover = bmmc::detail::handover<set_clock>;

/// Which of `calls` calls went past the caches, where a pass that does takes `past` and another one
/// `in_caches`, but `then` in those whose number `is_odd`.
template <class IsOdd>
std::vector<bool> calls_past(handover& h, unsigned calls, int past, int in_caches, IsOdd is_odd,
                             int then = 0) {
  std::vector<bool> ways;
  for (unsigned k = 0; k < calls; ++k) {
    ways.push_back(h.is_past_caches());
    for (int pass = 0; pass < 2; ++pass)
      h.timed([&] {
        set_clock::time += set_clock::duration(is_odd(k) ? then : ways[k] ? past : in_caches);
      });
    set_clock::time += set_clock::duration(5000);  // waiting for others does not count
    h.end_call();
  }
  return ways;
}

}  // namespace

TEST_CASE("what costs nothing is chosen, what is dear is not", "[choice]") {
  CHECK(chosen(24, 4, {.message_byte = 1e-7}) == way::window);
  CHECK(chosen(24, 4, {.barrier = 1}) == way::pipelined);
  CHECK(chosen(24, 4, {.message_byte = 1e-9, .window = 10}, 1) == way::pipelined);
  CHECK(chosen(24, 4, {.message_byte = 1e-9, .window = 10, .window_byte = 0}) == way::window);
  // 256 messages of 16 bytes, or 8 of 2 KiB
  CHECK(chosen(20, 8, {.message = 1e-5, .message_together = 1e-5, .barrier = 1}) == way::rounds);
}

TEST_CASE("the first of equals is chosen, and people are told", "[choice]") {
  const choice made({{way::pipelined, {.messages = 2}}, {way::window, {.messages = 2}}},
                    {.message = 5e-3}, 1);
  CHECK(made.chosen().name == way::pipelined);
  CHECK(made.text().starts_with(
      "automatic: pipelined\n  predicted ms: pipelined 10; shared_window 10; costs in us:"));
}

TEST_CASE("ways are tried that are near the best one, or a few barriers from it", "[choice]") {
  const auto tried = [](double barrier) {
    return choice({{way::pipelined, {.messages = 1}},
                   {way::rounds, {.messages = 5}},
                   {way::bounded, {.messages = 3}},
                   {way::window, {.messages = 20}},
                   {way::window_pieces, {.messages = 100}}},
                  {.message = 1e-6, .barrier = barrier}, 1e9)
        .rivals();
  };
  CHECK(tried(0).size() == 2);  // five messages take too long
  const auto slow = tried(1e-5);
  CHECK(slow.size() == 4);
  CHECK(slow.back().name == way::window);
}

TEST_CASE("of rounds three radices are tried, those of processes and of nodes apart", "[choice]") {
  std::vector<bmmc::detail::candidate> possible;
  for (unsigned bits = 1; bits <= 5; ++bits) {
    possible.push_back({way::rounds, {.messages = 20.0 + bits}, bits});
    possible.push_back({way::window, {.messages = 30.0 - bits}, bits});
  }
  const auto tried = choice(possible, {.message = 1e-6}, 1e9).rivals();
  REQUIRE(tried.size() == 6);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK((tried[k].name == way::rounds && tried[k].bits == k + 1));
    CHECK((tried[k + 3].name == way::window && tried[k + 3].bits == 5 - k));
  }
}

TEST_CASE("each unit of work costs what the model says, windows once for all calls", "[choice]") {
  const bmmc::comm::cost_model costs{.message = 1,
                                     .message_together = 10,
                                     .message_byte = 100,
                                     .replaced_byte = 1e3,
                                     .copied_byte = 1e4,
                                     .barrier = 1e5,
                                     .window = 1e6,
                                     .window_byte = 1e7};
  const workload one{1, 1, 1, 1, 1, 1, 1, 1};
  CHECK(one.seconds(costs, 1) == 11111111);
  CHECK(one.seconds(costs, 10) == 111111 + 1100000);
}

TEST_CASE("a map's work counts its messages and bytes", "[choice]") {
  const bmmc::reduce_plan plan(bmmc::as_map(bmmc::bit_reversal(8)), 2);
  const auto work = work_of(way::pipelined, plan, 8);
  CHECK(work.messages + work.messages_together + 1 == 4);
  CHECK(work.sent_bytes == 3 * 16 * 8);
  CHECK(work_of(way::window, plan, 8).window_bytes == 64 * 8);
}

TEST_CASE("a pass of an element kind does what the typed pass does", "[execution]") {
  const auto kind = bmmc::detail::element_kind::of<double, bmmc::element::bytes>();
  CHECK(kind.bytes() == sizeof(double));
  constexpr index_t elements = bmmc::bit(14);
  const auto p = bmmc::gray_encode(14);
  std::vector<double> source(elements), target(elements), in_parts(elements);
  std::iota(source.begin(), source.end(), 0.0);
  auto pass = kind.pass(p);
  pass(source.data(), target.data());
  const index_t parts = pass.parts(in_parts.data());
  CHECK(parts > 1);
  for (index_t part = 0; part < parts; ++part)
    pass.run(source.data(), in_parts.data(), part, part + 1);
  const auto is_moved = [&](index_t complement) {
    for (index_t x = 0; x < elements; ++x)
      if (target[p(x) ^ complement] != static_cast<double>(x)) return false;
    return true;
  };
  CHECK(is_moved(0));
  CHECK(target == in_parts);
  CHECK_FALSE(pass.is_identity());
  pass.set_complement(5);
  pass(source.data(), target.data());
  CHECK(is_moved(5));
}

TEST_CASE("what others read is written the faster way, and the other is tried again",
          "[handover]") {
  const auto never = [](unsigned) { return false; };
  handover h(1 << 20);
  // the first two calls touch memory and are not compared
  auto ways = calls_past(h, 2, 1, 1, never);
  CHECK(ways == std::vector{true, true});
  ways = calls_past(h, 6 + 32, 30, 10, never);
  for (unsigned k = 0; k < ways.size(); ++k) CHECK(ways[k] == (k < 3));
  ways = calls_past(h, 6 + 32, 10, 30, never);  // the machine has changed
  for (unsigned k = 0; k < ways.size(); ++k) CHECK(ways[k] == (k < 3 || k >= 6));
  CHECK(calls_past(h, 6, 10, 30, never) == std::vector{true, true, true, false, false, false});
  // at last three of 1030 go the slower way
  unsigned slower = 0;
  for (bool const past : calls_past(h, 50 * 1030, 10, 30, never)) slower += past ? 0 : 1;
  CHECK(slower > 100);
  CHECK(slower < 170);
}

TEST_CASE("where calls take longer than they did both ways are tried soon", "[handover]") {
  const auto never = [](unsigned) { return false; };
  handover h(1 << 20);
  CHECK(!calls_past(h, 8, 30, 10, never)[7]);
  // every fourth call is timed; two slow ones are enough, eight calls after the trial before
  const auto ways = calls_past(h, 9 + 6 + 32, 10, 20, never);
  for (unsigned k = 0; k < ways.size(); ++k) CHECK(ways[k] == ((k >= 9 && k < 12) || k >= 15));
  // half as long again is not slow enough
  handover slower(1 << 20);
  CHECK(!calls_past(slower, 8, 30, 10, never)[7]);
  for (bool const past : calls_past(slower, 32, 10, 15, never)) CHECK_FALSE(past);
}

TEST_CASE("calls that are slow for other reasons are tried less and less often", "[handover]") {
  constexpr unsigned calls = 40000;
  std::vector<bool> held_up(calls);  // every fifth call, at random
  std::mt19937 random(2);
  std::generate(held_up.begin(), held_up.end(), [&] { return random() % 5 == 0; });
  handover h(1 << 20);
  const auto ways = calls_past(
      h, calls, 30, 10, [&](unsigned k) { return bool(held_up[k]); }, 1000);
  // three of 1030 in any case, and one of fifty at most
  const auto past = std::count(ways.begin() + calls / 2, ways.end(), true);
  CHECK(past >= 3 * (calls / 2 / 1030));
  CHECK(past < calls / 2 / 50);
}

TEST_CASE("after slow calls that changed nothing a change is noticed all the same", "[handover]") {
  const auto never = [](unsigned) { return false; };
  handover h(1 << 20);
  for (unsigned k = 0; k < 12; ++k) {
    calls_past(h, 1100, 30, 10, never);
    calls_past(h, 100, 60, 20, never);  // a reason to try, and the same way is the faster one
  }
  calls_past(h, 1100, 30, 10, never);
  const auto ways = calls_past(h, 60, 10, 50, never);
  // but for three calls of the trial that comes 32 calls after a change
  CHECK(std::count(ways.begin() + 30, ways.end(), true) == 27);
}

TEST_CASE("calls in which nothing is written for others are no reason to try", "[handover]") {
  const auto never = [](unsigned) { return false; };
  handover h(1 << 20);
  CHECK(!calls_past(h, 8, 30, 10, never)[7]);
  for (unsigned k = 0; k < 30; ++k) {
    h.timed([] { set_clock::time += set_clock::duration(1000); });
    h.drop_call();
    CHECK_FALSE(calls_past(h, 1, 30, 10, never)[0]);
  }
}

TEST_CASE("calls that were held up, two of three each way, decide nothing", "[handover]") {
  for (unsigned quick = 0; quick < 3; ++quick) {
    CAPTURE(quick);
    const auto is_held_up = [=](unsigned k) { return k < 2 || (k - 2) % 3 != quick; };
    handover near(1 << 20), far(1 << 20);
    CHECK(!calls_past(near, 9, 30, 10, is_held_up, 1000)[8]);
    CHECK(calls_past(far, 9, 10, 30, is_held_up, 1000)[8]);
  }
}

TEST_CASE("large arrays go to memory in every call", "[handover]") {
  handover h(bmmc::local::tuning{}.stream_from);
  for (bool const past : calls_past(h, 100, 30, 10, [](unsigned) { return false; })) CHECK(past);
}
