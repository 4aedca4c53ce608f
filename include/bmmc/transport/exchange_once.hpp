// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <bmmc/transport/exchange.hpp>

namespace bmmc::comm {

BMMC_ONCE exchange::exchange(std::shared_ptr<communicator const> c, message_pattern pattern,
                             MPI_Datatype element, std::size_t element_bytes, index_t elements)
    : comm_(std::move(c)),
      pattern_(std::move(pattern)),
      element_(element),
      element_bytes_(element_bytes),
      block_elements_(elements),
      block_(datatype::row_of(element, elements)) {
  index_t piece_elements = elements;  // halved while it stays whole
  while (piece_elements % 2 == 0 && piece_elements * element_bytes > most_piece_bytes)
    piece_elements /= 2;
  piece_ = datatype::row_of(element, piece_elements);
  piece_bytes_ = piece_elements * element_bytes;
}

BMMC_ONCE exchange::exchange(std::shared_ptr<communicator const> c, permutation<> const& moves,
                             MPI_Datatype element, std::size_t element_bytes, index_t elements)
    : exchange(c,
               pattern_of(moves, proc_bits_of(static_cast<index_t>(c->size())),
                          static_cast<index_t>(c->rank()), elements),
               element, element_bytes, elements) {
  moves_ = moves;
}

BMMC_ONCE void exchange::check(int code, char const* routine, index_t b, MPI_Status const& status,
                               MPI_Datatype type, int count) const {
  check(code, routine, b);
  if (source(b) == MPI_PROC_NULL) return;
  int received = 0;
  comm::check(MPI_Get_count(&status, type, &received), "MPI_Get_count");
  if (received != count)
    throw transport_error(std::string(routine) + " received a short message" + partners(b));
}

BMMC_ONCE std::string exchange::partners(index_t b) const {
  return bmmc::detail::text({" (process ", proc(), ", to ", target(b), ", from ", source(b), ", ",
                             block_bytes(), " bytes)"});
}

}  // namespace bmmc::comm
