// SPDX-License-Identifier: BSL-1.0

// The one choice of `automatic`, and passes whose element type only their maker knows.

#include <numeric>
#include <vector>

#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/element_kind.hpp>
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
  const auto p = bmmc::gray_encode(7);
  std::vector<double> source(128), target(128), in_parts(128);
  std::iota(source.begin(), source.end(), 0.0);
  auto pass = kind.pass(p);
  pass(source.data(), target.data());
  for (index_t part = 0; part < pass.parts(); ++part)
    pass.run(source.data(), in_parts.data(), part, part + 1);
  for (index_t x = 0; x < 128; ++x) CHECK(target[p(x)] == static_cast<double>(x));
  CHECK(target == in_parts);
  CHECK_FALSE(pass.is_identity());
  pass.set_complement(5);
  pass(source.data(), target.data());
  for (index_t x = 0; x < 128; ++x) CHECK(target[p(x) ^ 5] == static_cast<double>(x));
}
