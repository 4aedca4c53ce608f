// SPDX-License-Identifier: BSL-1.0

// Policies as plain values: what they are compared by, what processes must agree on, what a policy
// of a user may have of its own.

#include <concepts>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_window.hpp>

#include "support/catch.hpp"

namespace comm = bmmc::comm;

namespace {

/// Two values that differ for a user: they compare so, and processes notice.
template <class Policy>
bool differ(Policy const& a, Policy const& b) {
  return a == a && b == b && !(a == b) &&
         bmmc::detail::settings_of(a) != bmmc::detail::settings_of(b);
}

/// A user's own, with members that the library must leave alone.
struct counting {
  int calls = 7;
  void move(comm::exchange const&, void const*, void*) { ++calls; }
};
/// One that knows what to do when it is used once.
struct frugal {
  bool keeps_tables = true;
  [[nodiscard]] frugal for_one_call() const { return {false}; }
  void replace(comm::exchange const&, void*) const {}
};
static_assert(comm::MovingPolicy<counting> && comm::MapPolicy<counting>);
static_assert(comm::ReplacingPolicy<frugal> && !comm::MapPolicy<frugal>);
static_assert(!comm::Policy<int> && !comm::MapPolicy<comm::within_budget>);
// no policy of the library is another one
static_assert(!std::derived_from<comm::automatic, comm::sendrecv> &&
              !std::derived_from<comm::within_budget, comm::automatic> &&
              !std::derived_from<comm::shared_window, comm::sendrecv>);

}  // namespace

TEST_CASE("policies that differ do not compare equal", "[comm]") {
  comm::automatic once, informed;
  once.expected_calls = 1;
  informed.costs = comm::cost_model{.message = 3};
  CHECK(differ(comm::automatic(), once));
  CHECK(differ(comm::automatic(), informed));
  CHECK(differ(comm::shared_window{2}, comm::shared_window{4}));
  CHECK(differ(comm::within_budget(1), comm::within_budget(2)));
  comm::within_budget rare(1);
  rare.expected_calls = 2;
  CHECK(differ(comm::within_budget(1), rare));
  CHECK(differ(comm::pipelined{64, 2}, comm::pipelined{64, 3}));
  CHECK(differ(comm::pipelined{64, 2}, comm::pipelined{128, 2}));
  CHECK(differ(comm::pipelined{0, 66}, comm::pipelined{1, 2}));
  CHECK(differ(comm::dimension_exchange{.buffer_bytes = 8}, comm::dimension_exchange{}));
  CHECK(comm::sendrecv() == comm::sendrecv());
  CHECK(comm::alltoallv() == comm::alltoallv());
}

TEST_CASE("what is used once", "[comm]") {
  CHECK(bmmc::detail::for_one_call(counting()).calls == 7);
  CHECK_FALSE(bmmc::detail::for_one_call(frugal()).keeps_tables);
  CHECK(bmmc::detail::for_one_call(comm::automatic()).expected_calls == 1);
  CHECK(bmmc::detail::for_one_call(comm::within_budget(5)).expected_calls == 1);
  CHECK(bmmc::detail::for_one_call(comm::within_budget(5)).bytes == 5);
}
