// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// How large pieces are and how many are on their way, as comm::pipelined has it.
struct piece_sizes {
  std::size_t piece_bytes = 0;
  unsigned in_flight = 2;
};

/// Messages that do not wait for each other, in pieces: while one piece travels the next is
/// gathered and the one before is scattered. Pieces are cut so that both passes find whole lines.
/// See bmmc/transport/ring.hpp.
/// Memory  from a source to a target 2 in_flight pieces, whatever the chunk; in place a chunk and
///         in_flight pieces.
/// Note    blocks that are not cut (serialized elements) travel whole, all at once.
struct pipelined {
  /// Bytes of a piece, rounded down to a power of two; 0: as many as give messages of 64 KiB, but
  /// 1 MiB at least.
  std::size_t piece_bytes = 0;
  /// Pieces on their way at a time.
  unsigned in_flight = 2;

  constexpr operator piece_sizes() const noexcept { return {piece_bytes, in_flight}; }  // NOLINT
  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept {
    return std::uint64_t{piece_bytes} << 32 ^ std::uint64_t{piece_bytes} >> 32 ^ in_flight;
  }

  void prepare(exchange const& e);
  void move(exchange const& e, void const* source, void* target);
  friend constexpr bool operator==(pipelined const& a, pipelined const& b) noexcept {
    return a.piece_bytes == b.piece_bytes && a.in_flight == b.in_flight;
  }

  /// Room for the messages of blocks that are not cut.
  class slots;
  std::shared_ptr<slots> prepared{};
};

static_assert(MovingPolicy<pipelined> && PreparedPolicy<pipelined>);

}  // namespace bmmc::comm
