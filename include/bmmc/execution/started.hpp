// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <optional>

#include <bmmc/comm/communicator.hpp>

// wait() and test() of what a thread has started on a communicator. They are calls like others: any
// thread may make them, but not while another one calls. What was moved from has started nothing.
// Where a call has failed all others are refused, so that none comes in between; what was started
// before may still arrive.

namespace bmmc::detail {

template <class Flight>
void wait_for(std::unique_ptr<Flight> const& started,
              std::shared_ptr<comm::communicator const> const& c) {
  if (!c) return;
  std::optional<comm::exclusive_use> use;
  if (!c->has_failed()) use.emplace(*c);
  if (started) started->wait();
}
template <class Flight>
[[nodiscard]] bool has_arrived(std::unique_ptr<Flight> const& started,
                               std::shared_ptr<comm::communicator const> const& c) {
  if (!c) return true;
  std::optional<comm::exclusive_use> use;
  if (!c->has_failed()) use.emplace(*c);
  return !started || started->test();
}

}  // namespace bmmc::detail
