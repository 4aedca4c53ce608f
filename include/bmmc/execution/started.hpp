// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>

#include <bmmc/comm/communicator.hpp>

// wait() and test() of what a thread has started on a communicator. They are calls like others: any
// thread may make them, but not while another one calls. What was moved from has started nothing.

namespace bmmc::detail {

template <class Flight>
void wait_for(std::unique_ptr<Flight> const& started,
              std::shared_ptr<comm::communicator const> const& c) {
  if (!c) return;
  const comm::exclusive_use use(*c);
  if (started) started->wait();
}
template <class Flight>
[[nodiscard]] bool has_arrived(std::unique_ptr<Flight> const& started,
                               std::shared_ptr<comm::communicator const> const& c) {
  if (!c) return true;
  const comm::exclusive_use use(*c);
  return !started || started->test();
}

}  // namespace bmmc::detail
