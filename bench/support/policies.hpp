// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/radix_exchange.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/transport/all_at_once.hpp>
#include <bmmc/transport/dimensions.hpp>
#include <bmmc/transport/in_place_once.hpp>
#include <bmmc/transport/radix_once.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/rounds.hpp>

namespace workload {

/// Every policy that exchanges blocks, by its name: use(policy, name).
template <class F>
void for_each_exchange(F use) {
  use(bmmc::comm::sendrecv{}, "sendrecv");
  use(bmmc::comm::sendrecv_replace{}, "sendrecv_replace");
  use(bmmc::comm::alltoallv{}, "alltoallv");
  use(bmmc::comm::dimension_exchange{}, "dimension_exchange");
  use(bmmc::comm::pipelined{}, "pipelined");
  use(bmmc::comm::radix_exchange{1}, "radix_exchange 1");
  use(bmmc::comm::radix_exchange{2}, "radix_exchange 2");
}

/// Every policy.
template <class F>
void for_each_policy(F use) {
  use(bmmc::comm::automatic{}, "automatic");
  use(bmmc::comm::shared_window{}, "shared_window");
  use(bmmc::comm::shared_window{.piece_bytes = std::size_t{1} << 20}, "shared_window in pieces");
  for_each_exchange(use);
}

}  // namespace workload
