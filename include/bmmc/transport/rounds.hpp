// SPDX-License-Identifier: BSL-1.0
#pragma once

// One round after the other: a process sends to one partner and receives from one.

#include <cstddef>
#include <vector>

#include <bmmc/transport/exchange.hpp>

namespace bmmc::transport {

/// Sends a message and receives one, of any lengths, from and to where the pointers are.
void trade(comm::communicator const& c, MPI_Datatype element, std::size_t element_bytes,
           void const* source, message const& to, void* target, message const& from);

/// Calls round(target, source) for the P - 1 rounds in which a process sends to the one k places
/// above it and receives from the one k places below.
template <class F>
void for_each_round(comm::communicator const& c, F round) {
  const auto me = static_cast<index_t>(c.rank()), procs = static_cast<index_t>(c.size());
  for (index_t k = 1; k < procs; ++k) round((me + k) % procs, (me + procs - k) % procs);
}

/// One word from each process to each: what this process holds for process k stands at k. As many
/// are received.
void all_to_all(comm::communicator const& c, std::vector<index_t> const& words,
                std::vector<index_t>& received);

}  // namespace bmmc::transport

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/transport/rounds_once.hpp>
#endif
