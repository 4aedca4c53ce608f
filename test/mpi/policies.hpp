// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/transport/exchange.hpp>

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

/// Every two processes are a node, as far as there are two.
struct nodes_of_two : bmmc::comm::shared_window {
  nodes_of_two() {
    int procs = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    processes_per_node = procs > 1 ? 2 : 1;
  }
};
/// The same with nodes of four where there are more than four processes, and rounds between them.
struct small_nodes : nodes_of_two {
  small_nodes() {
    bits = 1;
    int procs = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &procs);
    if (procs > 4) processes_per_node = 4;
  }
};
/// Many pieces, of at most 64 bytes, three on their way.
struct small_pieces : bmmc::comm::pipelined {
  small_pieces() : pipelined{64, 3} {}
};
/// Through windows of two such pieces.
struct small_window : bmmc::comm::shared_window {
  small_window() { piece_bytes = 64; }
};
/// No memory but that of the data.
using full_memory = bmmc::comm::within_budget;
