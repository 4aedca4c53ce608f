// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/comm/policy.hpp>

/// A fourth policy, written by the rules of bmmc/comm/policy.hpp alone: all messages at once.
struct isend_irecv {
  void move(bmmc::comm::exchange const& e, void const* source, void* target) const {
    std::vector<MPI_Request> requests;
    for (bmmc::index_t b = 0; b < e.blocks(); ++b) {
      e.check(MPI_Irecv(e.at(target, b), 1, e.block_type(), e.source(b), 0, e.comm(),
                        &requests.emplace_back()),
              "MPI_Irecv", b);
      e.check(MPI_Isend(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.comm(),
                        &requests.emplace_back()),
              "MPI_Isend", b);
    }
    bmmc::comm::check(
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
  }
};
static_assert(bmmc::comm::MovingPolicy<isend_irecv>);
static_assert(!bmmc::comm::ReplacingPolicy<isend_irecv>);
static_assert(!bmmc::comm::Policy<int>);
