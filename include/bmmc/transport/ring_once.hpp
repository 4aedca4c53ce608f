// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/transport/ring.hpp>

namespace bmmc::transport {

[[gnu::noinline]] BMMC_ONCE ring::ring(index_t slots, index_t messages)
    : messages_(messages),
      sends_(slots * messages, MPI_REQUEST_NULL),
      receives_(slots * messages, MPI_REQUEST_NULL),
      expected_(slots * messages),
      statuses_(messages) {}

BMMC_ONCE void ring::send(index_t slot, index_t i, comm::exchange const& e, index_t b,
                          void const* from, MPI_Datatype type, int count) {
  e.check(MPI_Isend(from, count, type, e.target(b), 0, e.comm(), &sends_[slot * messages_ + i]),
          "MPI_Isend", b);
}

BMMC_ONCE void ring::receive(index_t slot, index_t i, comm::exchange const& e, index_t b, void* to,
                             MPI_Datatype type, int count) {
  expected_[slot * messages_ + i] = {b, type, count, true};
  e.check(MPI_Irecv(to, count, type, e.source(b), 0, e.comm(), &receives_[slot * messages_ + i]),
          "MPI_Irecv", b);
}

BMMC_ONCE void ring::wait_sent(index_t slot) {
  comm::check(MPI_Waitall(static_cast<int>(messages_), sends_.data() + slot * messages_,
                          MPI_STATUSES_IGNORE),
              "MPI_Waitall");
}

BMMC_ONCE void ring::wait_received(index_t slot, comm::exchange const& e) {
  MPI_Request* const first = receives_.data() + slot * messages_;
  comm::check(MPI_Waitall(static_cast<int>(messages_), first, statuses_.data()), "MPI_Waitall");
  for (index_t i = 0; i < messages_; ++i)
    if (auto& due = expected_[slot * messages_ + i]; due.is_due) {
      due.is_due = false;
      e.check(MPI_SUCCESS, "MPI_Irecv", due.round, statuses_[i], due.type, due.count);
    }
}

}  // namespace bmmc::transport

namespace bmmc::comm {

/// Requests for all blocks of an exchange, received and sent.
class pipelined::slots {
 public:
  explicit slots(exchange const& e) : requests_(2 * e.blocks()), statuses_(2 * e.blocks()) {}

  void move(exchange const& e, void const* source, void* target) {
    const index_t blocks = e.blocks();
    std::fill(requests_.begin(), requests_.end(), MPI_REQUEST_NULL);
    const std::span<MPI_Request> all(requests_);
    const transport::given_up_on_exception guard(all.first(blocks), all.last(blocks));
    for (index_t b = 0; b < blocks; ++b)
      if (!e.stays(b))
        e.check(
            MPI_Irecv(e.at(target, b), 1, e.block_type(), e.source(b), 0, e.comm(), &requests_[b]),
            "MPI_Irecv", b);
    for (index_t b = 0; b < blocks; ++b)
      if (!e.stays(b))
        e.check(MPI_Isend(e.at(source, b), 1, e.block_type(), e.target(b), 0, e.comm(),
                          &requests_[blocks + b]),
                "MPI_Isend", b);
    for (index_t b = 0; b < blocks; ++b)
      if (e.stays(b)) e.keep(b, source, target);
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses_.data()),
          "MPI_Waitall");
    for (index_t b = 0; b < blocks; ++b)
      if (!e.stays(b)) e.check(MPI_SUCCESS, "MPI_Irecv", b, statuses_[b], e.block_type());
  }

 private:
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

BMMC_ONCE void pipelined::prepare(exchange const& e) { prepared = std::make_shared<slots>(e); }

BMMC_ONCE void pipelined::move(exchange const& e, void const* source, void* target) {
  prepared->move(e, source, target);
}

}  // namespace bmmc::comm
