// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/sendrecv.hpp>

namespace workload {

/// Every policy by its name: use(policy, name).
template <class F>
void for_each_policy(F use) {
  use(bmmc::comm::sendrecv{}, "sendrecv");
  use(bmmc::comm::sendrecv_replace{}, "sendrecv_replace");
  use(bmmc::comm::alltoallv{}, "alltoallv");
  use(bmmc::comm::dimension_exchange{}, "dimension_exchange");
}

}  // namespace workload
