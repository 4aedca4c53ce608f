// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>

#include <bmmc/error.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::wormhole {

using cycle_t = std::uint64_t;

/// Most dimensions of a simulated hypercube.
inline constexpr unsigned most_dimensions = 16;

/// Messages wait for each other in a circle and none of them will ever move.
class deadlock : public std::runtime_error, public error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] char const* what() const noexcept override { return std::runtime_error::what(); }
};

/// A message whose last flit has arrived, in the cycle before `arrived`; `sent` is when it was
/// handed over.
struct delivery {
  std::uint64_t message = 0;
  index_t source = 0, target = 0;
  cycle_t sent = 0, arrived = 0;

  [[nodiscard]] constexpr cycle_t latency() const noexcept { return arrived - sent; }
  friend constexpr bool operator==(delivery const&, delivery const&) = default;
};

/// A message in the network. After `shifts` shifts flit k (the header is flit 0) is in the buffer
/// of path[shifts - 1 - k]; at its source where that is less than 0, at its target from `channels`
/// on.
struct worm {
  delivery about;
  index_t at = 0;                                // router that the header has come to
  unsigned flits = 0, shifts = 0, channels = 0;  // channels taken so far
  std::array<std::uint32_t, most_dimensions + 2> path{};
};

}  // namespace bmmc::wormhole
