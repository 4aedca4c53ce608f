// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// What this process has done since it was set to zero: allocations by operator new, messages to
/// others and their bytes by MPI_Sendrecv, MPI_Sendrecv_replace and MPI_Isend, or prepared by
/// MPI_Send_init, those among them to processes
/// that are no neighbours in a hypercube or differ in bit 0 alone, calls of MPI_Allreduce and
/// MPI_Barrier, and communicators made by MPI_Comm_split.
struct counts {
  std::uint64_t allocations = 0, messages = 0, bytes = 0, far_messages = 0, in_pair_messages = 0,
                reductions = 0, barriers = 0, communicators = 0;
};
extern counts counted;

/// Messages in the order in which they were started, as far as there is room for them: those sent
/// to others, and those received by MPI_Sendrecv and MPI_Irecv.
struct message_log {
  struct message {
    int other = 0;
    std::uint64_t bytes = 0;
    friend bool operator==(message const&, message const&) = default;
  };
  std::array<message, 4096> messages{};
  std::size_t size = 0;

  [[nodiscard]] std::vector<message> all() const {
    return {messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(size)};
  }
};
extern message_log sent_messages, received_messages;
