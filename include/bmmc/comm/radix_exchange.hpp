// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <bmmc/comm/policy.hpp>

namespace bmmc::comm {

/// Blocks travel in ceil(r / bits) rounds of 2^bits messages, for the 2^r blocks of a chunk: few
/// messages where they are small, few bytes where they are large. bits >= r sends each block once
/// and straight, all at a time; bits = 1 sends r messages of half a chunk. See
/// bmmc/plan/radix.hpp, which tells messages and bytes before, and bmmc/transport/radix_once.hpp.
/// Messages  in each round 2^bits, or one less where one stays
/// Bytes     in each round 1 - 2^-bits of a chunk, or a chunk
/// Memory    from two rounds on one chunk beyond source and target, and two more where runs are
///           shorter than 4 KiB
/// Note      the blocks of gather and reduce, which may be read by many, go all at a time.
struct radix_exchange {
  unsigned bits = 2;
  class rounds;
  std::shared_ptr<rounds> prepared{};

  /// Processes must agree on it.
  [[nodiscard]] std::uint64_t settings() const noexcept { return bits; }

  void prepare(exchange const& e);
  void move(exchange const& e, void const* source, void* target);
  /// Rounds follow from the exchange.
  friend bool operator==(radix_exchange const& a, radix_exchange const& b) noexcept {
    return a.bits == b.bits;
  }
};

static_assert(MovingPolicy<radix_exchange> && PreparedPolicy<radix_exchange>);

}  // namespace bmmc::comm
