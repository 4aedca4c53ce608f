// SPDX-License-Identifier: BSL-1.0
#pragma once

// In one array, in pieces, each of which replaces the one that has left.

#include <cstddef>

#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/transport/exchange.hpp>

namespace bmmc::comm {

BMMC_ONCE void sendrecv_replace::replace(exchange const& e, void* data) const {
  for (index_t b = 0; b < e.blocks(); ++b) {
    if (e.stays(b)) continue;
    std::byte* const block = e.at(data, b);
    for (std::size_t done = 0; done < e.block_bytes(); done += e.piece_bytes()) {
      MPI_Status status;
      const int code = MPI_Sendrecv_replace(block + done, 1, e.piece_type(), e.target(b), 0,
                                            e.source(b), 0, e.comm(), &status);
      e.check(code, "MPI_Sendrecv_replace", b, status, e.piece_type());
    }
  }
}

}  // namespace bmmc::comm
