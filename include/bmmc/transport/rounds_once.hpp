// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <string>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/transport/rounds.hpp>

namespace bmmc::comm {

BMMC_ONCE void sendrecv::move(exchange const& e, void const* source, void* target) const {
  for (index_t b = 0; b < e.blocks(); ++b) {
    if (e.stays(b)) {
      e.keep(b, source, target);
      continue;
    }
    MPI_Status status;
    const int code =
        MPI_Sendrecv(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.at(target, b), 1,
                     e.block_type(), e.source(b), 0, e.comm(), &status);
    e.check(code, "MPI_Sendrecv", b, status, e.block_type());
  }
}

BMMC_ONCE void shared_window::move(exchange const& e, void const* source, void* target) const {
  sendrecv().move(e, source, target);
}

BMMC_ONCE void automatic::move(exchange const& e, void const* source, void* target) const {
  sendrecv().move(e, source, target);
}

}  // namespace bmmc::comm

namespace bmmc::transport {

BMMC_ONCE void trade(comm::communicator const& c, MPI_Datatype element, std::size_t element_bytes,
                     void const* source, message const& to, void* target, message const& from) {
  const index_t part = std::clamp<index_t>(bit(30) / std::max<std::size_t>(1, element_bytes), 1,
                                           comm::detail::most_count);
  for (index_t done = 0; done < std::max(to.elements, from.elements); done += part) {
    const auto rest = [&](message const& m) {
      return static_cast<int>(std::min(part, m.elements - std::min(m.elements, done)));
    };
    const auto peer = [&](message const& m) {
      return rest(m) == 0 ? MPI_PROC_NULL : static_cast<int>(m.proc);
    };
    const auto with = [&] {
      return bmmc::detail::text({" (process ", c.rank(), ", to ", to.proc, ", from ", from.proc,
                                 ", ", element_bytes, " bytes an element)"});
    };
    MPI_Status status;
    const int code = MPI_Sendrecv(
        static_cast<std::byte const*>(source) + std::min(done, to.elements) * element_bytes,
        rest(to), element, peer(to), 0,
        static_cast<std::byte*>(target) + std::min(done, from.elements) * element_bytes, rest(from),
        element, peer(from), 0, c.handle(), &status);
    if (code != MPI_SUCCESS) comm::detail::throw_transport_error(code, "MPI_Sendrecv", with());
    int received = 0;
    comm::check(MPI_Get_count(&status, element, &received), "MPI_Get_count");
    if (received != rest(from))
      throw transport_error("MPI_Sendrecv received a short message" + with());
  }
}

BMMC_ONCE void all_to_all(comm::communicator const& c, std::vector<index_t> const& words,
                          std::vector<index_t>& received) {
  comm::check(
      MPI_Alltoall(words.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, c.handle()),
      "MPI_Alltoall");
}

}  // namespace bmmc::transport
