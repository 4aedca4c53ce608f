// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <vector>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// Messages that do not wait for each other, in pieces: while one piece travels the next is
/// gathered and the one before is scattered. Pieces are cut so that both passes find whole lines.
/// Memory  from a source to a target 2 in_flight pieces, whatever the chunk; in place a chunk and
///         in_flight pieces.
/// Note    blocks that are not cut (serialized elements) travel whole, all at once.
struct pipelined {
  /// Bytes of a piece, rounded down to a power of two; 0: as many as give messages of 64 KiB, but
  /// 1 MiB at least.
  std::size_t piece_bytes = 0;
  /// Pieces on their way at a time.
  unsigned in_flight = 2;

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept { return piece_bytes * 64 + in_flight; }

  void move(exchange const& e, void const* source, void* target) const {
    std::vector<MPI_Request> requests(2 * e.blocks(), MPI_REQUEST_NULL);
    for (index_t b = 0; b < e.blocks(); ++b)
      e.check(
          MPI_Irecv(e.at(target, b), 1, e.block_type(), e.source(b), 0, e.comm(), &requests[2 * b]),
          "MPI_Irecv", b);
    for (index_t b = 0; b < e.blocks(); ++b)
      e.check(MPI_Isend(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.comm(),
                        &requests[2 * b + 1]),
              "MPI_Isend", b);
    check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }
  friend bool operator==(pipelined const&, pipelined const&) = default;
};

}  // namespace bmmc::comm
