// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// One MPI_Sendrecv per block, from one array to another.
/// Memory  nothing beyond the two arrays.
/// Source  Cormen 1997, sections 5 and 7.
struct sendrecv {
  void move(exchange const& e, void const* source, void* target) const {
    for (index_t b = 0; b < e.blocks(); ++b) {
      if (e.target(b) == e.proc()) {
        std::memcpy(e.at(target, b), e.at(source, b), e.block_bytes());
        continue;
      }
      MPI_Status status;
      const int code =
          MPI_Sendrecv(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.at(target, b), 1,
                       e.block_type(), e.source(b), 0, e.comm(), &status);
      e.check(code, "MPI_Sendrecv", b, status, e.block_type());
    }
  }
  friend constexpr bool operator==(sendrecv, sendrecv) = default;
};

/// One MPI_Sendrecv_replace per piece of a block: the paper's own way, in one array.
/// Memory  MPI buffers the message it is given; pieces of 1 MiB keep that small.
/// Source  Cormen 1997, section 5.
struct sendrecv_replace {
  void replace(exchange const& e, void* data) const {
    for (index_t b = 0; b < e.blocks(); ++b) {
      if (e.target(b) == e.proc()) continue;
      std::byte* const block = e.at(data, b);
      for (std::size_t done = 0; done < e.block_bytes(); done += e.piece_bytes()) {
        MPI_Status status;
        const int code = MPI_Sendrecv_replace(block + done, 1, e.piece_type(), e.target(b), 0,
                                              e.source(b), 0, e.comm(), &status);
        e.check(code, "MPI_Sendrecv_replace", b, status, e.piece_type());
      }
    }
  }
  friend constexpr bool operator==(sendrecv_replace, sendrecv_replace) = default;
};

}  // namespace bmmc::comm
