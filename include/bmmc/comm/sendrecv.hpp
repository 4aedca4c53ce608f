// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

namespace detail {
/// A message that was shorter than agreed leaves part of the data as it was.
inline void require_whole(MPI_Status const& status, MPI_Datatype type, char const* routine,
                          exchange const& e, index_t b) {
  int received = 0;
  check(MPI_Get_count(&status, type, &received), "MPI_Get_count");
  if (received != 1)
    throw transport_error(std::string(routine) + " received a short message" + e.partners(b));
}
}  // namespace detail

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
      check(MPI_Sendrecv(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.at(target, b), 1,
                         e.block_type(), e.source(b), 0, e.comm(), &status),
            "MPI_Sendrecv", e.partners(b));
      detail::require_whole(status, e.block_type(), "MPI_Sendrecv", e, b);
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
        check(MPI_Sendrecv_replace(block + done, 1, e.piece_type(), e.target(b), 0, e.source(b), 0,
                                   e.comm(), &status),
              "MPI_Sendrecv_replace", e.partners(b));
        detail::require_whole(status, e.piece_type(), "MPI_Sendrecv_replace", e, b);
      }
    }
  }
  friend constexpr bool operator==(sendrecv_replace, sendrecv_replace) = default;
};

}  // namespace bmmc::comm
