// SPDX-License-Identifier: BSL-1.0
#pragma once

// All blocks by one collective call of MPI.

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/transport/exchange.hpp>

namespace bmmc::comm {

BMMC_ONCE void alltoallv::prepare(exchange const& e) {
  const auto procs = static_cast<std::size_t>(e.procs());
  for (auto* table : {&send_count_, &send_block_, &receive_count_, &receive_block_})
    table->assign(procs, 0);
  // Blocks stand in rows: their places are multiples of their length, whose number fits an int.
  const auto enter = [&](int proc, message const& m, std::vector<int>& count,
                         std::vector<int>& block) {
    if (proc == MPI_PROC_NULL) return;
    count[static_cast<std::size_t>(proc)] = 1;
    block[static_cast<std::size_t>(proc)] = static_cast<int>(m.first / e.block_elements());
  };
  for (index_t b = 0; b < e.blocks(); ++b) {
    message_round const& round = e.pattern().rounds[b];
    enter(e.target(b), round.sent, send_count_, send_block_);
    enter(e.source(b), round.received, receive_count_, receive_block_);
  }
}
BMMC_ONCE void alltoallv::move(exchange const& e, void const* source, void* target) const {
  check(MPI_Alltoallv(source, send_count_.data(), send_block_.data(), e.block_type(), target,
                      receive_count_.data(), receive_block_.data(), e.block_type(), e.comm()),
        "MPI_Alltoallv");
}

}  // namespace bmmc::comm
