// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>

namespace bmmc::comm {

/// What moving data costs on a machine, as far as policies are chosen by it. Times are seconds.
struct cost_model {
  double message = 1e-6;           // a message that the next one waits for
  double message_together = 5e-7;  // one of many under way at a time
  double message_byte = 1e-10;     // from one array to another, while all processes send
  double replaced_byte = 2e-10;    // by MPI_Sendrecv_replace
  double copied_byte = 1e-10;      // by memcpy, while all processes copy
  double barrier = 1e-6;           // of the processes of a node
  double window = 1e-4;            // to make one
  double window_byte = 1e-9;       // to touch it for the first time

  [[nodiscard]] std::array<double, 8> figures() const noexcept {
    return {message,     message_together, message_byte, replaced_byte,
            copied_byte, barrier,          window,       window_byte};
  }
  friend bool operator==(cost_model const&, cost_model const&) = default;
};

}  // namespace bmmc::comm
