// SPDX-License-Identifier: BSL-1.0
#pragma once

// Messages that do not wait for each other: a ring of slots, in each of which some are under way.

#include <cstddef>
#include <span>
#include <vector>

#include <bmmc/transport/exchange.hpp>
#include <bmmc/transport/pending.hpp>

namespace bmmc::transport {

/// Slots for messages under way, `messages` sent and as many received in each. Nothing is allocated
/// after it is made.
class ring {
 public:
  ring() = default;
  ring(ring&&) = default;
  [[gnu::noinline]] ring& operator=(ring&&) = default;
  [[gnu::noinline]] ~ring() = default;
  ring(index_t slots, index_t messages);

  /// Message i of a slot: `count` of `type` of the block of round b of an exchange. A missing
  /// partner sends and receives nothing.
  void send(index_t slot, index_t i, comm::exchange const& e, index_t b, void const* from,
            MPI_Datatype type, int count);
  void receive(index_t slot, index_t i, comm::exchange const& e, index_t b, void* to,
               MPI_Datatype type, int count);

  [[nodiscard]] std::span<MPI_Request> sends() noexcept { return sends_; }
  [[nodiscard]] std::span<MPI_Request> receives() noexcept { return receives_; }

  /// Returns when all that a slot sends may be written again.
  void wait_sent(index_t slot);
  /// Returns when all that a slot receives is there, as long as it must be.
  void wait_received(index_t slot, comm::exchange const& e);

 private:
  struct expectation {
    index_t round = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int count = 0;
    bool is_due = false;
  };

  index_t messages_ = 0;
  std::vector<MPI_Request> sends_, receives_;
  std::vector<expectation> expected_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace bmmc::transport

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/ring_once.hpp>
#endif
