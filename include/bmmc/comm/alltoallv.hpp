// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// One MPI_Alltoallv for all blocks, from one array to another; MPI chooses the order.
/// Memory  four tables of one int per process, built once.
/// Source  Cormen 1997, section 7.
class alltoallv {
 public:
  void prepare(exchange const& e) {
    const auto procs = static_cast<std::size_t>(e.procs());
    for (auto* table : {&send_count_, &send_block_, &receive_count_, &receive_block_})
      table->assign(procs, 0);
    for (index_t b = 0; b < e.blocks(); ++b) {  // at most one block per process, so b fits an int
      const auto target = static_cast<std::size_t>(e.target(b));
      const auto source = static_cast<std::size_t>(e.source(b));
      send_count_[target] = receive_count_[source] = 1;
      send_block_[target] = receive_block_[source] = static_cast<int>(b);
    }
  }
  void move(exchange const& e, void const* source, void* target) const {
    check(MPI_Alltoallv(source, send_count_.data(), send_block_.data(), e.block_type(), target,
                        receive_count_.data(), receive_block_.data(), e.block_type(), e.comm()),
          "MPI_Alltoallv");
  }
  friend bool operator==(alltoallv const&, alltoallv const&) = default;

 private:
  std::vector<int> send_count_, send_block_, receive_count_, receive_block_;
};

}  // namespace bmmc::comm
